/** What the queries of lists have in common: a time, a text, and one line more than asked for. */
import { LIST_MAX, type Page } from '#contracts/api/lists';

/** So many rows are read for a page: one more than asked for tells whether there is a next one. */
export const rowsFor = (limit: number = LIST_MAX): number => Math.min(limit, LIST_MAX) + 1;

/**
 * The page that {@link rowsFor} rows make, their places left out. A cursor is the place of its last row,
 * unless the list has another.
 */
export function pageOf<Row extends { readonly place: number }>(
  rows: readonly Row[],
  limit: number | undefined,
  cursorOf = (last: Row): string => String(last.place),
): Page<Omit<Row, 'place'>> {
  const most = rowsFor(limit) - 1;
  const last = rows[most - 1];
  return {
    lines: rows.slice(0, most).map(({ place: _, ...line }) => line),
    next: rows.length > most && last ? cursorOf(last) : undefined,
  };
}

/** A column within the times of two parameters; null is no bound, the end is exclusive. */
export const within = (column: string, from: string, until: string): string =>
  `(${from}::timestamptz is null or ${column} >= ${from}) and (${until}::timestamptz is null or ${column} < ${until})`;

/**
 * A text as a pattern that finds it anywhere: what means something to `like` is taken as it stands. Null for
 * no text.
 */
export const anywhere = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
