/** The time by the server's clock, as its answers have it: that of a phone may be wrong by hours. */

/** An answer is some seconds old, and clocks are a little apart: neither is wrong by so much. */
const TOLERATED_MS = 60_000;

let aheadMs = 0;

/** Notes when the server says that it answered. Without that the own clock is all that there is. */
export function noteClock({ headers }: Response): void {
  const apartMs = Date.parse(headers.get('date') ?? '') - Date.now();
  if (!Number.isNaN(apartMs)) aheadMs = Math.abs(apartMs) > TOLERATED_MS ? apartMs : 0;
}

/** A time of the own clock by the server's, both in milliseconds. */
export const byServer = (ownMs: number): number => ownMs + aheadMs;
