/** The history on a phone: each month with its totals, each day as a card of rows. Only rows near the window are drawn. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { memo, useCallback, useMemo } from 'react';
import type { Transaction } from '#contracts/api/payments';
import { Private } from '../account/Privacy.js';
import { usePrivacy } from '../account/privacy.js';
import { TransactionRow } from '../transactions/TransactionRow.js';
import { sumsOf, useTransactionTotalsQuery, type TransactionFilter } from '../transactions/transactions.js';
import type { RowPart } from '../../shared/ui/row-layout.js';
import { rowLook } from '../../shared/ui/Rows.js';
import { useVirtualRows } from '../../shared/ui/virtual-rows.js';
import { signedMoney } from '../../shared/wording/money.js';
import { spanOfMonth } from '../../shared/wording/months.js';
import type { HistoryLine, MonthLine, RowLine } from './lines.js';
import { useMarks } from './matches.js';

const Ground = styled('div')(({ theme }) => ({
  ...rowLook(theme),
  '& .month': { padding: '24px 0 0' },
  '& .month:first-of-type': { paddingTop: 0 },
  '& .sums': {
    display: 'flex',
    gap: 8,
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 620,
    fontStretch: '106%',
    whiteSpace: 'nowrap',
    color: theme.vars.palette.text.secondary,
  },
  '& .month > div': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: '0 12px',
  },
  '& .in': { color: theme.vars.palette.success.main },
  '& h3': {
    margin: 0,
    padding: '14px 0 8px',
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 620,
    color: theme.vars.palette.text.secondary,
  },
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

/** The later of two ISO times, or the one that is given. */
const later = (a: string | undefined, b: string): string => (a !== undefined && a > b ? a : b);
const earlier = (a: string | undefined, b: string): string => (a !== undefined && a < b ? a : b);

interface MonthHeadProps {
  readonly line: MonthLine;
  readonly filter: TransactionFilter;
  /** Whether more of the month may be further down. */
  readonly isCut: boolean;
  readonly lineRef: (element: HTMLElement | null) => void;
}

const MonthHead = memo(function MonthHead({ line, filter, isCut, lineRef }: MonthHeadProps) {
  const span = spanOfMonth(line.month);
  // A total of half a month would be wrong: the server has the whole of it.
  const { currentData: totals } = useTransactionTotalsQuery(
    { ...filter, from: later(filter.from, span.from), to: earlier(filter.to, span.to) },
    { skip: !isCut },
  );
  const sums = isCut ? totals : sumsOf(line.rows);
  return (
    <div className="month" ref={lineRef}>
      <div>
        <Typography variant="h2">{line.title}</Typography>
        {sums && (
          <span className="sums">
            <Private>
              {sums.received !== '0.00' && <span className="in">{signedMoney(sums.received, true)}</span>}
              {sums.sent !== '0.00' && <span>{signedMoney(sums.sent, false)}</span>}
            </Private>
          </span>
        )}
      </div>
    </div>
  );
});

interface OneRowProps {
  readonly row: Transaction;
  readonly position: number;
  /** `first`, `last` or both, of its day. */
  readonly place: string;
  readonly nowMs: number;
  readonly isHidden: boolean;
  readonly hasArrived: boolean;
  /** How many rows there are; -1 while more follow. */
  readonly count: number;
  readonly lineRef: (element: HTMLElement | null) => void;
}

/** Not given its line, which is made anew with each page that is added. */
const OneRow = memo(function OneRow({
  row,
  position,
  place,
  nowMs,
  isHidden,
  hasArrived,
  count,
  lineRef,
}: OneRowProps) {
  const item = { ref: lineRef, 'aria-posinset': position, 'aria-setsize': count, 'data-place': place };
  return (
    <TransactionRow
      transaction={row}
      nowMs={nowMs}
      isHidden={isHidden}
      hasArrived={hasArrived}
      item={item}
      {...useMarks(row, isHidden)}
    />
  );
});

const placeOf = ({ isFirstOfDay, isLastOfDay }: RowLine): string =>
  `${isFirstOfDay ? 'first' : ''} ${isLastOfDay ? 'last' : ''}`;

const ESTIMATES = { month: 50, day: 40, row: 68 } as const;

type Room = Extract<RowPart, { kind: 'room' }>;
/** The drawn rows of a day, with room between them where some are not drawn. */
interface DayRows {
  readonly kind: 'rows';
  readonly day: string;
  readonly rows: (RowLine | Room)[];
}

/** Parts that stand below each other. A day's rows are one list however far apart: the focused one stays where it is. */
function byDay(lines: readonly HistoryLine[], parts: readonly RowPart[]) {
  const groups: (DayRows | Room | Exclude<HistoryLine, RowLine>)[] = [];
  for (const part of parts) {
    const line = part.kind === 'row' ? lines[part.index]! : part;
    if (line.kind !== 'row') {
      groups.push(line);
      continue;
    }
    const last = groups.at(-1);
    const room = last?.kind === 'room' ? last : undefined;
    const group = groups.at(room ? -2 : -1);
    if (group?.kind !== 'rows' || group.day !== line.day) {
      groups.push({ kind: 'rows', day: line.day, rows: [line] });
      continue;
    }
    if (room) group.rows.push(groups.pop() as Room);
    group.rows.push(line);
  }
  return groups;
}

interface HistoryListProps {
  readonly lines: readonly HistoryLine[];
  readonly filter: TransactionFilter;
  readonly hasMore: boolean;
  /** How many rows there are; -1 while more follow. */
  readonly count: number;
  readonly arrived: readonly Transaction[];
  readonly nowMs: number;
}

export function HistoryList({ lines, filter, hasMore, count, arrived, nowMs }: HistoryListProps) {
  const keys = useMemo(() => lines.map(({ key }) => key), [lines]);
  const estimateOf = useCallback((index: number) => ESTIMATES[lines[index]?.kind ?? 'row'], [lines]);
  const { parts, listRef, rowRef } = useVirtualRows(keys, estimateOf);
  const { isHidden } = usePrivacy();
  const titles = useMemo(
    () => new Map(lines.flatMap((line) => (line.kind === 'day' ? [[line.day, line.title]] : []))),
    [lines],
  );
  return (
    <Ground ref={listRef}>
      {byDay(lines, parts).map((group) => {
        switch (group.kind) {
          case 'room':
            return <div key={`room-${group.before}`} style={{ height: group.heightPx }} aria-hidden="true" />;
          case 'month':
            return (
              <MonthHead
                key={group.key}
                line={group}
                filter={filter}
                isCut={hasMore && group.isLast}
                lineRef={rowRef(group.key)}
              />
            );
          case 'day':
            return (
              <h3 key={`heading-${group.key}`} ref={rowRef(group.key)}>
                {group.title}
              </h3>
            );
          case 'rows':
            return (
              <ul key={group.day} aria-label={titles.get(group.day)}>
                {group.rows.map((line) =>
                  line.kind === 'room' ? (
                    <li
                      key={`room-${line.before}`}
                      className="room"
                      style={{ height: line.heightPx }}
                      aria-hidden="true"
                    />
                  ) : (
                    <OneRow
                      key={line.key}
                      row={line.row}
                      position={line.position}
                      place={placeOf(line)}
                      nowMs={nowMs}
                      isHidden={isHidden}
                      count={count}
                      hasArrived={arrived.some(({ id }) => id === line.key)}
                      lineRef={rowRef(line.key)}
                    />
                  ),
                )}
              </ul>
            );
        }
      })}
    </Ground>
  );
}
