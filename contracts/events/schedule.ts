/**
 * A scheduled payment, stream `scheduled-payment-{id}`: its terms, its cancellation, and its one occurrence.
 */
import { z } from 'zod';
import { AmountMinor } from './amount.js';
import { Sealed } from './journal.js';
import { PaymentSource } from './payment-source.js';
import type { OccurrenceEvent } from './occurrence.js';

export const SCHEDULED_PAYMENT_PREFIX = 'scheduled-payment-';
export const scheduledPaymentStream = (scheduleId: string): string =>
  `${SCHEDULED_PAYMENT_PREFIX}${scheduleId}`;

const at = z.iso.datetime();
const own = { scheduleId: z.string(), payerId: z.string() };

export const scheduledPaymentEvents = {
  /** A payer means to pay somebody once, later. */
  PaymentScheduled: z.object({
    ...own,
    recipientId: z.string(),
    amountMinor: AmountMinor,
    currency: z.string(),
    dueAt: z.iso.datetime(),
    description: Sealed.optional(),
    fingerprint: z.string(),
    at,
  }),
  /** From the next attempt on it is of this amount. */
  ScheduledPaymentAmountChanged: z.object({ ...own, amountMinor: AmountMinor, at }),
  /** From the next attempt on it is paid from this. */
  ScheduledPaymentSourceChosen: z.object({ ...own, source: PaymentSource, at }),
  /** It is due at another time, also where it has failed at the one before. */
  ScheduledPaymentMoved: z.object({ ...own, dueAt: z.iso.datetime(), at }),
  /**
   * Called off by the payer, or by us, with a reason, because one of the two was forgotten. An attempt under
   * way ends as it ends.
   */
  ScheduledPaymentCanceled: z.object({
    ...own,
    code: z.string().optional(),
    reason: z.string().optional(),
    at,
  }),
} as const;

type ScheduledPaymentEventType = keyof typeof scheduledPaymentEvents;
/** What only a scheduled payment's stream holds. */
export type ScheduledPaymentOwnEvent = {
  [T in ScheduledPaymentEventType]: { type: T; data: z.infer<(typeof scheduledPaymentEvents)[T]> };
}[ScheduledPaymentEventType];
export type ScheduledPaymentEvent = ScheduledPaymentOwnEvent | OccurrenceEvent;
