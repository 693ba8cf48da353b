/** What a payer chose to pay from, as the log has it, once it is known that it can pay. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { ChosenSource } from '#contracts/api/schedule-body';
import { isSameSource, type PaymentSource } from '#contracts/events/payment-source';
import { FindCard } from '../bus/saved-cards.js';
import { shownCardId } from '../stripe/card-id.js';
import { Funding } from './funding.js';

/** A schedule as a change finds it. */
interface Before {
  readonly terms: { readonly recipientId: string; readonly amountMinor: number };
  readonly source: PaymentSource;
}

@Injectable()
export class ChosenSources {
  constructor(
    private readonly bus: CommandBus,
    private readonly funding: Funding,
  ) {}

  /**
   * What pays after a change; undefined where that is as before. Throws Rejected('CardNotFound') for a card
   * that is not this user's, what {@link Funding} does where more is to be paid, or by something else, than
   * it covers, and Unavailable.
   */
  async afterChange(
    userId: string,
    { amount, source: chosen }: { readonly amount?: number; readonly source?: ChosenSource },
    { terms, source: before }: Before,
  ): Promise<PaymentSource | undefined> {
    const read = chosen && (await this.read(userId, chosen));
    // A repeat of what was changed already is not asked for money that was spent meanwhile.
    const source = read && isSameSource(read, before) ? undefined : read;
    const amountMinor = amount ?? terms.amountMinor;
    if (source || amountMinor > terms.amountMinor)
      await this.funding.assertPossible(userId, terms.recipientId, amountMinor, source ?? before);
    return source;
  }

  /**
   * What a new one is paid from. Throws Rejected('CardNotFound') for a card that is not this user's, and
   * Unavailable.
   */
  async read(userId: string, chosen: ChosenSource): Promise<PaymentSource> {
    if (chosen.from !== 'card') return chosen;
    const { customerId, paymentMethodId } = await this.bus.execute(new FindCard(userId, chosen.cardId));
    return {
      from: 'card',
      card: { customerId, paymentMethodId },
      cardId: shownCardId(paymentMethodId),
    };
  }
}
