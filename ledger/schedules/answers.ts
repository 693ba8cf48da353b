/** How schedules are told to their payers. Pure. */
import type { ScheduledPayment as ScheduledPaymentRow } from '#contracts/api/scheduled-payments';
import type { Subscription as SubscriptionRow } from '#contracts/api/subscriptions';
import { decimalFromMinor } from '#contracts/plain/money';
import { Frequency } from '#contracts/events/frequency';
import type { OpenOccurrence } from './occurrence.js';
import type { ScheduleLine } from './schedule-reads.js';
import type { KnownScheduledPayment } from './scheduled-payment.decider.js';
import type { KnownSubscription } from './subscription.decider.js';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const recipientOf = (line: ScheduleLine) => ({
  toUserId: line.recipientId,
  toUsername: line.recipientUsername,
  toFirstName: line.recipientFirstName,
  toLastName: line.recipientLastName,
});

const progressOf = (line: ScheduleLine) => ({
  lastFailureReason: line.lastFailureReason,
  nextTryAt: line.stage === 'waiting' ? iso(line.retryAt) : null,
  needsConfirmation: line.stage === 'confirming',
  confirmPaymentId: line.stage === 'confirming' ? line.paymentId : null,
  confirmBy: line.stage === 'confirming' ? iso(line.confirmBy) : null,
  isCollecting: line.stage === 'collecting',
});

export const subscriptionRow = (line: ScheduleLine): SubscriptionRow => ({
  id: line.id,
  ...recipientOf(line),
  amount: decimalFromMinor(line.amountMinor),
  frequency: Frequency.parse(line.frequency),
  description: line.description,
  status: line.status === 'canceled' ? 'cancelled' : line.status === 'paused' ? 'paused' : 'active',
  nextPaymentDate: line.status === 'active' ? iso(line.nextDueAt) : null,
  pauseReason: line.pauseReason,
  lastPaymentAt: iso(line.lastCollectedAt),
  createdAt: line.createdAt.toISOString(),
  ...progressOf(line),
});

export const scheduledPaymentRow = (line: ScheduleLine): ScheduledPaymentRow => ({
  id: line.id,
  ...recipientOf(line),
  amount: decimalFromMinor(line.amountMinor),
  scheduledDate: line.firstDueAt.toISOString(),
  description: line.description,
  status:
    line.status === 'canceled'
      ? 'cancelled'
      : line.status === 'completed' || line.status === 'failed'
        ? line.status
        : 'pending',
  completedAt: iso(line.lastCollectedAt),
  createdAt: line.createdAt.toISOString(),
  ...progressOf(line),
});

/**
 * The same from the log's own state, for the moment in which the read models do not show it yet; `before` is
 * what they show.
 */
export function lineOf(
  schedule:
    | { kind: 'subscription'; state: KnownSubscription }
    | { kind: 'scheduled-payment'; state: KnownScheduledPayment },
  description: string | undefined,
  before: ScheduleLine | undefined,
): ScheduleLine {
  const { kind, state } = schedule;
  const { stage, dueAt: _ } = state.open ?? { stage: undefined, dueAt: undefined };
  const firstDueAt = kind === 'subscription' ? state.firstDueAt : state.terms.dueAt;
  return {
    id: kind === 'subscription' ? state.terms.subscriptionId : state.terms.scheduleId,
    kind,
    recipientId: state.terms.recipientId,
    recipientUsername: before?.recipientUsername ?? null,
    recipientFirstName: before?.recipientFirstName ?? null,
    recipientLastName: before?.recipientLastName ?? null,
    amountMinor: state.terms.amountMinor,
    frequency: kind === 'subscription' ? state.terms.frequency : null,
    description: description ?? before?.description ?? null,
    status: state.status,
    firstDueAt: new Date(firstDueAt),
    nextDueAt: new Date(kind === 'subscription' ? state.nextDueAt : firstDueAt),
    pauseReason: null,
    stage: stage?.kind ?? null,
    retryAt: stage?.kind === 'waiting' ? new Date(stage.retryAt) : null,
    paymentId: stage?.kind === 'confirming' ? stage.paymentId : null,
    confirmBy: stage?.kind === 'confirming' ? new Date(stage.confirmBy) : null,
    lastFailureReason: before?.lastFailureReason ?? null,
    lastCollectedAt: before?.lastCollectedAt ?? null,
    createdAt: before?.createdAt ?? new Date(firstDueAt),
  };
}

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/**
 * What a person who pauses or cancels must be told of the payment that is open; `before` and `after` are it,
 * around the change.
 */
export function noticeOf(
  before: OpenOccurrence | undefined,
  after: OpenOccurrence | undefined,
): string | null {
  const open = after ?? before;
  if (open === undefined) return null;
  const payment = `The payment that was due on ${DAY.format(new Date(open.dueAt))}`;
  if (after?.stage.kind === 'collecting')
    return `${payment} is already being collected and is not stopped by this.`;
  if (after?.stage.kind === 'confirming')
    return `${payment} was waiting for your confirmation. It is given up, unless you have confirmed it already.`;
  return after === undefined ? `${payment} had failed and is not tried again.` : null;
}
