/**
 * A card of rows of any length: the newest first, all of them on request. Only rows near the window are
 * drawn, so that thousands cost no more than a screen of them.
 */
import Button from '@mui/material/Button';
import { Fragment, useCallback, useMemo, useState, type ComponentPropsWithRef, type ReactNode } from 'react';
import { RowList } from './Rows.js';
import { useVirtualRows } from './virtual-rows.js';

/** For the list item of a row: where it stands among all rows, drawn or not. */
export type RowItem = Pick<ComponentPropsWithRef<'li'>, 'ref' | 'aria-posinset' | 'aria-setsize'>;

interface LongRowsProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  /** So many stand there before more is asked for. */
  readonly atFirst: number;
  /** About how high a row is before it was drawn. */
  readonly estimatePx: number;
  readonly row: (row: T, item: RowItem) => ReactNode;
}

export function LongRows<T extends { readonly id: string }>({
  label,
  rows,
  atFirst,
  estimatePx,
  row,
}: LongRowsProps<T>) {
  const [isWhole, setWhole] = useState(false);
  const keys = useMemo(
    () => rows.slice(0, isWhole ? rows.length : atFirst).map(({ id }) => id),
    [rows, isWhole, atFirst],
  );
  const estimateOf = useCallback(() => estimatePx, [estimatePx]);
  const { parts, listRef, rowRef } = useVirtualRows(keys, estimateOf);
  return (
    <>
      <RowList label={label} listRef={listRef}>
        {parts.map((part) => {
          if (part.kind === 'room')
            return (
              <li
                key={`room-${part.before}`}
                className="room"
                style={{ height: part.heightPx, border: 0 }}
                aria-hidden="true"
              />
            );
          const each = rows[part.index]!;
          const item = {
            ref: rowRef(each.id),
            'aria-posinset': part.index + 1,
            'aria-setsize': rows.length,
          };
          return <Fragment key={each.id}>{row(each, item)}</Fragment>;
        })}
      </RowList>
      {rows.length > keys.length && (
        <Button variant="text" fullWidth onClick={() => setWhole(true)} style={{ marginTop: 8 }}>
          Show More
        </Button>
      )}
    </>
  );
}
