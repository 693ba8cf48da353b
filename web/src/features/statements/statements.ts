/** Calls: one's own months, and every entry of an account. They answer from the same entries, and change together. */
import type { AccountEntry, Statement, StatementList } from '#contracts/api/statements';
import { api, type TAGS } from '../../shared/api/api.js';

export interface EntryPage {
  readonly entries: readonly AccountEntry[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

const PAGE_ROWS = 50;

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
    /** Entries of an account, newest first: `available`, `payouts`, or a wallet's id. */
    accountEntries: build.infiniteQuery<EntryPage, string, string | undefined>({
      query: ({ queryArg: account, pageParam: cursor }) =>
        `/api/account-entries?${new URLSearchParams({
          account,
          limit: String(PAGE_ROWS),
          ...(cursor === undefined ? {} : { cursor }),
        })}`,
      transformResponse: (entries: AccountEntry[] | null, meta) => ({
        entries: entries ?? [],
        next: meta?.nextCursor,
      }),
      infiniteQueryOptions: { initialPageParam: undefined, getNextPageParam: ({ next }) => next },
      providesTags: MONEY,
    }),
    downloadStatement: build.mutation<string, string>({
      query: (month) => ({ path: `/api/statements/${encodeURIComponent(month)}/pdf`, answer: 'file' }),
      // The store holds the object URL of the file, which is given back a minute later.
      transformResponse: (file: Blob) => URL.createObjectURL(file),
    }),
  }),
});

export const {
  useStatementsQuery,
  useStatementQuery,
  useAccountEntriesInfiniteQuery,
  useDownloadStatementMutation,
} = statements;
