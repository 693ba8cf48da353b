/**
 * When something recurs. All of it is UTC and counted from an anchor, the first due time: the n-th due time
 * is always the same whatever came before it, so a month of 30 days does not move the 31st for good.
 */

/** How often something recurs. */
export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

const DAY_MS = 24 * 3_600_000;
const STEP_MS = { daily: DAY_MS, weekly: 7 * DAY_MS } as const;

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/**
 * The n-th due time; the anchor is the one with the number 0. A day that a month lacks is that month's last:
 * 31 → 30 → 31.
 */
export function dueTime(anchor: Date, frequency: Frequency, n: number): Date {
  if (frequency !== 'monthly') return new Date(anchor.getTime() + n * STEP_MS[frequency]);
  const months = anchor.getUTCFullYear() * 12 + anchor.getUTCMonth() + n;
  const [year, month] = [Math.floor(months / 12), months % 12];
  const due = new Date(anchor);
  due.setUTCFullYear(year, month, Math.min(anchor.getUTCDate(), daysIn(year, month)));
  return due;
}

/** The number of the latest due time at or before a moment; negative before the anchor. */
export function lastDueNumber(anchor: Date, frequency: Frequency, moment: Date): number {
  if (frequency !== 'monthly') return Math.floor((moment.getTime() - anchor.getTime()) / STEP_MS[frequency]);
  const n =
    (moment.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + moment.getUTCMonth() - anchor.getUTCMonth();
  return dueTime(anchor, frequency, n) > moment ? n - 1 : n;
}

/** The first due time after a moment. */
export const firstDueAfter = (anchor: Date, frequency: Frequency, moment: Date): Date =>
  dueTime(anchor, frequency, Math.max(0, lastDueNumber(anchor, frequency, moment) + 1));
