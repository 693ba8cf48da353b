/** Warns whoever made the same payment a moment ago: by a second press, in another tab, or on purpose. */
import type { Transaction } from '#contracts/api/payments';
import { nameOf, useRecentTransactionsQuery } from '../transactions/transactions.js';
import { Banner } from '../../shared/ui/Layout.js';
import { money } from '../../shared/wording/money.js';
import { useNow } from '../../shared/ui/use-now.js';
import type { RequestedPayment } from './payment-query.js';

const A_MOMENT_MS = 10 * 60_000;

/** The newest payment of the same amount to the same person in the last ten minutes. */
function samePayment(
  rows: readonly Transaction[],
  { recipientId, amount }: Pick<RequestedPayment, 'recipientId' | 'amount'>,
  nowMs: number,
): Transaction | undefined {
  return rows.find(
    (row) =>
      row.type === 'payment_sent' &&
      row.status !== 'failed' &&
      row.counterpartyId === recipientId &&
      row.amount === amount &&
      nowMs - Date.parse(row.createdAt) < A_MOMENT_MS,
  );
}

export function PaidAMomentAgo({ requested }: { readonly requested: RequestedPayment }) {
  const nowMs = useNow();
  const { data } = useRecentTransactionsQuery();
  const before = samePayment(data ?? [], requested, nowMs);
  if (before === undefined) return null;
  const minutes = Math.floor((nowMs - Date.parse(before.createdAt)) / 60_000);
  const when =
    minutes < 1 ? 'less than a minute ago' : minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`;
  return (
    <Banner tone="warning">
      {`You paid ${nameOf(before) ?? 'them'} ${money(before.amount)} ${when}. This would be a second payment.`}
    </Banner>
  );
}
