/** A subscription, stream `subscription-{id}`: its terms, what the payer did with it, and its occurrences. */
import { z } from 'zod';
import { AmountMinor } from './amount.js';
import { Frequency } from './frequency.js';
import { Sealed } from './journal.js';
import { PaymentSource } from './payment-source.js';
import type { OccurrenceEvent } from './occurrence.js';

export const SUBSCRIPTION_PREFIX = 'subscription-';
export const subscriptionStream = (subscriptionId: string): string =>
  `${SUBSCRIPTION_PREFIX}${subscriptionId}`;

const at = z.iso.datetime();
const own = { subscriptionId: z.string(), payerId: z.string() };

export const subscriptionEvents = {
  /** A payer means to pay somebody again and again. The first due time is the moment of this event. */
  SubscriptionCreated: z.object({
    ...own,
    recipientId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    frequency: Frequency,
    firstDueAt: z.iso.datetime(),
    description: Sealed.optional(),
    fingerprint: z.string(),
    at,
  }),
  /** From the next attempt on each payment is of this amount. */
  SubscriptionAmountChanged: z.object({ ...own, amountMinor: AmountMinor, at }),
  /** From the next attempt on each payment is paid from this. */
  SubscriptionSourceChosen: z.object({ ...own, source: PaymentSource, at }),
  /**
   * Nothing falls due until it is resumed. A code and reason stand where a failure paused it, and not the
   * payer.
   */
  SubscriptionPaused: z.object({ ...own, code: z.string().optional(), reason: z.string().optional(), at }),
  /** It falls due again; what fell into the pause is never collected. */
  SubscriptionResumed: z.object({ ...own, at }),
  /** The payer ended it; or we did, with a code and a reason, because one of the two was forgotten. */
  SubscriptionCanceled: z.object({ ...own, code: z.string().optional(), reason: z.string().optional(), at }),
} as const;

type SubscriptionEventType = keyof typeof subscriptionEvents;
/** What only a subscription's stream holds. */
export type SubscriptionOwnEvent = {
  [T in SubscriptionEventType]: { type: T; data: z.infer<(typeof subscriptionEvents)[T]> };
}[SubscriptionEventType];
export type SubscriptionEvent = SubscriptionOwnEvent | OccurrenceEvent;
