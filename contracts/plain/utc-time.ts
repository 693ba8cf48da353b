/** Times for somebody whose zone is not known. Their own calendar may name the day before, or after. */
const WHEN = { timeStyle: 'short', timeZone: 'UTC' } as const;
const LONG = new Intl.DateTimeFormat('en-US', { ...WHEN, dateStyle: 'long' });
const SHORT = new Intl.DateTimeFormat('en-US', { ...WHEN, dateStyle: 'medium' });

/** `November 24, 2026 at 10:00 AM UTC`. */
export const utcTime = (at: Date): string => `${LONG.format(at)} UTC`;

/** `Nov 24, 2026, 10:00 AM UTC`. */
export const shortUtcTime = (at: Date): string => `${SHORT.format(at)} UTC`;
