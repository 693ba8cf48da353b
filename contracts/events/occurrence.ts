/**
 * What happens to one due time of a subscription or scheduled payment, in that schedule's own stream. A
 * claimed occurrence ends in exactly one way: collected, failed or skipped; a failed one may be taken up
 * again. Each event names its moment (`at`), by the clock that it was decided by.
 */
import { z } from 'zod';
import { AmountMinor } from './amount.js';

export const ScheduleKind = z.enum(['subscription', 'scheduled-payment']);
export type ScheduleKind = z.infer<typeof ScheduleKind>;

/** Why a due time was not collected although nothing failed. */
export const SkipReason = z.enum(['superseded', 'paused', 'canceled']);
export type SkipReason = z.infer<typeof SkipReason>;

/** What an attempt was to be paid from; `cardId` is how its owner is shown a card. */
export const Charged = z.object({ from: z.enum(['balance', 'card']), cardId: z.string().optional() });
export type Charged = z.infer<typeof Charged>;

const at = z.iso.datetime();
const schedule = { scheduleKind: ScheduleKind, scheduleId: z.string(), payerId: z.string() };
const occurrence = {
  ...schedule,
  occurrenceId: z.string(),
  dueAt: z.iso.datetime(),
  attempt: z.number().int().positive(),
  at,
};

/** What a failed attempt was for; older ones do not say. */
const attempted = { amountMinor: AmountMinor.optional(), charged: Charged.optional() };

export const occurrenceEvents = {
  /**
   * This due time is being collected from here on: neither a pause nor a cancel stops the attempt that is
   * under way.
   */
  OccurrenceClaimed: z.object({ ...occurrence, nextDueAt: z.iso.datetime().optional() }),
  /**
   * Due times that are not collected: a later one took their place, or the payer paused or canceled before
   * they were claimed.
   */
  OccurrencesSkipped: z.object({
    ...schedule,
    firstDueAt: z.iso.datetime(),
    lastDueAt: z.iso.datetime(),
    count: z.number().int().positive(),
    why: SkipReason,
    nextDueAt: z.iso.datetime().optional(),
    at,
  }),
  /**
   * The next attempt at a claimed due time begins. `asked`: the payer asked for it, before its time or after
   * the last one had failed.
   */
  OccurrenceRetried: z.object({ ...occurrence, asked: z.literal(true).optional() }),
  /** An attempt failed and its route is resolved: no money moved. It is tried again at `retryAt`. */
  OccurrenceAttemptFailed: z.object({
    ...occurrence,
    code: z.string(),
    reason: z.string(),
    paymentId: z.string().optional(),
    ...attempted,
    retryAt: z.iso.datetime(),
  }),
  /** The payer’s bank wants the payer to confirm this payment; it waits until `confirmBy`. */
  OccurrenceConfirmationNeeded: z.object({
    ...occurrence,
    paymentId: z.string(),
    reason: z.string(),
    ...attempted,
    confirmBy: z.iso.datetime(),
  }),
  /** The money has moved: by a transfer of balance, or by a card payment that has settled. */
  OccurrenceCollected: z.object({
    ...occurrence,
    paidBy: z.enum(['balance', 'card']),
    transactionId: z.string(),
  }),
  /** The last attempt failed: this due time is given up, unless its payer asks for another attempt. */
  OccurrenceFailed: z.object({
    ...occurrence,
    code: z.string(),
    reason: z.string(),
    paymentId: z.string().optional(),
    ...attempted,
  }),
} as const;

type OccurrenceEventType = keyof typeof occurrenceEvents;
export type OccurrenceEvent = {
  [T in OccurrenceEventType]: { type: T; data: z.infer<(typeof occurrenceEvents)[T]> };
}[OccurrenceEventType];

/** Whether an event is about due times, in either kind of stream. */
export const isOccurrenceEvent = (event: { type: string }): event is OccurrenceEvent =>
  Object.hasOwn(occurrenceEvents, event.type);
