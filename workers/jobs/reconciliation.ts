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
/** A mark stays so far behind the present, since two clocks are at work and an event may be seen late. */
export const OVERLAP_MS = 15 * MINUTE_MS;

export interface Stretch {
  readonly since: string;
  /** Exclusive. */
  readonly until: string;
}

/** The stretches from where a mark stands to now, oldest first, a day at most each. */
export function stretchesSince(mark: Date, now: Date): Stretch[] {
  const nowMs = now.getTime();
  const stretches = [];
  for (let from = Math.max(mark.getTime(), nowMs - FURTHEST_MARK_MS); from < nowMs; from += DAY_MS) {
    const until = Math.min(from + DAY_MS, nowMs);
    stretches.push({ since: new Date(from).toISOString(), until: new Date(until).toISOString() });
  }
  return stretches;
}

/** Where the mark stands once all was looked at up to a time: the last minutes are looked at once more. */
export const markAfter = (through: Date, now: Date): Date =>
  new Date(Math.min(through.getTime(), now.getTime() - OVERLAP_MS));
