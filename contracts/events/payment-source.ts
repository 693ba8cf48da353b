/**
 * What pays the payments of a schedule, where its payer has chosen; without a choice it is
 * `balance_then_card`.
 */
import { z } from 'zod';
import { SavedCard } from './journal.js';

export const PaymentSource = z.discriminatedUnion('from', [
  /** The available balance where it covers all of a payment, else the card that is the default then. */
  z.object({ from: z.literal('balance_then_card') }),
  z.object({ from: z.literal('balance') }),
  /** This card and no other; `cardId` is how its owner is shown it. */
  z.object({ from: z.literal('card'), card: SavedCard, cardId: z.string() }),
]);
export type PaymentSource = z.infer<typeof PaymentSource>;

export const BALANCE_THEN_CARD: PaymentSource = { from: 'balance_then_card' };

/** Whether two name the same source. */
export const isSameSource = (one: PaymentSource, other: PaymentSource): boolean =>
  one.from === 'card' && other.from === 'card'
    ? one.card.paymentMethodId === other.card.paymentMethodId
    : one.from === other.from;
