/**
 * The history from a tablet on: a table, with a line for each month and day. It keeps name, amount and
 * status, and gives up its other columns where it has no room for them. Only rows near the window are drawn,
 * so the columns have widths of their own.
 */
import Paper from '@mui/material/Paper';
import { keyframes, styled } from '@mui/material/styles';
import { ArrowDownLeft, ArrowUpRight, Check } from 'lucide-react';
import { memo, useCallback, useMemo } from 'react';
import type { Transaction } from '#contracts/api/payments';
import { usePrivacy } from '../account/privacy.js';
import {
  isException,
  PayersNote,
  RowLink,
  ThanksOf,
  useReceiptLink,
} from '../transactions/TransactionRow.js';
import { isReceived, titleOf } from '../transactions/transactions.js';
import { rowLook } from '../../shared/ui/Rows.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { EASE, MS, STILL } from '../../shared/ui/theme.js';
import { dateTimeOf, timeLabel } from '../../shared/wording/time.js';
import { useVirtualRows } from '../../shared/ui/virtual-rows.js';
import type { HistoryLine } from './lines.js';
import { useMarks } from './matches.js';

const arrive = keyframes({ from: { opacity: 0 } });

/** A column without room. It stays a column: the lines of months and days span all five. */
const GIVEN_UP = {
  width: 0,
  padding: 0,
  overflow: 'hidden',
  visibility: 'hidden',
  whiteSpace: 'nowrap',
} as const;

const Ground = styled(Paper)(({ theme }) => ({
  ...rowLook(theme),
  overflow: 'hidden',
  container: 'table / inline-size',
  '& .in-name': { display: 'none' },
  '& table': { width: '100%', tableLayout: 'fixed', borderCollapse: 'separate', borderSpacing: 0 },
  '& th, & td': {
    boxSizing: 'border-box',
    padding: '0 0 0 16px',
    borderBottom: `1px solid ${theme.vars.palette.divider}`,
    textAlign: 'left',
    fontSize: 15,
    lineHeight: '22px',
  },
  '& thead th': {
    height: 44,
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 600,
    color: theme.vars.palette.text.secondary,
  },
  '& td': { height: 56 },
  '& .room td': { padding: 0, borderBottom: 0 },
  '& .type': { width: 104 },
  '& .status': { width: 166 },
  '& .amount': { width: 140, padding: '0 16px 0 0', textAlign: 'right' },
  '& tbody tr:last-of-type td': { borderBottom: 0 },
  '& th.month, & th.day': {
    height: 40,
    backgroundColor: theme.vars.palette.background.default,
    fontSize: 13,
    fontWeight: 620,
    color: theme.vars.palette.text.secondary,
  },
  '& th.month': { color: theme.vars.palette.text.primary },
  '& th.day': { height: 36, backgroundColor: 'transparent' },
  '& tr.line': { position: 'relative' },
  '& tr.line:hover': { backgroundColor: theme.vars.palette.background.default },
  '& tr.line[data-arrived="true"]': {
    animation: `${arrive} ${MS.panel}ms ${EASE}`,
    [STILL]: { animationDuration: `${MS.hover}ms` },
  },
  '& .quiet': { color: theme.vars.palette.text.secondary, whiteSpace: 'nowrap' },
  '& .date': { width: 158 },
  '& td.with': { paddingTop: 9, paddingBottom: 9 },
  '& .with': { fontWeight: 600, overflowWrap: 'break-word' },
  '& .with > span': { fontWeight: 400 },
  '& .way, & .fine': { display: 'inline-flex', alignItems: 'center', gap: 8, verticalAlign: 'middle' },
  '& .fine': { gap: 6, fontSize: 14 },
  '& .fine svg': { color: theme.vars.palette.success.main },
  '@container table (max-width: 739.95px)': { '& .type': GIVEN_UP },
  '@container table (max-width: 639.95px)': {
    '& .date': GIVEN_UP,
    '& .in-name': { display: 'inline', fontSize: 13, lineHeight: '18px', fontWeight: 400 },
  },
}));

