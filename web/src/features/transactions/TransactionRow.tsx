/** One transaction; it opens the receipt. */
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Heart } from 'lucide-react';
import { Link, useLocation, type LinkProps } from 'react-router-dom';
import type { Transaction } from '#contracts/api/payments';
import { THANKS_WORDS } from '#contracts/plain/thanks';
import { rowAmount } from '../account/Privacy.js';
import { PATHS, receiptPath } from '../../shared/navigation/paths.js';
import { MoneyRow } from '../../shared/ui/Rows.js';
import { StatusChip } from '../../shared/ui/StatusChip.js';
import { dateTimeOf, timeLabel } from '../../shared/wording/time.js';
import { countedMinor, isReceived, titleOf } from './transactions.js';

/** A link whose surface is the whole row. */
export function RowLink(props: LinkProps) {
  return <Link className="surface" {...props} />;
}

/** State of a receipt opened from another page: closing it leads back there. */
interface ReceiptOrigin {
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
export function TransactionAmount({
  transaction,
  isHidden,
}: {
  readonly transaction: Transaction;
  readonly isHidden: boolean;
}) {
  const direction = isReceived(transaction) ? 'in' : 'out';
  const tone = countedMinor(transaction) === 0 ? 'void' : direction;
  return rowAmount({ decimal: transaction.amount, direction, tone, isHidden });
}

/** Only exceptions have a status; success is expected. */
export const isException = ({ status }: Transaction): boolean => status !== 'completed';

/** What came back for a payment: its words to whoever paid, that it was said to whoever was paid. */
export function ThanksOf({ transaction }: { readonly transaction: Transaction }) {
  const { thanks } = transaction;
  if (thanks === null) return null;
  return (
    <span className="thanks">
      <Heart size={14} strokeWidth={2} aria-hidden="true" />
      {isReceived(transaction) ? 'Thanked' : THANKS_WORDS[thanks]}
    </span>
  );
}

/** The payer's note, in quotes, in a row. */
export function PayersNote({ children }: { readonly children: ReactNode }) {
  return (
    <span className="note">
      <bdi>“{children}”</bdi>
    </span>
  );
}

interface TransactionRowProps {
  readonly transaction: Transaction;
  readonly nowMs: number;
  /** Whether amounts are hidden: the list asks once for all of its rows. */
  readonly isHidden: boolean;
  readonly hasArrived?: boolean;
  /** How a text of the row is drawn where a search looks for parts of it. */
  readonly mark?: (text: string) => ReactNode;
  /** What stands below all else: why a search found the row. */
  readonly why?: ReactNode;
  readonly amount?: ReactNode;
  readonly item?: ComponentPropsWithRef<'li'> & { readonly 'data-place'?: string };
}

const asItIs = (text: string): ReactNode => text;

export function TransactionRow({
  transaction,
  nowMs,
  isHidden,
  hasArrived,
  mark = asItIs,
  why,
  amount = <TransactionAmount transaction={transaction} isHidden={isHidden} />,
  item,
}: TransactionRowProps) {
  const { id, createdAt, status, description } = transaction;
  const receiptLink = useReceiptLink();
  const name = (
    <Link className="surface" {...receiptLink(id)}>
      <bdi>{mark(titleOf(transaction))}</bdi>
    </Link>
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
          <span className="name-and-time">
            {name}
            {time}
          </span>
        ) : (
          name
        )
      }
      detail={
        <>
          {description ? <PayersNote>{mark(description)}</PayersNote> : time}
          {why}
          {transaction.thanks !== null && <ThanksOf transaction={transaction} />}
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
