/** How long something waits, in the words of a day's planning: days and hours. */
const HOUR_MS = 3_600_000;

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** `72 hours`, and in whole days from four on: `5 days`. */
export function durationOf(hours: number): string {
  return hours > 72 && hours % 24 === 0 ? counted(hours / 24, 'day') : counted(hours, 'hour');
}

/** `2 days and 23 hours`, rounded up to the hour; `less than an hour` at the end. */
export function timeLeft(untilIso: string, nowMs: number): string {
  const leftMs = Date.parse(untilIso) - nowMs;
  if (!(leftMs >= HOUR_MS)) return 'less than an hour';
  const hours = Math.ceil(leftMs / HOUR_MS);
  const days = Math.floor(hours / 24);
  return [days > 0 && counted(days, 'day'), hours % 24 > 0 && counted(hours % 24, 'hour')]
    .filter(Boolean)
    .join(' and ');
}
