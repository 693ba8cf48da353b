/** Transactions: read page by page, and what counts in totals. Home and history share it. */
import type { Transaction } from '#contracts/api/payments';
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import type { Thanks } from '#contracts/plain/thanks';
import { api } from '../../shared/api/api.js';
import { everyPage } from '../../shared/api/every-page.js';

/** Filter of the list. `from` and `to` are ISO times; `to` is exclusive. */
export interface TransactionFilter {
  readonly type?: Transaction['type'];
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
}

export interface TransactionPage {
  readonly rows: readonly Transaction[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** Rows on home. One more is read, to know whether there are more. */
export const RECENT_SHOWN = 3;
const PAGE_ROWS = 50;
/** The largest page of the server. */
const MOST_ROWS = 1000;

function pathOf(filter: TransactionFilter, limit: number, cursor?: string): string {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries({ ...filter, cursor })) if (value) query.set(name, value);
  return `/api/transactions?${query}`;
}

export const transactions = api.injectEndpoints({
  endpoints: (build) => ({
    recentTransactions: build.query<Transaction[] | null, void>({
      query: () => pathOf({}, RECENT_SHOWN + 1),
      providesTags: ['Transactions'],
    }),
    history: build.infiniteQuery<TransactionPage, TransactionFilter, string | undefined>({
      query: ({ queryArg, pageParam }) => pathOf(queryArg, PAGE_ROWS, pageParam),
      transformResponse: (rows: Transaction[] | null, meta) => ({ rows: rows ?? [], next: meta?.nextCursor }),
      infiniteQueryOptions: { initialPageParam: undefined, getNextPageParam: ({ next }) => next },
      providesTags: ['Transactions'],
    }),
    /** All transactions of a period, over all pages: for totals, which must include every row. */
    allTransactions: build.query<Transaction[] | null, TransactionFilter>({
      queryFn: (filter, _api, _extra, call) => everyPage(call, pathOf(filter, MOST_ROWS)),
      // May be large, so it is not cached for a day.
      keepUnusedDataFor: 300,
      providesTags: ['Transactions'],
    }),
    sendThanks: build.mutation<null, { readonly id: string; readonly thanks: Thanks }>({
      query: ({ id, thanks }) => ({
        path: `/api/transactions/${encodeURIComponent(id)}/thanks`,
        method: 'POST',
        body: { thanks },
      }),
      invalidatesTags: ['Transactions'],
    }),
    transaction: build.query<Transaction | null, string>({
      query: (id) => `/api/transactions/${encodeURIComponent(id)}`,
      providesTags: ['Transactions'],
    }),
  }),
});

export const {
  useRecentTransactionsQuery,
  useHistoryInfiniteQuery,
  useAllTransactionsQuery,
  useSendThanksMutation,
  useTransactionQuery,
} = transactions;

export const isReceived = ({ type }: Pick<Transaction, 'type'>): boolean => type === 'payment_received';

const minorOf = (decimal: string): number => {
  const read = minorFromDecimal(decimal);
  return 'minor' in read ? read.minor : 0;
};

/** The amount that counts, in minor units: zero for failed payments and refunds. */
export function countedMinor({ status, amount, refundedAmount, disputedAmount }: Transaction): number {
  return status === 'failed'
    ? 0
    : Math.max(0, minorOf(amount) - minorOf(refundedAmount) - minorOf(disputedAmount));
}

export interface Sums {
  readonly received: string;
  readonly sent: string;
  /** Signed. */
  readonly net: string;
  readonly count: number;
}

/** Received, sent and net amounts; failed payments are left out. */
export function sumsOf(rows: readonly Transaction[]): Sums {
  let [received, sent, count] = [0, 0, 0];
  for (const row of rows) {
    if (row.status === 'failed') continue;
    count += 1;
    if (isReceived(row)) received += countedMinor(row);
    else sent += countedMinor(row);
  }
  return {
    received: decimalFromMinor(received),
    sent: decimalFromMinor(sent),
    net: decimalFromMinor(received - sent),
    count,
  };
}

/** How it was paid. */
export function methodWord({ kind, paymentMethod }: Pick<Transaction, 'kind' | 'paymentMethod'>): string {
  if (kind === 'transfer') return 'Balance';
  return paymentMethod === 'cashapp' ? 'Cash App' : 'Card';
}

/** A person by full name, else by username. */
export function nameOf({
  counterpartyName,
  counterpartyUsername,
}: Pick<Transaction, 'counterpartyName' | 'counterpartyUsername'>) {
  return counterpartyName ?? counterpartyUsername;
}

/** The other party, or the kind of transaction. */
export function titleOf(transaction: Transaction): string {
  return (
    nameOf(transaction) ?? (transaction.type === 'payment_received' ? 'Payment received' : 'Payment sent')
  );
}
