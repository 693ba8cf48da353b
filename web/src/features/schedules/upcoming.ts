/**
 * The payments to come, from subscriptions and scheduled payments; of what is held or stands still nobody
 * knows whether it comes. Pure.
 */
import type { ScheduledPayment } from '#contracts/api/scheduled-payments';
import type { Subscription } from '#contracts/api/subscriptions';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import { firstDueAfter } from '#contracts/plain/recurrence';
import { recipientOf } from './schedules.js';

export const DAYS_AHEAD = 90;
const DAY_MS = 24 * 3_600_000;

export interface Upcoming {
  readonly id: string;
  readonly at: Date;
  readonly recipient: string;
  readonly amount: string;
  /** Of a subscription. */
  readonly frequency?: Subscription['frequency'];
  /** True for the retry of a failed payment. */
  readonly isRetry: boolean;
}

const isUnsure = ({ heldBecause, standsStill }: Subscription | ScheduledPayment): boolean =>
  heldBecause !== undefined || standsStill !== undefined;

/** One that is tried again only as the next falls due gives way to that: both are never paid. */
const isTriedAgain = (nextTryAt: string, nextPaymentDate: string | null): boolean =>
  nextPaymentDate === null || new Date(nextTryAt) < new Date(nextPaymentDate);

function ofSubscription(subscription: Subscription, end: Date): Upcoming[] {
  const { id, amount, frequency, nextPaymentDate, nextTryAt, createdAt, status } = subscription;
  if (status !== 'active' || isUnsure(subscription)) return [];
  const payment = { recipient: recipientOf(subscription), amount, frequency };
  const found: Upcoming[] = [];
  if (nextTryAt !== null && isTriedAgain(nextTryAt, nextPaymentDate))
    found.push({ ...payment, id: `${id} again`, at: new Date(nextTryAt), isRetry: true });
  if (nextPaymentDate === null) return found;
  const anchor = new Date(createdAt);
  for (let at = new Date(nextPaymentDate); at <= end; at = firstDueAfter(anchor, frequency, at))
    found.push({ ...payment, id: `${id} ${at.getTime()}`, at, isRetry: false });
  return found;
}

function ofScheduledPayment(scheduled: ScheduledPayment): Upcoming[] {
  const { id, amount, scheduledDate, nextTryAt, status } = scheduled;
  if (status !== 'pending' || isUnsure(scheduled)) return [];
  const at = new Date(nextTryAt ?? scheduledDate);
  return [{ id, at, recipient: recipientOf(scheduled), amount, isRetry: nextTryAt !== null }];
}

/** The payments of the next {@link DAYS_AHEAD} days, the soonest first. */
export function upcoming(
  subscriptions: readonly Subscription[],
  scheduled: readonly ScheduledPayment[],
  now: Date,
): Upcoming[] {
  const end = new Date(now.getTime() + DAYS_AHEAD * DAY_MS);
  return [
    ...subscriptions.flatMap((each) => ofSubscription(each, end)),
    ...scheduled.flatMap(ofScheduledPayment),
  ]
    .filter(({ at }) => at >= now && at <= end)
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** Their total. */
export function totalOf(payments: readonly Upcoming[]): string {
  return decimalFromMinor(payments.reduce((sum, { amount }) => sum + minorOf(amount), 0));
}
