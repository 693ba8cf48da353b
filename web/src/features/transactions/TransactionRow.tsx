/** One transaction; it opens the receipt. */
import { styled } from '@mui/material/styles';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Heart } from 'lucide-react';
import { Link, useLocation } from 'react-router-dom';
import type { Transaction } from '#contracts/api/payments';
import { THANKS_WORDS } from '#contracts/plain/thanks';
import { PrivateAmount } from '../account/Privacy.js';
import { PATHS, receiptPath } from '../../shared/navigation/paths.js';
import { MoneyRow } from '../../shared/ui/Rows.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { dateTimeOf, timeLabel } from '../../shared/wording/time.js';
import { countedMinor, isReceived, titleOf } from './transactions.js';

/** A link whose surface is the whole row. */
export const RowLink = styled(Link)(({ theme }) => ({
  color: 'inherit',
  textDecoration: 'none',
  '&::after': { content: '""', position: 'absolute', inset: 0 },
  '&:focus-visible': { outline: 'none' },
  '&:focus-visible::after': {
    outline: `3px solid ${theme.vars.palette.focus}`,
    outlineOffset: -3,
    borderRadius: 14,
  },
}));

/** State of a receipt opened from another page: closing it leads back there. */
export interface ReceiptOrigin {
  readonly opensOver: 'another-page';
}
export const cameFromAnotherPage = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'opensOver' in state && state.opensOver === 'another-page';

/** The address of a receipt over the history, which keeps its search and filters. */
export function useReceiptLink(): (id: string) => { readonly to: string; readonly state?: ReceiptOrigin } {
  const { pathname, search } = useLocation();
  return (id) => {
    if (pathname !== PATHS.history) return { to: receiptPath(id), state: { opensOver: 'another-page' } };
    const query = new URLSearchParams(search);
    query.set('receipt', id);
    return { to: `${pathname}?${query}` };
  };
}

/** The amount of a transaction: its direction, and pale if it is void. */
export function TransactionAmount({ transaction }: { readonly transaction: Transaction }) {
  const direction = isReceived(transaction) ? 'in' : 'out';
  const isVoid = countedMinor(transaction) === 0;
  return (
    <PrivateAmount decimal={transaction.amount} direction={direction} tone={isVoid ? 'void' : direction} />
  );
}

/** Only exceptions have a status; success is expected. */
export const isException = ({ status }: Transaction): boolean => status !== 'completed';

/** The name with the time after it, which goes to a line of its own where both do not fit. */
const NameAndTime = styled('span')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  columnGap: 8,
  '& > a': { minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' },
  '& > time': {
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 400,
    color: theme.vars.palette.text.secondary,
  },
}));

const NoteLine = styled('span')(({ theme }) => ({
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 2,
  overflow: 'hidden',
  fontSize: 14,
  lineHeight: '20px',
  color: theme.vars.palette.text.primary,
  overflowWrap: 'anywhere',
}));

const ThanksLine = styled('span')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  fontSize: 13,
  lineHeight: '18px',
  color: theme.vars.palette.text.secondary,
  '& svg': { flex: 'none', color: theme.vars.palette.success.main },
}));

/** What came back for a payment: its words to whoever paid, that it was said to whoever was paid. */
export function ThanksOf({ transaction }: { readonly transaction: Transaction }) {
  const { thanks } = transaction;
  if (thanks === null) return null;
  return (
    <ThanksLine>
      <Heart size={14} strokeWidth={2} aria-hidden="true" />
      {isReceived(transaction) ? 'Thanked' : THANKS_WORDS[thanks]}
    </ThanksLine>
  );
}

/** The payer's note, in quotes. */
export function PayersNote({ children }: { readonly children: ReactNode }) {
  return (
    <NoteLine>
      <bdi>“{children}”</bdi>
    </NoteLine>
  );
}

interface TransactionRowProps {
  readonly transaction: Transaction;
  readonly nowMs: number;
  readonly hasArrived?: boolean;
  /** How a text of the row is drawn where a search looks for parts of it. */
  readonly mark?: (text: string) => ReactNode;
  /** What stands below all else: why a search found the row. */
  readonly why?: ReactNode;
  readonly amount?: ReactNode;
  readonly item?: ComponentPropsWithRef<'li'>;
}

const asItIs = (text: string): ReactNode => text;

export function TransactionRow({
  transaction,
  nowMs,
  hasArrived,
  mark = asItIs,
  why,
  amount = <TransactionAmount transaction={transaction} />,
  item,
}: TransactionRowProps) {
  const { id, createdAt, status, description } = transaction;
  const receiptLink = useReceiptLink();
  const name = (
    <RowLink {...receiptLink(id)}>
      <bdi>{mark(titleOf(transaction))}</bdi>
    </RowLink>
  );
  const time = (
    <time dateTime={createdAt} title={dateTimeOf(createdAt)}>
      {timeLabel(createdAt, nowMs)}
    </time>
  );
  return (
    <MoneyRow
      direction={isReceived(transaction) ? 'in' : 'out'}
      title={
        description ? (
          <NameAndTime>
            {name}
            {time}
          </NameAndTime>
        ) : (
          name
        )
      }
      detail={
        <>
          {description ? <PayersNote>{mark(description)}</PayersNote> : time}
          {why}
          <ThanksOf transaction={transaction} />
        </>
      }
      end={
        <>
          {amount}
          {isException(transaction) && <StatusChip status={status} />}
        </>
      }
      hasArrived={hasArrived}
      item={item}
    />
  );
}