interface LineProps {
  readonly transaction: Transaction;
  readonly rowIndex: number;
  readonly nowMs: number;
  readonly isHidden: boolean;
  readonly hasArrived: boolean;
  readonly lineRef: (element: HTMLElement | null) => void;
}

/** Not given its line, which is made anew with each page that is added. */
const Line = memo(function Line({ transaction, rowIndex, nowMs, isHidden, hasArrived, lineRef }: LineProps) {
  const { id, createdAt, status, description } = transaction;
  const receiptLink = useReceiptLink();
  const { mark, why, amount } = useMarks(transaction, isHidden);
  const Way = isReceived(transaction) ? ArrowDownLeft : ArrowUpRight;
  return (
    <tr className="line" data-arrived={hasArrived} ref={lineRef} aria-rowindex={rowIndex}>
      <td className="date quiet">
        <time dateTime={createdAt} title={dateTimeOf(createdAt)}>
          {timeLabel(createdAt, nowMs)}
        </time>
      </td>
      <td className="with">
        <div className="name-and-time">
          <RowLink {...receiptLink(id)}>
            <bdi>{mark(titleOf(transaction))}</bdi>
          </RowLink>
          <span className="in-name quiet">{timeLabel(createdAt, nowMs)}</span>
        </div>
        {description && <PayersNote>{mark(description)}</PayersNote>}
        {why}
        <ThanksOf transaction={transaction} />
      </td>
      <td className="type quiet">
        <span className="way">
          <Way size={17} strokeWidth={1.75} aria-hidden="true" />
          {isReceived(transaction) ? 'Received' : 'Sent'}
        </span>
      </td>
      <td className="status quiet">
        {isException(transaction) ? (
          <StatusChip status={status} />
        ) : (
          <span className="fine">
            <Check size={16} strokeWidth={2} aria-hidden="true" />
            Completed
          </span>
        )}
      </td>
      <td className="amount">{amount}</td>
    </tr>
  );
});

const ESTIMATES = { month: 41, day: 37, row: 56 } as const;

interface HistoryTableProps {
  readonly lines: readonly HistoryLine[];
  readonly hasMore: boolean;
  readonly arrived: readonly Transaction[];
  readonly nowMs: number;
}

/** Within the styled ground: that one is not styled anew with each row that is drawn. */
function Table({ lines, hasMore, arrived, nowMs }: HistoryTableProps) {
  const keys = useMemo(() => lines.map(({ key }) => key), [lines]);
  const estimateOf = useCallback((index: number) => ESTIMATES[lines[index]?.kind ?? 'row'], [lines]);
  const { parts, listRef, rowRef } = useVirtualRows(keys, estimateOf);
  const { isHidden } = usePrivacy();
  // The head is the first row.
  const rowIndexOf = (index: number): number => index + 2;
  return (
    <table aria-label="Transactions" aria-rowcount={hasMore ? -1 : lines.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" className="date">
            Date
          </th>
          <th scope="col">With</th>
          <th scope="col" className="type">
            Type
          </th>
          <th scope="col" className="status">
            Status
          </th>
          <th scope="col" className="amount">
            Amount
          </th>
        </tr>
      </thead>
      <tbody ref={listRef}>
        {parts.map((part) => {
          if (part.kind === 'room')
            return (
              <tr key={`room-${part.before}`} className="room" aria-hidden="true">
                <td colSpan={5} style={{ height: part.heightPx }} />
              </tr>
            );
          const line = lines[part.index]!;
          return line.kind === 'row' ? (
            <Line
              key={line.key}
              transaction={line.row}
              rowIndex={rowIndexOf(part.index)}
              nowMs={nowMs}
              isHidden={isHidden}
              hasArrived={arrived.some(({ id }) => id === line.key)}
              lineRef={rowRef(line.key)}
            />
          ) : (
            <tr key={line.key} ref={rowRef(line.key)} aria-rowindex={rowIndexOf(part.index)}>
              <th scope="colgroup" colSpan={5} className={line.kind}>
                {line.title}
              </th>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export const HistoryTable = memo(function HistoryTable(props: HistoryTableProps) {
  return (
    <Ground variant="card">
      <Table {...props} />
    </Ground>
  );
});
