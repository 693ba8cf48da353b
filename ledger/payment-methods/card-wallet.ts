/** A user's saved cards: whose they are is in the log, what they are is asked of the card provider. */
import { Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { cardsStream } from '#contracts/events/cards';
import type { SavedCard } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import { FindDefaultCard, OpenCardCustomer } from '../bus/saved-cards-door.js';
import { Rejected } from '../rejection.js';
import { SavedCards, type ProviderCard } from '../stripe/saved-cards.js';
import { StreamRunner } from '../streams/runner.js';
import { cards } from './cards.js';

@Injectable()
export class CardWallet {
  constructor(
    private readonly streams: StreamRunner,
    private readonly provider: SavedCards,
  ) {}

  /** The provider's id for a user, made at first use. Throws Unavailable and ProviderRefused. */
  async open(userId: string, correlationId: string): Promise<{ customerId: string; position: Position | undefined }> {
    const known = await this.customerOf(userId);
    if (known !== undefined) return { customerId: known, position: undefined };
    const made = await this.provider.openCustomer(userId);
    const { state, position } = await this.streams.execute(
      cards,
      cardsStream(userId),
      { type: 'OpenCustomer', userId, customerId: made },
      { correlationId, actorId: userId },
    );
    // Two requests at once may have made two; the log says which one it is.
    return { customerId: state.customerId ?? made, position };
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
  async choose(userId: string, cardId: string): Promise<readonly ProviderCard[]> {
    const customerId = await this.ownerOf(userId, cardId);
    await this.provider.choose(customerId, cardId);
    return this.provider.of(customerId);
  }

  /** Throws Rejected('CardNotFound') for a card that is not this user's. */
  async remove(userId: string, cardId: string): Promise<void> {
    await this.ownerOf(userId, cardId);
    await this.provider.remove(cardId);
  }

  private async ownerOf(userId: string, cardId: string): Promise<string> {
    const customerId = await this.customerOf(userId);
    const owned = customerId === undefined ? [] : await this.provider.of(customerId);
    if (customerId === undefined || !owned.some((card) => card.cardId === cardId)) throw new Rejected('CardNotFound');
    return customerId;
  }

  private async customerOf(userId: string): Promise<string | undefined> {
    return (await this.streams.look(cards, cardsStream(userId))).state.customerId;
  }
}

@CommandHandler(OpenCardCustomer)
export class OpenCardCustomerHandler implements ICommandHandler<OpenCardCustomer> {
  constructor(private readonly wallet: CardWallet) {}

  async execute({ userId, correlationId }: OpenCardCustomer): Promise<string> {
    return (await this.wallet.open(userId, correlationId)).customerId;
  }
}

@CommandHandler(FindDefaultCard)
export class FindDefaultCardHandler implements ICommandHandler<FindDefaultCard> {
  constructor(private readonly wallet: CardWallet) {}

  execute({ userId }: FindDefaultCard): Promise<SavedCard | undefined> {
    return this.wallet.defaultOf(userId);
  }
}
