/** Months of the reader's own calendar, written `2026-11`, and days, written `2026-11-09`. */

const two = (n: number): string => String(n).padStart(2, '0');

/** The month of a date. */
export function monthKey(moment: Date): string {
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}`;
}

/** The day of a date. */
export function dayKey(moment: Date): string {
  return `${monthKey(moment)}-${two(moment.getDate())}`;
}

/** The first moment of a month or a day; undefined for an invalid key. */
export function beginningOf(key: string): Date | undefined {
  const match = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(key);
  if (!match) return undefined;
  const [, year = '', month = '', day = '1'] = match;
  const begins = new Date(Number(year), Number(month) - 1, Number(day));
  // `2026-06-31` would become July 1.
  const written = match[3] === undefined ? monthKey(begins) : dayKey(begins);
  return written === key ? begins : undefined;
}

/** The month some months later; earlier if negative. */
export function monthAfter(key: string, months = 1): string {
  const begins = beginningOf(key) ?? new Date();
  return monthKey(new Date(begins.getFullYear(), begins.getMonth() + months, 1));
}

/** From its first moment to that of the next month, ISO times. */
export function spanOfMonth(key: string): { readonly from: string; readonly to: string } {
  const iso = (month: string): string => (beginningOf(month) ?? new Date()).toISOString();
  return { from: iso(key), to: iso(monthAfter(key)) };
}
