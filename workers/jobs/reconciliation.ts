/**
 * Reconciliation: which stretches of time must be compared with the card provider. Pure; the clock comes in.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/**
 * How far back a pass begins when nobody remembers the last one: the provider tells of events for 30 days.
 */
export const FURTHEST_BACK_MS = 30 * DAY_MS;
/**
 * A pass that is remembered is gone on from however long it is past: the provider still lists what was made
 * since.
 */
export const FURTHEST_MARK_MS = 366 * DAY_MS;
/** Stretches overlap, since two clocks are at work and an event may be seen late. */
export const OVERLAP_MS = 15 * MINUTE_MS;

interface Stretch {
  readonly since: string;
  /** Exclusive. */
  readonly until: string;
}

/** The stretches from the end of the last pass (if known) to now, oldest first, a day at most each. */
export function stretchesSince(passedThrough: Date | undefined, now: Date): Stretch[] {
  const nowMs = now.getTime();
  // A mark in the future is a clock that was wrong when it was made: what it hides must be looked at.
  const isKnown = passedThrough !== undefined && passedThrough.getTime() <= nowMs;
  const first = isKnown
    ? Math.max(passedThrough.getTime() - OVERLAP_MS, nowMs - FURTHEST_MARK_MS)
    : nowMs - FURTHEST_BACK_MS;
  const stretches = [];
  for (let from = first; from < nowMs; from += DAY_MS) {
    const until = Math.min(from + DAY_MS, nowMs);
    stretches.push({ since: new Date(from).toISOString(), until: new Date(until).toISOString() });
  }
  return stretches;
}
