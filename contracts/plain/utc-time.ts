const WHEN = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/**
 * A time for somebody whose zone is not known: `November 24, 2026 at 10:00 AM UTC`. Their own calendar may
 * name the day before, or the one after.
 */
export const utcTime = (at: Date): string => `${WHEN.format(at)} UTC`;
