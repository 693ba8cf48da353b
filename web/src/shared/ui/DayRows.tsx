/**
 * A list of any length under its headings, each day as a card of rows. Only what is near the window is drawn.
 */
import { styled } from '@mui/material/styles';
import { Fragment, useCallback, useMemo, type ReactNode } from 'react';
import type { RowPart } from './row-layout.js';
import { rowLook } from './Rows.js';
import { useVirtualRows } from './virtual-rows.js';

export interface DayRow {
  readonly kind: 'row';
  readonly key: string;
  readonly day: string;
  readonly isFirstOfDay: boolean;
  readonly isLastOfDay: boolean;
}
/** What stands between cards; its `kind` is any word but `row`. */
export interface Heading {
  readonly kind: string;
  readonly key: string;
}

export type LineRef = (element: HTMLElement | null) => void;

const Ground = styled('div')(({ theme }) => ({
  ...rowLook(theme),
  // A day's card is made of its rows, for it need not be drawn whole.
  '& ul': { margin: 0, padding: 0, listStyle: 'none' },
  '& li': {
    boxSizing: 'border-box',
    backgroundColor: theme.vars.palette.background.paper,
    border: `1px solid ${theme.vars.palette.divider}`,
    borderBottomWidth: 0,
  },
  '& li[data-place~="first"]': { borderTopLeftRadius: 20, borderTopRightRadius: 20 },
  '& li[data-place~="last"]': {
    borderBottomWidth: 1,
    borderBottomLeftRadius: 20,
    borderBottomRightRadius: 20,
  },
}));

/** `data-place` of a row: where its card begins and ends. */
export const placeOf = ({ isFirstOfDay, isLastOfDay }: DayRow): string =>
  `${isFirstOfDay ? 'first' : ''} ${isLastOfDay ? 'last' : ''}`;

type Room = Extract<RowPart, { kind: 'room' }>;
/** The drawn rows of a day, with room between them where some are not drawn. */
interface Card<R extends DayRow> {
  readonly kind: 'card';
  readonly day: string;
  readonly rows: ({ readonly kind: 'drawn'; readonly row: R } | Room)[];
}
interface Between<H extends Heading> {
  readonly kind: 'between';
  readonly heading: H;
}

const isRow = <R extends DayRow, H extends Heading>(line: R | H): line is R => line.kind === 'row';

/**
 * Parts that stand below each other. A day's rows are one list however far apart: the focused one stays where
 * it is.
 */
function cardsOf<R extends DayRow, H extends Heading>(lines: readonly (R | H)[], parts: readonly RowPart[]) {
  const groups: (Card<R> | Between<H> | Room)[] = [];
  for (const part of parts) {
    if (part.kind === 'room') {
      groups.push(part);
      continue;
    }
    const line = lines[part.index]!;
    if (!isRow(line)) {
      groups.push({ kind: 'between', heading: line });
      continue;
    }
    const last = groups.at(-1);
    const room = last?.kind === 'room' ? last : undefined;
    const card = groups.at(room ? -2 : -1);
    if (card?.kind !== 'card' || card.day !== line.day) {
      groups.push({ kind: 'card', day: line.day, rows: [{ kind: 'drawn', row: line }] });
      continue;
    }
    if (room) {
      groups.pop();
      card.rows.push(room);
    }
    card.rows.push({ kind: 'drawn', row: line });
  }
  return groups;
}

interface DayRowsProps<R extends DayRow, H extends Heading> {
  readonly lines: readonly (R | H)[];
  /** About how high each kind of line is, in pixels, before it was drawn. */
  readonly estimates: Readonly<Record<R['kind'] | H['kind'], number>>;
  /** The name of a day's list. */
  readonly titleOf: (day: string) => string | undefined;
  readonly heading: (heading: H, lineRef: LineRef) => ReactNode;
  readonly row: (row: R, lineRef: LineRef) => ReactNode;
}

/** Below the styled ground: that one is not styled anew with each row that is drawn. */
function Lines<R extends DayRow, H extends Heading>({
  lines,
  estimates,
  titleOf,
  heading,
  row,
}: DayRowsProps<R, H>) {
  const keys = useMemo(() => lines.map(({ key }) => key), [lines]);
  const estimateOf = useCallback(
    (index: number) => estimates[(lines[index]?.kind ?? 'row') as R['kind'] | H['kind']],
    [lines, estimates],
  );
  const { parts, listRef, rowRef } = useVirtualRows(keys, estimateOf);
  return (
    <div ref={listRef}>
      {cardsOf<R, H>(lines, parts).map((group) => {
        switch (group.kind) {
          case 'room':
            return (
              <div
                key={`room-${group.before}`}
                className="room"
                style={{ height: group.heightPx }}
                aria-hidden="true"
              />
            );
          case 'between':
            return (
              <Fragment key={`heading-${group.heading.key}`}>
                {heading(group.heading, rowRef(group.heading.key))}
              </Fragment>
            );
          case 'card':
            return (
              <ul key={group.day} aria-label={titleOf(group.day)}>
                {group.rows.map((part) =>
                  part.kind === 'room' ? (
                    <li
                      key={`room-${part.before}`}
                      className="room"
                      style={{ height: part.heightPx }}
                      aria-hidden="true"
                    />
                  ) : (
                    <Fragment key={part.row.key}>{row(part.row, rowRef(part.row.key))}</Fragment>
                  ),
                )}
              </ul>
            );
        }
      })}
    </div>
  );
}

export function DayRows<R extends DayRow, H extends Heading>(props: DayRowsProps<R, H>) {
  return (
    <Ground>
      <Lines<R, H> {...props} />
    </Ground>
  );
}
