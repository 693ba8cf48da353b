/** Transactions: read page by page, and what counts in totals. Home and history share it. */
import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';
import { useCallback } from 'react';
import { useDispatch, useStore } from 'react-redux';
import type { Transaction, TransactionTotals } from '#contracts/api/payments';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import type { Thanks } from '#contracts/plain/thanks';
import { currentUser } from '../account/current-user.js';
import { api } from '../../shared/api/api.js';
import { answerOf, listOf } from '../../shared/api/answers.js';
import type { CallDispatch } from '../../shared/api/dispatch.js';
import { REFUSED } from '../../shared/api/refused.js';
import { everyPage } from '../../shared/api/every-page.js';
import {
  asRead,
  EARLIER_ROWS,
  isSame,
  MOST_ROWS,
  PAGE_ROWS,
  rowsToRead,
  withEarlier,
  withNewest,
  type GrowingList,
} from '../../shared/api/growing-list.js';

/** Filter of the list. `from` and `to` are ISO times; `to` is exclusive. */
export interface TransactionFilter {
  readonly type?: Transaction['type'];
  readonly method?: 'card' | 'cashapp' | 'balance';
  readonly status?: 'completed' | 'failed' | 'refunded' | 'disputed';
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
}

export type TransactionRows = GrowingList<Transaction>;

/** Rows on home. One more is read, to know whether there are more. */
export const RECENT_SHOWN = 3;
/** Enough to have some people among them, also where one of them is paid each day. */
const PAID_LATELY_ROWS = 30;

function queryOf(filter: TransactionFilter, more: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...more, ...filter })) if (value) query.set(name, value);
  return String(query);
}

const LIST = '/api/transactions';
const pathOf = (filter: TransactionFilter, limit: number, cursor?: string): string =>
  `${LIST}?${queryOf(filter, { limit: String(limit), cursor })}`;

/**
 * The path of the list's newest rows. Of a user with few of them it is that of the whole list, which
 * spec.md §7 names alone: whoever stands in for the server may know no other.
 */
function newestPath(state: unknown, filter: TransactionFilter, limit: number): string {
  const user = currentUser.endpoints.currentUser.select()(state as never).data;
  const isShort = (user?.transactionCount ?? 0) <= PAGE_ROWS;
  return isShort && Object.keys(filter).length === 0 ? LIST : pathOf(filter, limit);
}

const transactionOf = answerOf<Transaction>({
  amounts: ['amount', 'refundedAmount', 'disputedAmount'],
  usually: {
    kind: 'payment',
    disputeStatus: null,
    paymentMethod: null,
    description: null,
    failureReason: null,
    counterpartyId: '',
    counterpartyUsername: null,
    counterpartyName: null,
    thanks: null,
    scheduleKind: null,
    scheduleId: null,
  },
});
/** Null for what is no transaction. */
function transactionIn(answer: unknown): Transaction | null {
  const read = transactionOf(answer);
  return typeof read.id === 'string' ? read : null;
}
const transactionsOf = (answer: unknown) => listOf(answer, transactionOf);

/** What was read, with one of its rows as it stands now. */
function withRow(known: TransactionRows, fresh: Transaction): TransactionRows {
  const was = known.rows.find(({ id }) => id === fresh.id);
  // The list's rows have what a list shows; a receipt has more.
  const row = was && { ...was, ...pick(fresh, was) };
  if (!was || !row || isSame(was, row)) return known;
  return { ...known, rows: known.rows.map((each) => (each === was ? row : each)) };
}
const pick = (from: Transaction, like: Transaction): Partial<Transaction> =>
  Object.fromEntries(Object.keys(like).map((name) => [name, from[name as keyof Transaction]]));

