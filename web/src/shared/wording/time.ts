/** Formats dates and times in the reader's time zone; the API's are UTC. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const DATE = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: '2-digit', day: '2-digit' });
const DATE_TIME = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

const MONTH = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'long' });
const SOON = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });
const DAY = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric' });

const timeOf = (iso: string): number | undefined => {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? undefined : ms;
};

/** `11/09/2026`; empty for what is no date. */
export function dateOf(iso: string): string {
  const ms = timeOf(iso);
  return ms === undefined ? '' : DATE.format(ms);
}

/** `Nov 9, 2026, 7:30 PM`; empty for what is no date. */
export function dateTimeOf(iso: string): string {
  const ms = timeOf(iso);
  return ms === undefined ? '' : DATE_TIME.format(ms);
}

/** `November 2026`; empty for what is no date. */
export function monthOf(iso: string): string {
  const ms = timeOf(iso);
  return ms === undefined ? '' : MONTH.format(ms);
}

/** `Nov 9, 2026`; empty for what is no date. */
export function dayOf(iso: string): string {
  const ms = timeOf(iso);
  return ms === undefined ? '' : DAY.format(ms);
}

const WEEKDAY = { weekday: 'short', month: 'short', day: 'numeric' } as const;
const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/** `Tue, Nov 24`; empty for what is no date. A date without a time is that day everywhere. */
export function weekdayOf(iso: string): string {
  const ms = timeOf(iso);
  if (ms === undefined) return '';
  const timeZone = DATE_ALONE.test(iso) ? 'UTC' : undefined;
  return new Intl.DateTimeFormat('en-US', { ...WEEKDAY, timeZone }).format(ms);
}

/**
 * A moment of the day before: 24 hours ago may be the same day, or two before, where clocks were put back or
 * forward.
 */
export const dayBefore = (nowMs: number): Date => new Date(new Date(nowMs).setHours(0, -1));

const TIME = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });

/**
 * `today, 7:31 PM`, `yesterday, 4:12 PM`, `Oct 30, 10:40 AM`, after months with the year; empty for what is
 * no date.
 */
export function dayAndTimeOf(iso: string, nowMs: number): string {
  const ms = timeOf(iso);
  if (ms === undefined) return '';
  if (Math.abs(nowMs - ms) > SOON_MS) return DATE_TIME.format(ms);
  const day = DAY.format(ms);
  const isToday = day === DAY.format(nowMs);
  const isYesterday = day === DAY.format(dayBefore(nowMs));
  return `${isToday ? 'today' : isYesterday ? 'yesterday' : SOON.format(ms)}, ${TIME.format(ms)}`;
}

const SOON_MS = 300 * DAY_MS;

/** A future day: `Nov 9`, with the year where it is needed. */
export function nextDayOf(iso: string, nowMs: number): string {
  const ms = timeOf(iso);
  if (ms === undefined) return '';
  return ms - nowMs < SOON_MS ? SOON.format(ms) : DAY.format(ms);
}

/** How long ago: hours on the same day, days within a week, then the date. */
export function timeLabel(iso: string, nowMs: number): string {
  const ms = timeOf(iso);
  if (ms === undefined) return '';
  const passed = nowMs - ms;
  const hours = Math.floor(passed / HOUR_MS);
  const days = Math.floor(passed / DAY_MS);
  if (passed < HOUR_MS) return 'Less than an hour ago';
  if (passed < DAY_MS) return hours === 1 ? '1 hour ago' : `${hours} hours ago`;
  if (days === 1) return 'Yesterday';
  if (days < 7) return `${days} days ago`;
  return DATE.format(ms);
}
