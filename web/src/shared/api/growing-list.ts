/**
 * A list that is read from its newest row on, page by page as somebody scrolls down. Read again, it asks for
 * its newest page only and keeps what was read further down.
 */
import { original } from '@reduxjs/toolkit';

interface Row {
  readonly id: string;
}

/** Rows from the newest on, as far as they were read. */
export interface GrowingList<T extends Row> {
  readonly rows: readonly T[];
  /** Cursor of what follows; undefined where nothing does. */
  readonly next: string | undefined;
  /** Whether any of the rows may have changed: its next read is of all of them. */
  readonly isOutdated?: boolean;
}

/** In a first page. */
export const PAGE_ROWS = 50;
/** The largest page of the server. */
export const MOST_ROWS = 1000;
/**
 * Whoever reads on reads on for longer. What is added at once must be drawn within a frame on a slow phone.
 */
export const EARLIER_ROWS = 100;

export const isSame = (a: Row, b: Row): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * How many rows the next read is of: the newest, or all that were read before, where any of them may have
 * changed.
 */
export const rowsToRead = (known: GrowingList<Row> | undefined): number =>
  known?.isOutdated ? Math.min(MOST_ROWS, Math.max(PAGE_ROWS, known.rows.length)) : PAGE_ROWS;

/**
 * What was read, with its newest page read again: rows that arrived stand on top, rows that changed are
 * replaced, and what lies below stays. Where the new page does not reach what was read, it begins anew; where
 * any row may have changed, nothing stays that was not read again. `asked`: what was known as it was asked
 * for. Rows that were outdated after that all stay, and stay outdated: their next read is of all of them.
 */
export function withNewest<T extends Row>(
  known: GrowingList<T> | undefined,
  newest: GrowingList<T>,
  asked: GrowingList<T> | undefined,
): GrowingList<T> {
  const last = newest.rows.at(-1);
  const end = last === undefined ? -1 : (known?.rows.findIndex(({ id }) => id === last.id) ?? -1);
  if (known === undefined || end === -1) return newest;
  const before = new Map(known.rows.slice(0, end + 1).map((row) => [row.id, row]));
  // The same row stays the same object: it is not drawn again.
  const top = newest.rows.map((row) => {
    const was = before.get(row.id);
    return was !== undefined && isSame(was, row) ? was : row;
  });
  const isReadWhole = known.isOutdated && asked?.isOutdated;
  const below = isReadWhole ? [] : known.rows.slice(end + 1);
  const next = below.length === 0 ? newest.next : known.next;
  return { rows: [...top, ...below], next, ...(known.isOutdated && !isReadWhole && { isOutdated: true }) };
}

/** What was read, with the rows after it; unchanged where they are not those that follow. */
export const withEarlier = <T extends Row>(
  known: GrowingList<T>,
  cursor: string,
  { rows, next }: GrowingList<T>,
): GrowingList<T> => (known.next === cursor ? { ...known, rows: [...known.rows, ...rows], next } : known);

/**
 * A list in the store as it was read, where its draft is at hand: of a draft every row that is looked at
 * becomes a draft, and there may be thousands.
 */
export const asRead = <T extends Row>(known: GrowingList<T>): GrowingList<T> =>
  (original(known as object) as GrowingList<T> | undefined) ?? known;
