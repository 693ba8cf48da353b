/**
 * How many payments a payer may start without paying them: whoever opens one after the other tries cards or
 * sums. What is paid no longer counts, and what is canceled still does, until its hour has passed.
 */
import type { JournalEvent } from '#contracts/events/journal';
import { isGuest } from '#contracts/plain/guest';
import { aboutTime, LIMITS } from '#contracts/limits';
import { Rejected } from '../rejection.js';
import { countAt, counted, roomInMs } from './counts.js';
import type { Case } from './decision.js';
import { isElsewhere, type Books } from './state.js';

const WITHIN_MS = LIMITS['unpaid-payments'].withinMs;

/** Throws Rejected where a payer has started as many payments as the limit allows. */
export function assertFewUnpaid(payerId: string, { books, now, limits }: Case): void {
  const most = limits['unpaid-payments'];
  const unpaid = books.unpaid.get(payerId) ?? [];
  if (countAt(unpaid, now, WITHIN_MS) < most) return;
  const waitMs = roomInMs(unpaid, now, most, WITHIN_MS);
  throw new Rejected('TooManyUnpaidPayments', {
    most,
    wait: aboutTime(waitMs),
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}

/** Counts a payment that its payer started, and takes it out again once it is paid. */
export function evolveUnpaid(event: JournalEvent, recordedAtMs: number, books: Books): void {
  if (event.type === 'PaymentOpened') {
    // A schedule's payment is started by nobody.
    if (event.data.occurrence !== undefined) return;
    const { payerId } = event.data;
    // A guest is somebody new each time: how many they start is limited by their address, and nothing is
    // kept.
    if (isGuest(payerId)) return;
    books.unpaid.set(payerId, counted(books.unpaid.get(payerId) ?? [], recordedAtMs, 1, WITHIN_MS));
    return;
  }
  if (event.type !== 'PaymentSettled') return;
  const payment = books.payments.get(event.data.paymentId);
  const unpaid = books.unpaid.get(event.data.payerId);
  if (unpaid === undefined || !payment || isElsewhere(payment) || payment.occurrence !== undefined) return;
  const left = counted(unpaid, payment.openedAt.getTime(), -1, WITHIN_MS);
  if (left.length === 0) books.unpaid.delete(event.data.payerId);
  else books.unpaid.set(event.data.payerId, left);
}
