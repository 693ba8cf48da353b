/** Rows that arrived while a list was shown. */
import { useState } from 'react';

interface Line {
  readonly id: string;
}
const NOTHING: readonly never[] = [];

interface RowSnapshot<T> {
  readonly list: string;
  readonly rows: readonly T[] | undefined;
  readonly known: ReadonlySet<string>;
  readonly arrived: readonly T[];
}

/**
 * The rows above all known ones since the last change of a list with its newest row on top. Initial rows and
 * rows loaded by scrolling down have not arrived. Another `list` starts anew.
 */
export function useArrivals<T extends Line>(rows: readonly T[] | undefined, list = ''): readonly T[] {
  const [seen, setSeen] = useState<RowSnapshot<T>>({ list, rows: undefined, known: new Set(), arrived: [] });
  if (seen.rows === rows && seen.list === list) return seen.arrived;
  const isFirst = seen.rows === undefined || seen.list !== list;
  const known = new Set([...(isFirst ? [] : seen.known), ...(rows ?? []).map(({ id }) => id)]);
  const firstKnown = rows?.findIndex(({ id }) => seen.known.has(id)) ?? -1;
  const arrivedCount = isFirst || !rows ? 0 : firstKnown === -1 ? rows.length : firstKnown;
  // The same empty list while nothing arrives: what is drawn of it stays as it is.
  const arrived = arrivedCount === 0 || !rows ? NOTHING : rows.slice(0, arrivedCount);
  setSeen({ list, rows, known, arrived });
  return arrived;
}
