/**
 * The history on a phone: each month with its totals, each day as a card of rows. Only rows near the window
 * are drawn.
 */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { memo, useMemo } from 'react';
import type { Transaction } from '#contracts/api/payments';
import { usePrivacy } from '../account/privacy.js';
import { Sums } from '../transactions/Sums.js';
import { TransactionRow } from '../transactions/TransactionRow.js';
import { sumsOf, useTransactionTotalsQuery, type TransactionFilter } from '../transactions/transactions.js';
import { DayRows, placeOf, type LineRef } from '../../shared/ui/DayRows.js';
import { spanOfMonth } from '../../shared/wording/months.js';
import type { DayLine, HistoryLine, MonthLine, RowLine } from './lines.js';
import { useMarks } from './matches.js';

const Headings = styled('div')(({ theme }) => ({
  '& .month': { padding: '24px 0 0' },
  '& .month:first-of-type': { paddingTop: 0 },
  '& .month > div': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: '0 12px',
  },
  '& h3': {
    margin: 0,
    padding: '14px 0 8px',
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 620,
    color: theme.vars.palette.text.secondary,
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
  readonly lineRef: LineRef;
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
        {sums && <Sums received={sums.received} sent={sums.sent} />}
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
  readonly lineRef: LineRef;
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

const ESTIMATES = { month: 50, day: 40, row: 68 };

interface HistoryListProps {
  readonly lines: readonly HistoryLine[];
  readonly filter: TransactionFilter;
  readonly hasMore: boolean;
  /** How many rows there are; -1 while more follow. */
  readonly count: number;
  readonly arrived: readonly Transaction[];
  readonly nowMs: number;
}

export const HistoryList = memo(function HistoryList({
  lines,
  filter,
  hasMore,
  count,
  arrived,
  nowMs,
}: HistoryListProps) {
  const { isHidden } = usePrivacy();
  const titles = useMemo(
    () => new Map(lines.flatMap((line) => (line.kind === 'day' ? [[line.day, line.title]] : []))),
    [lines],
  );
  return (
    <Headings>
      <DayRows<RowLine, MonthLine | DayLine>
        lines={lines}
        estimates={ESTIMATES}
        titleOf={(day) => titles.get(day)}
        heading={(line, lineRef) =>
          line.kind === 'month' ? (
            <MonthHead line={line} filter={filter} isCut={hasMore && line.isLast} lineRef={lineRef} />
          ) : (
            <h3 ref={lineRef}>{line.title}</h3>
          )
        }
        row={(line, lineRef) => (
          <OneRow
            row={line.row}
            position={line.position}
            place={placeOf(line)}
            nowMs={nowMs}
            isHidden={isHidden}
            count={count}
            hasArrived={arrived.some(({ id }) => id === line.key)}
            lineRef={lineRef}
          />
        )}
      />
    </Headings>
  );
});
