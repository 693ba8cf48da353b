/** The sweep of payouts that have not ended: which to take further now. Pure; the clock comes in. */
import type { InternalCommand } from '#contracts/api/internal';
import type { UnfinishedPayoutView } from '#projections/payouts/queries';
import { backOffMs } from './back-off.js';

const HOUR_MS = 3_600_000;
/** No payout waits longer than this between two attempts. */
const LONGEST_WAIT_MS = 6 * HOUR_MS;

/** How long after an attempt that came to nothing the next one is made: twice as long each time. */
export const waitMs = (delays: number, retryMs: number): number =>
  backOffMs(delays, { firstMs: retryMs, longestMs: LONGEST_WAIT_MS });

/**
 * How a try of a payout in its present state is called; at its bank, each hour is another state, and before
 * that, whether the money reaches it: one that waited for days goes as soon as it does.
 */
export function payoutTryName(payout: UnfinishedPayoutView, now: Date): string {
  const { id, step, delays, payoutsEnabled, isBankGone, isCovered, changedAt } = payout;
  if (step !== 'submitted') return `${id}-${step}-${delays}-${payoutsEnabled}-${isBankGone}-${isCovered}`;
  return `${id}-${step}-${Math.floor((now.getTime() - changedAt.getTime()) / HOUR_MS)}`;
}

/** What to ask about a payout now; undefined when it is not its time. */
export function commandForPayout(
  payout: UnfinishedPayoutView,
  now: Date,
  retryMs: number,
): InternalCommand | undefined {
  const advance: InternalCommand = { type: 'AdvancePayout', payoutId: payout.id };
  // The bank's turn, which takes days: the provider tells, and is asked every hour in case that was lost.
  if (payout.step === 'submitted')
    return now.getTime() >= payout.changedAt.getTime() + HOUR_MS ? advance : undefined;
  // Nothing can be done before its owner is verified, but to give the money back.
  if (payout.step === 'requested' && !payout.payoutsEnabled && !payout.isBankGone) return undefined;
  // The first in the queue is asked about: it looks whether money has come for the others too.
  if (payout.waitsItsTurn) return undefined;
  if (payout.delayedAt === null || payout.delays === 0) return advance;
  // Money comes by the day, and others wait behind this one: no longer each time.
  const tries = payout.delayCode === 'balance_insufficient' ? 1 : payout.delays;
  return now.getTime() >= payout.delayedAt.getTime() + waitMs(tries, retryMs) ? advance : undefined;
}
