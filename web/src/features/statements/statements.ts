/**
 * Calls: one's own months, and every entry of an account. They answer from the same entries, and change
 * together.
 */
import type { AccountEntry, Statement, StatementList } from '#contracts/api/statements';
import { api, type TAGS } from '../../shared/api/api.js';
import {
  asRead,
  EARLIER_ROWS,
  PAGE_ROWS,
  withEarlier,
  withNewest,
  type GrowingList,
} from '../../shared/api/growing-list.js';
import { REFUSED } from '../../shared/api/refused.js';
import { urlOf } from '../../shared/ui/save-file.js';

type AccountEntries = GrowingList<AccountEntry>;

const pathOf = (account: string, limit: number, cursor?: string): string =>
  `/api/account-entries?${new URLSearchParams({
    account,
    limit: String(limit),
    ...(cursor === undefined ? {} : { cursor }),
  })}`;

/** Whatever moves money changes an account's entries. */
const MONEY: (typeof TAGS)[number][] = ['Transactions', 'Payouts', 'Wallets', 'WalletTransactions'];

const statements = api.injectEndpoints({
  endpoints: (build) => ({
    statements: build.query<StatementList | null, void>({
      query: () => '/api/statements',
      providesTags: MONEY,
    }),
    statement: build.query<Statement | null, string>({
      query: (month) => `/api/statements/${encodeURIComponent(month)}`,
      providesTags: MONEY,
    }),
    /** Entries of an account, newest first: `available`, `payouts`, or a wallet's id. They never change. */
    accountEntries: build.query<AccountEntries, string>({
      queryFn: async (account, { getState }, _extra, call) => {
        const asked = knownEntries(getState(), account);
        const { data, error, meta } = await call(pathOf(account, PAGE_ROWS));
        if (error) return { error, meta };
        if (!Array.isArray(data)) return { error: REFUSED, meta };
        const newest = { rows: data as AccountEntry[], next: meta?.nextCursor };
        return { data: withNewest(knownEntries(getState(), account), newest, asked), meta };
      },
      structuralSharing: false,
      providesTags: MONEY,
    }),
    /** The entries after those that were read; they are added to them. */
    earlierEntries: build.query<AccountEntries, { readonly account: string; readonly cursor: string }>({
      query: ({ account, cursor }) => pathOf(account, EARLIER_ROWS, cursor),
      transformResponse: (rows: AccountEntry[] | null, meta) => ({
        rows: rows ?? [],
        next: meta?.nextCursor,
      }),
      structuralSharing: false,
      keepUnusedDataFor: 0,
      onQueryStarted: async ({ account, cursor }, { dispatch, queryFulfilled }) => {
        const read = await queryFulfilled.catch(() => undefined);
        if (read) dispatch(addEarlier(account, cursor, read.data));
      },
    }),
    downloadStatement: build.mutation<string | null, string>({
      query: (month) => ({ path: `/api/statements/${encodeURIComponent(month)}/pdf`, answer: 'file' }),
      transformResponse: urlOf,
    }),
  }),
});

const knownEntries = (state: unknown, account: string): AccountEntries | undefined =>
  statements.endpoints.accountEntries.select(account)(state as never).data;
const addEarlier = (account: string, cursor: string, page: AccountEntries) =>
  statements.util.updateQueryData('accountEntries', account, (known) =>
    withEarlier(asRead(known), cursor, page),
  );

export const {
  useStatementsQuery,
  useStatementQuery,
  useAccountEntriesQuery,
  useLazyEarlierEntriesQuery,
  useDownloadStatementMutation,
} = statements;
