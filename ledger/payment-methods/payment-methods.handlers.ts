/** A user's saved cards: whose they are is in the log, what they are is asked of the card provider. */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import type { CardsEvent } from '#contracts/events/cards';
import type { SavedCard } from '#contracts/events/journal';
import type { Provenance } from '#log/record';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { DropCardsOf } from '../bus/forget-user.js';
import { Declines, tooManyDeclines } from '../limits/declines.js';
import { LOG } from '../parts.js';
import { FindCard, FindDefaultCard, FollowCards, FollowSetup, OpenCardCustomer } from '../bus/saved-cards.js';
import { Rejected } from '../rejection.js';
import { ProviderFigures } from '../stripe/provider-figures.js';
import { withCustomer } from '../stripe/provider-payment.js';
import { idsOf, SavedCards, type ProviderCard } from '../stripe/saved-cards.js';
import { StreamRunner, type Outcome } from '../streams/runner.js';
import { isCardOf } from '../stripe/card-id.js';
import { cards, type Cards, type CardsCommand } from './cards.decider.js';

@Injectable()
export class SavedCardHandlers {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly provider: SavedCards,
    private readonly figures: ProviderFigures,
    private readonly declines: Declines,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * The provider's id for a user, made at first use, and anew where the provider does not have the one that
   * it has just refused. Throws Unavailable and ProviderRefused.
   */
  async open(userId: string, provenance: Provenance, refusedId?: string): Promise<string> {
    const known = await this.customerOf(userId);
    const isLost = known !== undefined && known === refusedId && (await this.provider.isLost(known));
    if (known !== undefined && !isLost) return known;
    const made = await this.provider.openCustomer(userId, known);
    const { state } = await this.ask(
      known === undefined
        ? { type: 'OpenCustomer', userId, customerId: made }
        : { type: 'ReplaceCustomer', userId, lostId: known, customerId: made },
      { ...provenance, actorId: userId },
    );
    // Two requests at once may have made two; the log says which one it is.
    return customerIn(state) ?? made;
  }

  /**
   * The secret with which a browser saves a card, begun from a network. Throws Refusal where too many cards
   * were declined, Unavailable and ProviderRefused.
   */
  async setUp(userId: string, key: string, network: string, provenance: Provenance): Promise<string> {
    const judgement = await this.declines.judge(userId, undefined, network);
    if (judgement.kind === 'refuse') {
      this.declines.refused(judgement.reached);
      throw tooManyDeclines(judgement.reached);
    }
    const clientSecret = await withCustomer(
      (refusedId) => this.open(userId, provenance, refusedId),
      (customerId) => this.provider.setUp(customerId, key),
    );
    await this.declines.started(setupOf(clientSecret), network);
    return clientSecret;
  }

  /**
   * Counts a decline of a card that was being saved, and ends the setup where there were too many. Throws
   * Unavailable.
   */
  async setupDeclined(setupId: string, eventId: string, provenance: Provenance): Promise<void> {
    const declined = await this.provider.declinedSetup(setupId);
    if (declined === undefined) return;
    const { userId: payerId, card } = declined;
    if (await this.declines.setupDeclined({ setupId, eventId, payerId, card })) return;
    this.log.warn(
      { correlationId: provenance.correlationId, setupId },
      'too many cards were declined: the setup is canceled',
    );
    await this.provider.cancelSetup(setupId);
  }

  /** Newest first; none where there is no customer yet. */
  async of(userId: string): Promise<readonly ProviderCard[]> {
    const customerId = await this.customerOf(userId);
    return customerId === undefined ? [] : this.provider.of(customerId);
  }

  /** The card that is charged. */
  async defaultOf(userId: string): Promise<SavedCard | undefined> {
    const customerId = await this.customerOf(userId);
    if (customerId === undefined) return undefined;
    const card = (await this.provider.of(customerId)).find(({ isDefault }) => isDefault);
    return card && { customerId, paymentMethodId: card.cardId };
  }

  /** Throws Rejected('CardNotFound') for a card that is not this user's. */
  async choose(userId: string, id: string, provenance: Provenance): Promise<readonly ProviderCard[]> {
    const { customerId, paymentMethodId } = await this.owned(userId, id);
    await this.provider.choose(customerId, paymentMethodId);
    const shown = await this.provider.of(customerId);
    await this.noteIfPossible(userId, () => Promise.resolve(shown), provenance);
    return shown;
  }

  /** Throws Rejected('CardNotFound') for a card that is not this user's. */
  async remove(userId: string, id: string, provenance: Provenance): Promise<void> {
    const { customerId, paymentMethodId } = await this.owned(userId, id);
    const card = (await this.provider.of(customerId)).find((one) => idsOf([one]).includes(paymentMethodId));
    // With its copies: what is removed must not come back in their place.
    for (const cardId of card ? idsOf([card]) : [paymentMethodId]) await this.provider.remove(cardId);
    await this.noteIfPossible(userId, () => this.provider.of(customerId), provenance);
  }

