/**
 * How many of something there were within a time, in a few numbers however many there were: by twelfths of
 * it. What is counted leaves when its twelfth does, so a count is never too small and at most a twelfth of
 * the time too old.
 */

interface Part {
  /** When this twelfth began, in milliseconds since 1970. */
  readonly fromMs: number;
  readonly count: number;
}
/** Oldest first. */
export type Counts = readonly Part[];

const PARTS = 12;

const startOf = (atMs: number, withinMs: number): number => {
  const partMs = withinMs / PARTS;
  return Math.floor(atMs / partMs) * partMs;
};
/** When a twelfth no longer counts. */
const endOf = ({ fromMs }: Part, withinMs: number): number => fromMs + withinMs + withinMs / PARTS;

/**
 * The counts with `by` more at a moment, or fewer where `by` is below zero; what is too old at that moment
 * has left. Taking away from a twelfth that has left changes nothing.
 */
export function counted(counts: Counts, atMs: number, by: number, withinMs: number): Counts {
  const fromMs = startOf(atMs, withinMs);
  const kept = counts.filter((part) => endOf(part, withinMs) > atMs);
  const count = (kept.find((part) => part.fromMs === fromMs)?.count ?? 0) + by;
  const others = kept.filter((part) => part.fromMs !== fromMs);
  if (count <= 0) return others;
  return [...others, { fromMs, count }].sort((a, b) => a.fromMs - b.fromMs);
}

/** How many there were within the time before a moment. */
export const countAt = (counts: Counts, nowMs: number, withinMs: number): number =>
  counts.reduce((sum, part) => (endOf(part, withinMs) > nowMs ? sum + part.count : sum), 0);

/** In how many milliseconds there are fewer than `most`, if nothing is added. */
export function roomInMs(counts: Counts, nowMs: number, most: number, withinMs: number): number {
  let left = countAt(counts, nowMs, withinMs);
  for (const part of counts) {
    if (endOf(part, withinMs) <= nowMs) continue;
    left -= part.count;
    if (left < most) return endOf(part, withinMs) - nowMs;
  }
  return 0;
}
