/**
 * When the money that there is, and that comes, covers a payout, and how much of a balance could go when.
 * Pure.
 */
import type { Arrival, PayoutFundsState } from './funds.js';

/** When what can be used covers a sum: now, from a day on, or not by anything that is known to come. */
export function coveredOn(
  neededMinor: number,
  { availableMinor, arrivals }: PayoutFundsState,
): 'now' | Date | undefined {
  let there = availableMinor;
  if (there >= neededMinor) return 'now';
  for (const { on, netMinor } of arrivals) {
    there += netMinor;
    if (there >= neededMinor) return on;
  }
  return undefined;
}

/** A balance, by when it could be paid out if that were asked for now: after everybody in the queue. */
export interface PayableBalance {
  readonly nowMinor: number;
  readonly later: readonly { readonly on: Date; readonly amountMinor: number }[];
  /** What nothing that is known to come covers. */
  readonly undatedMinor: number;
}

export function payableOf(balanceMinor: number, state: PayoutFundsState): PayableBalance {
  const { queuedMinor, availableMinor, arrivals } = state;
  const most = Math.max(0, balanceMinor);
  const upTo = (there: number): number => Math.min(most, Math.max(0, there - queuedMinor));
  let there = availableMinor;
  const nowMinor = upTo(there);
  let covered = nowMinor;
  const later = arrivals.flatMap(({ on, netMinor }: Arrival) => {
    there += netMinor;
    const amountMinor = upTo(there) - covered;
    if (amountMinor <= 0) return [];
    covered += amountMinor;
    return [{ on, amountMinor }];
  });
  return { nowMinor, later, undatedMinor: most - covered };
}