  /**
   * Notes what the provider keeps for one of its customers now. One that is none of ours is passed over.
   * Throws Unavailable.
   */
  async follow(customerId: string, provenance: Provenance): Promise<void> {
    const { userId, cards: shown } = await this.provider.withOwner(customerId);
    if (userId === undefined || (await this.customerOf(userId)) !== customerId)
      return this.figures.foreign('customer');
    await this.note(userId, shown, provenance);
  }

  /**
   * The provider is to keep nothing for a user any more, who was forgotten. Throws Unavailable and
   * ProviderRefused.
   */
  async drop(userId: string, provenance: Provenance): Promise<void> {
    const customerId = await this.customerOf(userId);
    if (customerId === undefined) return;
    await this.provider.closeCustomer(customerId);
    await this.ask({ type: 'CloseCustomer', userId }, provenance);
  }

  /** What was done at the provider is done: the log hears of it now, or by the provider's webhook. */
  private async noteIfPossible(
    userId: string,
    shown: () => Promise<readonly ProviderCard[]>,
    provenance: Provenance,
  ): Promise<void> {
    try {
      await this.note(userId, await shown(), provenance);
    } catch (error) {
      this.log.warn(
        { correlationId: provenance.correlationId, userId, err: error },
        'the saved cards could not be noted now',
      );
    }
  }

  private async note(userId: string, shown: readonly ProviderCard[], provenance: Provenance): Promise<void> {
    const cardIds = idsOf(shown);
    const defaultId = shown.find(({ isDefault }) => isDefault)?.cardId;
    await this.ask({ type: 'NoteCards', userId, cardIds, defaultId }, provenance);
  }

  /**
   * A user's card by an id that its owner was shown, as it was saved last: whoever chose it before it was
   * renewed means it still. Throws Rejected('CardNotFound') for any other.
   */
  async owned(userId: string, id: string): Promise<SavedCard> {
    const customerId = await this.customerOf(userId);
    const owned = customerId === undefined ? [] : await this.provider.of(customerId);
    const card = owned.find((one) => idsOf([one]).some((cardId) => isCardOf(id, { cardId })));
    if (customerId === undefined || card === undefined) throw new Rejected('CardNotFound');
    return { customerId, paymentMethodId: card.cardId };
  }

  private async customerOf(userId: string): Promise<string | undefined> {
    return customerIn(await this.streams.read(cards, userId));
  }

  private ask(command: CardsCommand, provenance: Provenance): Promise<Outcome<Cards, CardsEvent>> {
    return this.bus.execute(new ExecuteStreamCommand(cards, command.userId, command, provenance));
  }
}

/** The provider's id of a setup, with which its secret begins. */
const setupOf = (clientSecret: string): string => clientSecret.split('_secret_', 1)[0] ?? clientSecret;

const customerIn = (state: Cards): string | undefined =>
  state.status === 'open' ? state.customerId : undefined;

@CommandHandler(OpenCardCustomer)
export class OpenCardCustomerHandler implements ICommandHandler<OpenCardCustomer> {
  constructor(private readonly cards: SavedCardHandlers) {}

  execute({ userId, provenance, refusedId }: OpenCardCustomer): Promise<string> {
    return this.cards.open(userId, provenance, refusedId);
  }
}

@CommandHandler(FindDefaultCard)
export class FindDefaultCardHandler implements ICommandHandler<FindDefaultCard> {
  constructor(private readonly cards: SavedCardHandlers) {}

  execute({ userId }: FindDefaultCard): Promise<SavedCard | undefined> {
    return this.cards.defaultOf(userId);
  }
}

@CommandHandler(FindCard)
export class FindCardHandler implements ICommandHandler<FindCard> {
  constructor(private readonly cards: SavedCardHandlers) {}

  execute({ userId, id }: FindCard): Promise<SavedCard> {
    return this.cards.owned(userId, id);
  }
}

@CommandHandler(FollowCards)
export class FollowCardsHandler implements ICommandHandler<FollowCards> {
  constructor(private readonly cards: SavedCardHandlers) {}

  execute({ customerId, provenance }: FollowCards): Promise<void> {
    return this.cards.follow(customerId, provenance);
  }
}

@CommandHandler(FollowSetup)
export class FollowSetupHandler implements ICommandHandler<FollowSetup> {
  constructor(private readonly cards: SavedCardHandlers) {}

  execute({ setupId, eventId, provenance }: FollowSetup): Promise<void> {
    return this.cards.setupDeclined(setupId, eventId, provenance);
  }
}

@CommandHandler(DropCardsOf)
export class DropCardsOfHandler implements ICommandHandler<DropCardsOf> {
  constructor(private readonly cards: SavedCardHandlers) {}

  execute({ userId, provenance }: DropCardsOf): Promise<void> {
    return this.cards.drop(userId, provenance);
  }
}
