/**
 * Where the rows of a long list stand, in pixels from its top: measured where they were drawn, else as
 * estimated. Pure.
 */

export class RowLayout {
  readonly #offsets: Float64Array;

  constructor(
    readonly keys: readonly string[],
    heights: ReadonlyMap<string, number>,
    estimateOf: (index: number) => number,
  ) {
    this.#offsets = new Float64Array(keys.length + 1);
    let offset = 0;
    for (let index = 0; index < keys.length; index += 1) {
      offset += heights.get(keys[index]!) ?? estimateOf(index);
      this.#offsets[index + 1] = offset;
    }
  }

  /** Where a row begins; behind the last one, where the list ends. */
  offsetOf(index: number): number {
    return this.#offsets[Math.max(0, Math.min(index, this.keys.length))] ?? 0;
  }

  /** The row at a height: the first or last one beyond the ends, and -1 in an empty list. */
  indexAt(offset: number): number {
    let [low, high] = [0, this.keys.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsetOf(middle + 1) > offset) high = middle;
      else low = middle + 1;
    }
    return high;
  }
}

/** How high rows were when they were drawn, and where they stand by that. */
export class RowHeights {
  readonly #heights = new Map<string, number>();
  #last: { readonly estimateOf: (index: number) => number; readonly layout: RowLayout } | undefined;

  /** The same object until the rows are others, or one of them turned out otherwise than it was. */
  layoutOf(keys: readonly string[], estimateOf: (index: number) => number): RowLayout {
    if (this.#last?.layout.keys !== keys || this.#last.estimateOf !== estimateOf)
      this.#last = { estimateOf, layout: new RowLayout(keys, this.#heights, estimateOf) };
    return this.#last.layout;
  }

  note(key: string, heightPx: number): void {
    if (this.#heights.get(key) === heightPx) return;
    this.#heights.set(key, heightPx);
    this.#last = undefined;
  }

  forget(): void {
    this.#heights.clear();
    this.#last = undefined;
  }
}

/** A row to draw, or room for rows that are not drawn. */
export type RowPart =
  | { readonly kind: 'row'; readonly index: number }
  | { readonly kind: 'room'; readonly before: number; readonly heightPx: number };

/**
 * What is drawn of a list: the rows `from` to `to`, both included, and one more wherever it stands, which has
 * the focus; between them room for all others.
 */
export function partsOf(layout: RowLayout, from: number, to: number, focused: number): RowPart[] {
  const { length } = layout.keys;
  const drawn: number[] = [];
  if (focused >= 0 && focused < from) drawn.push(focused);
  for (let index = from; index <= to && index < length; index += 1) drawn.push(index);
  if (focused > to && focused < length) drawn.push(focused);
  const parts: RowPart[] = [];
  let next = 0;
  const leaveRoom = (before: number): void => {
    const heightPx = layout.offsetOf(before) - layout.offsetOf(next);
    if (heightPx > 0) parts.push({ kind: 'room', before, heightPx });
  };
  for (const index of drawn) {
    leaveRoom(index);
    parts.push({ kind: 'row', index });
    next = index + 1;
  }
  leaveRoom(length);
  return parts;
}

/** Rows by index, the first and the last included. */
export interface RowSpan {
  readonly from: number;
  readonly to: number;
}

export const covers = (drawn: RowSpan, seen: RowSpan): boolean =>
  drawn.from <= seen.from && seen.to <= drawn.to;

/** How many rows of a span were not in the one before. */
export function addedTo(before: RowSpan, now: RowSpan): number {
  const both = Math.min(before.to, now.to) - Math.max(before.from, now.from) + 1;
  return now.to - now.from + 1 - Math.max(0, both);
}

/**
 * What to draw next on the way to `near`, the rows around the window: at most `step` rows more, for all at
 * once would hold up a frame. Rows of the window that are not drawn come first, the nearest to those that
 * are; else those of the side where fewer are drawn ahead of the window.
 */
export function nextSpan(drawn: RowSpan, seen: RowSpan, near: RowSpan, step: number): RowSpan {
  const from = Math.max(drawn.from, near.from);
  const to = Math.min(drawn.to, near.to);
  const downTo = (end: number): RowSpan => ({ from, to: Math.min(end, to + step) });
  const upTo = (start: number): RowSpan => ({ from: Math.max(start, from - step), to });
  const touchesWindow = to >= seen.from - 1 && from <= seen.to + 1;
  if (!touchesWindow) return { from: seen.from, to: Math.min(seen.to, seen.from + step - 1) };
  if (to < seen.to) return downTo(seen.to);
  if (from > seen.from) return upTo(seen.from);
  const [above, below] = [seen.from - from, to - seen.to];
  return to < near.to && (from === near.from || below <= above) ? downTo(near.to) : upTo(near.from);
}

const FEWEST = 2;
const MOST = 24;
/**
 * So long it may take from the drawing of rows to the next frame. A frame is felt from 50 ms on, and other
 * things happen in it too.
 */
const FRAME_MS = 24;

/** How many rows are drawn in one frame, by how long the last frames took here. */
export class DrawingPace {
  #rows = 6;

  get step(): number {
    return Math.floor(this.#rows);
  }

  /** So many rows were drawn in one frame, and so long it was until the next one. */
  note(rows: number, tookMs: number): void {
    if (rows < FEWEST || tookMs <= 0) return;
    const inTime = (rows * FRAME_MS) / tookMs;
    this.#rows = Math.max(FEWEST, Math.min(MOST, (this.#rows + inTime) / 2));
  }
}
