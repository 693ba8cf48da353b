/**
 * What came and went: the list as it is read page by page, and what of it counts. Home and history share it.
 */
import type { Transaction } from '#contracts/api/payments';
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { api } from '../../shared/api/api.js';
import { everyPage } from '../../shared/api/every-page.js';

/** What of the list is asked for; moments are ISO times, `to` is the first moment that is left out. */
export interface TransactionFilter {
  readonly type?: Transaction['type'];
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
}

export interface TransactionPage {
  readonly rows: readonly Transaction[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: string | undefined;
}

/** On home. One more is asked for, to know whether there are more. */
export const RECENT_SHOWN = 3;
const PAGE_ROWS = 50;
/** The most that the server gives at once. */
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
    /** Everything of a time, however many pages that is: for sums, which must not leave out a row. */
    allTransactions: build.query<Transaction[] | null, TransactionFilter>({
      queryFn: (filter, _api, _extra, call) => everyPage(call, pathOf(filter, MOST_ROWS)),
      // As many rows as they are, they are not kept for a day.
      keepUnusedDataFor: 300,
      providesTags: ['Transactions'],
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
  useTransactionQuery,
} = transactions;

export const isReceived = ({ type }: Pick<Transaction, 'type'>): boolean => type === 'payment_received';

const minorOf = (decimal: string): number => {
  const read = minorFromDecimal(decimal);
  return 'minor' in read ? read.minor : 0;
};

/** What is left of it in minor units: nothing of what failed, and not what was given or taken back. */
export function countedMinor({ status, amount, refundedAmount, disputedAmount }: Transaction): number {
  return status === 'failed'
    ? 0
    : Math.max(0, minorOf(amount) - minorOf(refundedAmount) - minorOf(disputedAmount));
}

export interface Sums {
  readonly received: string;
  readonly sent: string;
  /** With its sign. */
  readonly net: string;
  readonly count: number;
}

/** What came in, what went out, and what that makes; failed ones are in none of it. */
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

/** How a person is called who is known by a name, or else by what they chose to be called. */
export function nameOf({
  counterpartyName,
  counterpartyUsername,
}: Pick<Transaction, 'counterpartyName' | 'counterpartyUsername'>) {
  return counterpartyName ?? counterpartyUsername;
}

/** Who is at the other end, or else what it was. */
export function titleOf(transaction: Transaction): string {
  return (
    nameOf(transaction) ?? (transaction.type === 'payment_received' ? 'Payment received' : 'Payment sent')
  );
}
