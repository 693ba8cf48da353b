/**
 * Subscriptions and scheduled payments as their payers see them, and when somebody must next look after each:
 * `wakeAt` is what the due-scan walks. Both kinds are one table: what is due is found in one place.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { PaymentSource } from '#contracts/events/payment-source';
import type { ScheduleKind } from '#contracts/events/occurrence';
import { SCHEDULED_PAYMENT_PREFIX } from '#contracts/events/schedule';
import { SUBSCRIPTION_PREFIX } from '#contracts/events/subscription';
import { USER_PREFIX } from '#contracts/events/user';
import { indexOfUnreadable, unreadable } from '../engine/text-reader.js';
import { declared } from '../engine/read-model.js';
import { flag, small, Table, text, time, whole } from '../engine/table.js';

export type ScheduleStatus = 'active' | 'paused' | 'canceled' | 'pending' | 'completed' | 'failed';
type ScheduleStage = 'collecting' | 'confirming' | 'waiting';

/** In SQL: a schedule that still goes on. */
export const LIVING = `(status in ('active', 'paused') or (status = 'pending' and not called_off))`;

export const schedules = new Table(
  'schedules',
  {
    id: text().key().seenBy('payer'),
    kind: text<ScheduleKind>().fixed().seenBy('payer'),
    payerId: text().fixed().seenBy('payer'),
    recipientId: text().fixed().seenBy('payer'),
    amountMinor: whole().seenBy('payer'),
    currency: text().fixed().seenBy('payer'),
    frequency: text().orNull().fixed().seenBy('payer'),
    description: text().orNull().seenBy('payer'),
    status: text<ScheduleStatus>().seenBy('payer'),
    calledOff: flag(),
    /** Of a scheduled payment: when it is due, also once it was moved. */
    firstDueAt: time().seenBy('payer'),
    nextDueAt: time().orNull().seenBy('payer'),
    sourceFrom: text<PaymentSource['from']>().seenBy('payer'),
    sourceCardId: text().orNull().seenBy('payer'),
    pauseReason: text().orNull().seenBy('payer'),
    occurrenceId: text().orNull(),
    occurrenceDueAt: time().orNull(),
    attempt: small().orNull(),
    stage: text<ScheduleStage>().orNull().seenBy('payer'),
    retryAt: time().orNull().seenBy('payer'),
    paymentId: text().orNull().seenBy('payer'),
    confirmBy: time().orNull().seenBy('payer'),
    lastFailureReason: text().orNull().seenBy('payer'),
    lastFailureFrom: text<'balance' | 'card'>().orNull().seenBy('payer'),
    lastFailureCardId: text().orNull().seenBy('payer'),
    /** The due time of the payment that failed last, while its payer can have it tried again. */
    failedDueAt: time().orNull().seenBy('payer'),
    lastCollectedAt: time().orNull().seenBy('payer'),
    wakeAt: time().orNull(),
    unreadable: unreadable(),
    createdAt: time().fixed().seenBy('payer'),
    /** The commit position of the event that made it: unique, and never moving. */
    place: whole().fixed(),
  },
  {
    checks: [
      `check (kind in ('subscription', 'scheduled-payment'))`,
      `check (status in ('active', 'paused', 'canceled', 'pending', 'completed', 'failed'))`,
      `check (stage in ('collecting', 'confirming', 'waiting'))`,
    ],
    indexes: [
      indexOfUnreadable('schedules', 'id'),
      'create unique index schedules_of_payer on schedules (payer_id, kind, place)',
      // What ends when its recipient is forgotten; its payer has the index above.
      `create index schedules_living_of_recipient on schedules (recipient_id) where ${LIVING}`,
      'create index schedules_to_wake on schedules (wake_at, id) where wake_at is not null',
    ],
  },
);

export const schedulesModel = declared({
  name: 'schedules',
  // The journal too: a payment that is resolved wakes its schedule. Users' streams: what a forgotten user
  // wrote is blanked.
  prefixes: [SUBSCRIPTION_PREFIX, SCHEDULED_PAYMENT_PREFIX, JOURNAL, USER_PREFIX],
  tables: [schedules],
});
