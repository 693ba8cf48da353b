/** What payers are told of their schedules after a command. */
import type { ScheduledPayment as ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { Subscription as SubscriptionAnswer } from '#contracts/api/subscriptions';
import type { DomainEvent } from '#contracts/events/index';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import type { PaymentSource } from '#contracts/events/payment-source';
import { utcTime } from '#contracts/plain/utc-time';
import type { Occurrences, OpenOccurrence } from './occurrence.js';
import type { KnownScheduledPayment } from './scheduled-payment.decider.js';
import type { KnownSubscription } from './subscription.decider.js';

/** What pays a subscription and a scheduled payment, for people. */
export const COLLECTED_FROM = 'Available balance, else your saved card';

/** When a subscription or scheduled payment is not made, for the API's description. */
export const NOT_SCHEDULED = {
  400: 'What is wrong with the body',
  404: 'Recipient user not found',
  409: 'The recipient is closing their account',
  422: 'To oneself; a date in the past; the key was used with another body; or the code card_required: neither balance nor card',
};

/** When one is not changed. */
export const NOT_CHANGED = {
  400: 'What is wrong with the body',
  404: 'It is not there, or the card is not',
  409: 'It has ended; or the date, or the amount of a scheduled payment, cannot change while it is under way',
  422: 'What was chosen cannot pay it; a date in the past; too much scheduled ahead',
};

/** When a failed payment is not tried again. */
export const NOT_PAID_NOW = {
  400: 'What is wrong with the body',
  404: 'It is not there',
  409: 'No payment of that time has failed, the next one is due already, or it has ended; or the recipient is closing their account',
  422: 'It was tried too often',
};

/** What the calls about subscriptions read; filled in processes/ledger/reads.ts. */
export abstract class SubscriptionAnswers {
  /** One as its payer's list shows it; undefined for anybody else's, and where the list has none (yet). */
  abstract of(payerId: string, id: string): Promise<SubscriptionAnswer | undefined>;
}

/** The same for scheduled payments. */
export abstract class ScheduledPaymentAnswers {
  abstract of(payerId: string, id: string): Promise<ScheduledPaymentAnswer | undefined>;
}

const iso = (time: string): string => new Date(time).toISOString();

const recipientOf = (
  { recipientId }: { readonly recipientId: string },
  before: SubscriptionAnswer | ScheduledPaymentAnswer | undefined,
) => ({
  toUserId: recipientId,
  toUsername: before?.toUsername ?? null,
  toFirstName: before?.toFirstName ?? null,
  toLastName: before?.toLastName ?? null,
});

const failedDueAtOf = (open: Occurrences['open'], failed: Occurrences['failed']): string | null => {
  const last = open?.stage.kind === 'waiting' ? open : failed;
  return last === undefined ? null : iso(last.dueAt);
};

/** From the log alone: the read models may not show the attempt that this answers. */
const progressOf = ({
  open,
  failed,
  lastFailure,
  source,
}: Occurrences & { readonly source: PaymentSource }) => {
  const stage = open?.stage;
  const charged = lastFailure?.charged;
  return {
    lastFailureReason: lastFailure?.reason ?? null,
    lastFailureFrom: charged === undefined ? null : { from: charged.from, cardId: charged.cardId ?? null },
    failedDueAt: failedDueAtOf(open, failed),
    source: { from: source.from, cardId: source.from === 'card' ? source.cardId : null },
    nextTryAt: stage?.kind === 'waiting' ? iso(stage.retryAt) : null,
    needsConfirmation: stage?.kind === 'confirming',
    confirmPaymentId: stage?.kind === 'confirming' ? stage.paymentId : null,
    confirmBy: stage?.kind === 'confirming' ? iso(stage.confirmBy) : null,
    isCollecting: stage?.kind === 'collecting',
  };
};

/**
 * A subscription from the log's own state, for the moment in which the read models do not show it yet;
 * `before` is what they show.
 */
export const subscriptionAnswer = (
  known: KnownSubscription,
  description: string | undefined,
  before: SubscriptionAnswer | undefined,
): SubscriptionAnswer => {
  const { status, terms, firstDueAt, nextDueAt } = known;
  return {
    id: terms.subscriptionId,
    ...recipientOf(terms, before),
    amount: decimalFromMinor(terms.amountMinor),
    frequency: terms.frequency,
    description: description ?? before?.description ?? null,
    status: status === 'canceled' ? 'cancelled' : status,
    nextPaymentDate: status === 'active' ? iso(nextDueAt) : null,
    pauseReason: null,
    lastPaymentAt: before?.lastPaymentAt ?? null,
    createdAt: before?.createdAt ?? iso(firstDueAt),
    ...progressOf(known),
  };
};

/** The same for a scheduled payment. */
export const scheduledPaymentAnswer = (
  known: KnownScheduledPayment,
  description: string | undefined,
  before: ScheduledPaymentAnswer | undefined,
): ScheduledPaymentAnswer => {
  const { status, terms } = known;
  return {
    id: terms.scheduleId,
    ...recipientOf(terms, before),
    amount: decimalFromMinor(terms.amountMinor),
    scheduledDate: iso(terms.dueAt),
    description: description ?? before?.description ?? null,
    status: status === 'canceled' ? 'cancelled' : status,
    completedAt: before?.completedAt ?? null,
    createdAt: before?.createdAt ?? iso(terms.dueAt),
    ...progressOf(known),
  };
};

/**
 * What somebody who pauses or cancels is told of the open payment. `before` and `after`: the payment before
 * and after the change; `caused`: the change's own events. Without one that skips it, a payment that is no
 * longer open ended by itself, and may have been paid.
 */
export function noticeOf(
  before: OpenOccurrence | undefined,
  after: OpenOccurrence | undefined,
  caused: readonly DomainEvent[],
): string | null {
  const open = after ?? before;
  if (open === undefined) return null;
  const payment = `The payment that was due on ${utcTime(new Date(open.dueAt))}`;
  if (after?.stage.kind === 'collecting')
    return `${payment} is already being collected and is not stopped by this.`;
  if (after?.stage.kind === 'confirming')
    return `${payment} was waiting for your confirmation. It is given up, unless you have confirmed it already.`;
  const isGivenUp = caused.some(
    (event) =>
      event.type === 'OccurrencesSkipped' && Date.parse(event.data.lastDueAt) === Date.parse(open.dueAt),
  );
  return after === undefined && isGivenUp ? `${payment} had failed and is not tried again.` : null;
}

/** What a person who changes an amount or what pays must be told of the payment that is under way. */
export function changeNotice(open: OpenOccurrence | undefined): string | null {
  if (open === undefined || open.stage.kind === 'waiting') return null;
  return `The payment that was due on ${utcTime(new Date(open.dueAt))} is under way and stays as it was: ${dollarsFromMinor(open.terms.amountMinor)}.`;
}

/** The state that a command has left, which is there because the command was taken. */
export function stateAfter<S extends { readonly status: string }>(
  state: S | { readonly status: 'none' },
): Exclude<S, { readonly status: 'none' }> {
  if (state.status === 'none') throw new Error('A command was taken by a schedule that is not there.');
  return state as Exclude<S, { readonly status: 'none' }>;
}
