/**
 * The one RTK Query API: every call to the server goes through it. Each feature injects its own calls:
 *
 *     export const { useTransactionsQuery } = api.injectEndpoints({
 *       endpoints: (build) => ({
 *         transactions: build.query<Transaction[] | null, void>({
 *           query: () => '/api/transactions',
 *           providesTags: ['Transactions'],
 *         }),
 *       }),
 *     });
 *
 * What was read stays good until a command says otherwise by its tags: nothing is polled, retried or read
 * again on focus.
 */
import { createApi } from '@reduxjs/toolkit/query/react';
import { provenCall } from './proven-call.js';

/**
 * What a command may change. One that moves money invalidates `User` (the balance) as well as its own list.
 */
export const TAGS = [
  'User',
  'Transactions',
  'Settings',
  'TipPage',
  'Subscriptions',
  'ScheduledPayments',
  'BankAccounts',
  'Payouts',
  'Wallets',
  'WalletTransactions',
  'SavedCard',
  'Passkeys',
  'Messages',
  'Sessions',
] as const;

const A_DAY_S = 24 * 3600;

export const api = createApi({
  reducerPath: 'api',
  baseQuery: provenCall,
  tagTypes: TAGS,
  keepUnusedDataFor: A_DAY_S,
  refetchOnMountOrArgChange: false,
  refetchOnFocus: false,
  refetchOnReconnect: false,
  endpoints: () => ({}),
});