export const transactions = api.injectEndpoints({
  endpoints: (build) => ({
    recentTransactions: build.query<Transaction[] | null, void>({
      queryFn: async (_none, { getState }, _extra, call) => {
        const { data, error, meta } = await call(newestPath(getState(), {}, RECENT_SHOWN + 1));
        return error ? { error, meta } : { data: transactionsOf(data), meta };
      },
      providesTags: ['Transactions'],
    }),
    /** What one has paid last: its people can be paid again. */
    paidLately: build.query<Transaction[] | null, void>({
      query: () => pathOf({ type: 'payment_sent' }, PAID_LATELY_ROWS),
      transformResponse: transactionsOf,
      providesTags: ['Transactions'],
    }),
    /**
     * The list from its newest row on. Read again, it keeps what was read further down, unless that is
     * outdated.
     */
    history: build.query<TransactionRows, TransactionFilter>({
      queryFn: async (filter, { getState }, _extra, call) => {
        const asked = knownRows(getState(), filter);
        const limit = rowsToRead(asked);
        const { data, error, meta } = await call(newestPath(getState(), filter, limit));
        if (error) return { error, meta };
        const rows = transactionsOf(data);
        if (rows === null) return { error: REFUSED, meta };
        const newest = { rows, next: meta?.nextCursor };
        return { data: withNewest(knownRows(getState(), filter), newest, asked), meta };
      },
      structuralSharing: false,
      providesTags: ['Transactions'],
    }),
    /** The rows after those that were read; they are added to them. */
    earlierTransactions: build.query<
      TransactionRows,
      { readonly filter: TransactionFilter; readonly cursor: string }
    >({
      query: ({ filter, cursor }) => pathOf(filter, EARLIER_ROWS, cursor),
      transformResponse: (rows: unknown, meta) => ({
        rows: transactionsOf(rows) ?? [],
        next: meta?.nextCursor,
      }),
      structuralSharing: false,
      keepUnusedDataFor: 0,
      onQueryStarted: async ({ filter, cursor }, { dispatch, queryFulfilled }) => {
        const read = await queryFulfilled.catch(() => undefined);
        if (read) dispatch(addEarlier(filter, cursor, read.data));
      },
    }),
    /** What the lines of a filter come to, over all of them. */
    transactionTotals: build.query<TransactionTotals | null, TransactionFilter>({
      query: (filter) => `/api/transactions/totals?${queryOf(filter, {})}`,
      providesTags: ['Transactions'],
    }),
    /** All transactions of a period, over all pages: for totals, which must include every row. */
    allTransactions: build.query<Transaction[] | null, TransactionFilter>({
      queryFn: (filter, _api, _extra, call) => everyPage(call, pathOf(filter, MOST_ROWS), transactionOf),
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
      transformResponse: transactionIn,
      // A list that is read again learns of changes among its newest rows only.
      onQueryStarted: async (_id, { dispatch, getState, queryFulfilled }) => {
        const read = await queryFulfilled.catch(() => undefined);
        if (!read?.data) return;
        const fresh = read.data;
        for (const filter of transactions.util.selectCachedArgsForQuery(getState() as never, 'history'))
          dispatch(
            transactions.util.updateQueryData('history', filter, (known) => withRow(asRead(known), fresh)),
          );
      },
      providesTags: ['Transactions'],
    }),
  }),
});

const knownRows = (state: unknown, filter: TransactionFilter): TransactionRows | undefined =>
  transactions.endpoints.history.select(filter)(state as never).data;
const addEarlier = (filter: TransactionFilter, cursor: string, page: TransactionRows) =>
  transactions.util.updateQueryData('history', filter, (known) => withEarlier(asRead(known), cursor, page));

/** Asks for the newest rows of the whole list, unless they are there. */
export const historyAhead = () => transactions.util.prefetch('history', {}, {});

/** What is known of a list that another component reads. */
export const useHistoryState = transactions.endpoints.history.useQueryState;

export const {
  useRecentTransactionsQuery,
  usePaidLatelyQuery,
  useHistoryQuery,
  useLazyEarlierTransactionsQuery,
  useTransactionTotalsQuery,
  useSendThanksMutation,
  useTransactionQuery,
} = transactions;

/**
 * Reads all transactions of a period, to be taken away: nobody keeps them up to date afterwards. Nothing
 * where it fails.
 */
export function useReadAllTransactions(): (
  filter: TransactionFilter,
) => Promise<readonly Transaction[] | undefined> {
  const dispatch = useDispatch<ThunkDispatch<unknown, unknown, UnknownAction>>();
  return useCallback(
    async (filter) => {
      const reading = dispatch(
        transactions.endpoints.allTransactions.initiate(filter, { forceRefetch: true }),
      );
      // Wanted until it is there: what nobody wants is dropped by a change that comes meanwhile.
      const { data, isError } = await reading;
      reading.unsubscribe();
      return isError ? undefined : (data ?? undefined);
    },
    [dispatch],
  );
}

/**
 * For a change of lines that are not named: each list is read again as far as it was read, when it is read
 * next.
 */
export function useOutdatedLists(): () => void {
  const dispatch = useDispatch<CallDispatch>();
  const store = useStore();
  return useCallback(() => {
    for (const filter of transactions.util.selectCachedArgsForQuery(store.getState() as never, 'history'))
      dispatch(
        transactions.util.updateQueryData('history', filter, (known) => ({
          ...asRead(known),
          isOutdated: true,
        })),
      );
  }, [dispatch, store]);
}

/**
 * Reads lines again that stand in a list further down than its newest page, which is read again by itself.
 * Lines that no list shows are not asked for.
 */
export function useReadLinesAgain(): (ids: readonly string[]) => void {
  const dispatch = useDispatch<ThunkDispatch<unknown, unknown, UnknownAction>>();
  const store = useStore();
  return useCallback(
    (ids) => {
      const state = store.getState() as never;
      const below = new Set(
        transactions.util
          .selectCachedArgsForQuery(state, 'history')
          // From its middle on: what arrives at the same time pushes rows out of it.
          .flatMap((filter) => knownRows(state, filter)?.rows.slice(PAGE_ROWS / 2) ?? [])
          .map(({ id }) => id),
      );
      for (const id of ids)
        if (below.has(id))
          void dispatch(
            transactions.endpoints.transaction.initiate(id, { subscribe: false, forceRefetch: true }),
          );
    },
    [dispatch, store],
  );
}

export const isReceived = ({ type }: Pick<Transaction, 'type'>): boolean => type === 'payment_received';

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
