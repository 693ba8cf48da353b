/** What a payer chose to pay from, as the log has it, and whether it can pay at all. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { ChosenSource } from '#contracts/api/schedule-body';
import type { PaymentSource } from '#contracts/events/payment-source';
import type { ConfirmationFacts } from '#edge/proof';
import { FindCard } from '../bus/saved-cards.js';
import { shownCardId } from '../stripe/card-id.js';

@Injectable()
export class ChosenSources {
  constructor(private readonly bus: CommandBus) {}

  /** Throws Rejected('CardNotFound') for a card that is not this user's, and Unavailable. */
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

/** A choice in the words of a confirmation. */
export async function sourceInWords(
  userId: string,
  chosen: ChosenSource,
  facts: ConfirmationFacts,
): Promise<string> {
  switch (chosen.from) {
    case 'balance_then_card':
      return 'your balance, else your saved card';
    case 'balance':
      return 'your balance';
    case 'card':
      return (await facts.card(userId, chosen.cardId)) ?? 'another saved card';
  }
}
