/** Reconciliation: which stretches of time must be compared with the card provider. Pure; the clock comes in. */
import type { InternalCommand } from '#contracts/api/internal';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How far back a pass begins when nobody remembers the last one: the provider tells of events for 30 days. */
export const FURTHEST_BACK_MS = 30 * DAY_MS;
/** Stretches overlap, since two clocks are at work and an event may be seen late. */
export const OVERLAP_MS = 15 * MINUTE_MS;

/** The stretches from the end of the last pass (if known) to now, oldest first, a day at most each. */
export function stretchesSince(
  passedThrough: Date | undefined,
  now: Date,
): Extract<InternalCommand, { type: 'ReconcileSince' }>[] {
  const nowMs = now.getTime();
  const earliest = nowMs - FURTHEST_BACK_MS;
  // A mark in the future is a clock that was wrong when it was made: what it hides must be looked at.
  const known = passedThrough !== undefined && passedThrough.getTime() <= nowMs ? passedThrough.getTime() - OVERLAP_MS : earliest;
  const stretches = [];
  for (let from = Math.max(known, earliest); from < nowMs; from += DAY_MS) {
    const until = Math.min(from + DAY_MS, nowMs);
    stretches.push({
      type: 'ReconcileSince' as const,
      since: new Date(from).toISOString(),
      until: new Date(until).toISOString(),
    });
  }
  return stretches;
}
