/** Which rows of a growing list are drawn. */
import { useDeferredValue } from 'react';

/**
 * The rows to draw now. Rows that were added below those that are drawn are drawn in slices beside the
 * scrolling, so that they are not among these at first; all else is drawn at once. While the answer is not
 * what was given, nothing further should be read: the end of what is drawn stays in view until then.
 */
export function useDrawnRows<T>(rows: readonly T[] | undefined): readonly T[] | undefined {
  const drawn = useDeferredValue(rows);
  const isAddedBelow =
    rows !== undefined &&
    drawn !== undefined &&
    drawn.length > 0 &&
    drawn.length < rows.length &&
    rows[0] === drawn[0] &&
    rows[drawn.length - 1] === drawn.at(-1);
  return isAddedBelow ? drawn : rows;
}
