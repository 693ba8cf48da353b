/**
 * Calendar months of the books: each begins and ends at midnight in one time zone. The zone is a fact of the
 * log (the ledger's founding); without one it is UTC.
 */

/** The zone of books whose founding names none. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** A month as text: `2026-11`. */
export const MONTH_FORM = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** A stretch of time in milliseconds since 1970; the end is exclusive. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

const DAY_MS = 24 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Whether this runtime knows a time zone by this name, such as `America/New_York`. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What a clock on the wall of the zone shows, as if it were UTC, in milliseconds. */
function wallMs(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return ms;
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(ms)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  const fraction = ((ms % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + fraction;
}

/**
 * The moment at which a day begins in the zone: where it has two midnights the first one, where its midnight
 * is skipped the first moment after it.
 */
function midnightMs(year: number, month: number, day: number, timeZone: string): number {
  const wanted = Date.UTC(year, month - 1, day);
  /** When a clock that stood as it does at this moment would show midnight. */
  const byClockAt = (ms: number): number => wanted - (wallMs(ms, timeZone) - ms);
  const isMidnight = (ms: number): boolean => wallMs(ms, timeZone) === wanted;
  // They differ where the clocks change around that time. A clock that is put forward over midnight shows it
  // first.
  const [before, after] = [byClockAt(wanted - DAY_MS), byClockAt(wanted + DAY_MS)];
  return isMidnight(before) || !isMidnight(after) ? before : after;
}

/** The month in which a moment lies: `2026-11`. */
export function monthOf(ms: number, timeZone: string): string {
  return new Date(wallMs(ms, timeZone)).toISOString().slice(0, 7);
}

/** The day in which a moment lies: `2026-11-30`. */
export function dayOf(ms: number, timeZone: string): string {
  return new Date(wallMs(ms, timeZone)).toISOString().slice(0, 10);
}

/** The month that is so many months after another; before it for a negative number. */
export function monthAfter(month: string, count = 1): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** A month's first moment, and the first moment after it. Throws RangeError for what is no month. */
export function spanOfMonth(month: string, timeZone: string): TimeSpan {
  if (!MONTH_FORM.test(month)) throw new RangeError(`"${month}" is not a month, such as 2026-11.`);
  const begin = (text: string): number => {
    const [year = 0, number = 1] = text.split('-').map(Number);
    return midnightMs(year, number, 1, timeZone);
  };
  return { fromMs: begin(month), untilMs: begin(monthAfter(month)) };
}

/** A day's first moment, and the first moment after it. Throws RangeError for what is no day. */
export function spanOfDay(day: string, timeZone: string): TimeSpan {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !isDay(day))
    throw new RangeError(`"${day}" is not a day, such as 2026-11-30.`);
  const at = Date.parse(`${day}T00:00:00Z`);
  const next = new Date(at + DAY_MS);
  const begin = (date: Date): number =>
    midnightMs(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), timeZone);
  return { fromMs: begin(new Date(at)), untilMs: begin(next) };
}

const TIME_FORM = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether there is such a day in the calendar: 30 February is none. */
const isDay = (day: string): boolean => {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === day;
};

/**
 * A time such as `2026-11-30T09:00:00Z`, in milliseconds since 1970; undefined for one that says no zone,
 * since it would be another moment on another machine, and for one of a day that there is not.
 */
export function timeMs(written: string): number | undefined {
  const [, day] = TIME_FORM.exec(written) ?? [];
  const ms = day !== undefined && isDay(day) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

const NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** A month in words: `November 2026`. */
export const monthInWords = (month: string): string =>
  `${NAMES[Number(month.slice(5)) - 1] ?? month} ${month.slice(0, 4)}`;
