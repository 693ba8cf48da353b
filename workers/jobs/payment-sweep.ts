/**
 * The sweep of payments that are neither paid nor canceled: what to ask of the ledger, and when. Pure; the
 * clock comes in.
 */
import { ABANDONED_AFTER_MS, type InternalCommand } from '#contracts/api/internal';
import type { UnresolvedPayment } from '#projections/transactions/queries';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * Ages at which a younger one is looked at: often at first, when a webhook was most likely lost, then seldom.
 */
export const LOOKED_AT_MS = [3, 10, 30, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS);

/** How many times a payment of this age is due, all told. */
function timesDue(ageMs: number): number {
  const young = LOOKED_AT_MS.filter((age) => age <= ageMs).length;
  return ageMs < ABANDONED_AFTER_MS ? young : young + 1 + Math.floor((ageMs - ABANDONED_AFTER_MS) / HOUR_MS);
}

/**
 * What to ask about a payment now, and for which time of its life; undefined when it is too young. Whoever
 * has asked for that time already asks no more.
 */
export function commandForPayment(
  payment: UnresolvedPayment,
  now: Date,
): { readonly command: InternalCommand; readonly times: number } | undefined {
  const age = now.getTime() - payment.openedAt.getTime();
  const times = timesDue(age);
  if (times === 0) return undefined;
  return { times, command: commandAt(age, payment) };
}

function commandAt(age: number, payment: UnresolvedPayment): InternalCommand {
  if (age >= ABANDONED_AFTER_MS) return { type: 'CancelAbandoned', paymentId: payment.id };
  return payment.intentId === null
    ? { type: 'ResumePayment', paymentId: payment.id }
    : { type: 'SyncPayment', intentId: payment.intentId };
}
