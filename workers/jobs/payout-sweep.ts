/** The care of payouts that have not ended: which to take further now. Pure; the clock comes in. */
import type { InternalCommand } from '#contracts/api/internal';
import { backOffMs } from './back-off.js';

/** A payout that is under way, as the read models show it. */
export interface UnfinishedPayout {
  readonly id: string;
  readonly step: 'requested' | 'transferred' | 'submitted' | 'returned';
  /** When it came to this step. */
  readonly changedAt: Date;
  /** The provider pays out to its owner. */
  readonly payoutsEnabled: boolean;
  /** Its bank account was removed. */
  readonly isRemoved: boolean;
  /** How many attempts at the provider came to nothing, and when the last one did. */
  readonly delays: number;
  readonly delayedAt: Date | null;
}

const HOUR_MS = 3_600_000;
/** No payout waits longer than this between two attempts. */
const LONGEST_WAIT_MS = 6 * HOUR_MS;

/** How long after an attempt that came to nothing the next one is made: twice as long each time. */
export const waitMs = (delays: number, retryMs: number): number =>
  backOffMs(delays, { firstMs: retryMs, longestMs: LONGEST_WAIT_MS });

/**
 * What to ask about a payout now; undefined when it is not its time. `lastPass` is when payouts were last
 * looked through; unknown (Redis was flushed) means that all are due once.
 */
export function careForPayout(
  payout: UnfinishedPayout,
  lastPass: Date | undefined,
  now: Date,
  retryMs: number,
): InternalCommand | undefined {
  const advance: InternalCommand = { type: 'AdvancePayout', payoutId: payout.id };
  if (payout.step === 'submitted') {
    // The bank's turn, which takes days: the provider tells, and is asked every hour in case that was lost.
    const hours = (at: Date): number => Math.floor((at.getTime() - payout.changedAt.getTime()) / HOUR_MS);
    return lastPass === undefined || hours(now) > Math.max(hours(lastPass), 0) ? advance : undefined;
  }
  // Nothing can be done before its owner is verified, but to give the money back.
  if (payout.step === 'requested' && !payout.payoutsEnabled && !payout.isRemoved) return undefined;
  if (payout.delayedAt === null || payout.delays === 0) return advance;
  return now.getTime() >= payout.delayedAt.getTime() + waitMs(payout.delays, retryMs) ? advance : undefined;
}
