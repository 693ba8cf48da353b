/**
 * The history from a tablet on: a table, with a line for each month. It keeps name, amount and status, and gives up
 * its other columns where it has no room for them.
 */
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { keyframes, styled } from '@mui/material/styles';
import { ArrowDownLeft, ArrowUpRight, Check } from 'lucide-react';
import { Fragment } from 'react';
import type { Transaction } from '#contracts/api/payments';
import {
  isException,
  PayersNote,
  RowLink,
  ThanksOf,
  TransactionAmount,
  useReceiptLink,
} from '../transactions/TransactionRow.js';
import { isReceived, titleOf } from '../transactions/transactions.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { EASE, MS, STILL } from '../../shared/ui/theme.js';
import { dateTimeOf, timeLabel } from '../../shared/wording/time.js';
import type { Month } from './months.js';
import { useNow } from '../../shared/ui/use-now.js';

const arrive = keyframes({ from: { opacity: 0 } });

const Ground = styled(Paper)(({ theme }) => ({
  overflow: 'hidden',
  container: 'table / inline-size',
  '& .in-name': { display: 'none' },
  '@container table (max-width: 679.95px)': { '& .type': { display: 'none' } },
  '@container table (max-width: 559.95px)': {
    '& .date': { display: 'none' },
    '& .in-name': { display: 'inline', marginLeft: 8, fontSize: 13, lineHeight: '18px' },
  },
  '& tbody tr:last-of-type td': { borderBottom: 0 },
  '& th.month': {
    height: 40,
    padding: '0 16px',
    backgroundColor: theme.vars.palette.background.default,
    fontSize: 13,
    fontWeight: 620,
    color: theme.vars.palette.text.secondary,
  },
  '& tr.line': { position: 'relative' },
  '& tr.line:hover': { backgroundColor: theme.vars.palette.background.default },
  '& tr.line[data-arrived="true"]': {
    animation: `${arrive} ${MS.panel}ms ${EASE}`,
    [STILL]: { animationDuration: `${MS.hover}ms` },
  },
  '& .quiet': { color: theme.vars.palette.text.secondary, whiteSpace: 'nowrap' },
  '& td.date': { width: 168 },
  '& td.with': { paddingTop: 9, paddingBottom: 9 },
  '& .with': { fontWeight: 600, overflowWrap: 'break-word' },
  '& .with > span': { fontWeight: 400 },
  '& .way, & .fine': { display: 'inline-flex', alignItems: 'center', gap: 8, verticalAlign: 'middle' },
  '& .fine': { gap: 6, fontSize: 14 },
  '& .fine svg': { color: theme.vars.palette.success.main },
}));

function Line({
  transaction,
  nowMs,
  hasArrived,
}: {
  transaction: Transaction;
  nowMs: number;
  hasArrived: boolean;
}) {
  const { id, createdAt, status, description } = transaction;
  const receiptLink = useReceiptLink();
  const Way = isReceived(transaction) ? ArrowDownLeft : ArrowUpRight;
  return (
    <TableRow className="line" data-arrived={hasArrived}>
      <TableCell className="date quiet">
        <time dateTime={createdAt} title={dateTimeOf(createdAt)}>
          {timeLabel(createdAt, nowMs)}
        </time>
      </TableCell>
      <TableCell className="with">
        <RowLink {...receiptLink(id)}>
          <bdi>{titleOf(transaction)}</bdi>
        </RowLink>
        <span className="in-name quiet">{timeLabel(createdAt, nowMs)}</span>
        {description && <PayersNote>{description}</PayersNote>}
        <ThanksOf transaction={transaction} />
      </TableCell>
      <TableCell className="type quiet">
        <span className="way">
          <Way size={17} strokeWidth={1.75} aria-hidden="true" />
          {isReceived(transaction) ? 'Received' : 'Sent'}
        </span>
      </TableCell>
      <TableCell className="quiet">
        {isException(transaction) ? (
          <StatusChip status={status} />
        ) : (
          <span className="fine">
            <Check size={16} strokeWidth={2} aria-hidden="true" />
            Completed
          </span>
        )}
      </TableCell>
      <TableCell align="right">
        <TransactionAmount transaction={transaction} />
      </TableCell>
    </TableRow>
  );
}

interface HistoryTableProps {
  readonly months: readonly Month[];
  readonly arrived: readonly Transaction[];
}

export function HistoryTable({ months, arrived }: HistoryTableProps) {
  const nowMs = useNow();
  return (
    <Ground variant="card">
      <Table aria-label="Transactions">
        <TableHead>
          <TableRow>
            <TableCell className="date">Date</TableCell>
            <TableCell>With</TableCell>
            <TableCell className="type">Type</TableCell>
            <TableCell>Status</TableCell>
            <TableCell align="right">Amount</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {months.map(({ key, title, rows }) => (
            <Fragment key={key}>
              <TableRow>
                <TableCell component="th" scope="colgroup" colSpan={5} className="month">
                  {title}
                </TableCell>
              </TableRow>
              {rows.map((row) => (
                <Line
                  key={row.id}
                  transaction={row}
                  nowMs={nowMs}
                  hasArrived={arrived.some(({ id }) => id === row.id)}
                />
              ))}
            </Fragment>
          ))}
        </TableBody>
      </Table>
    </Ground>
  );
}
