/** Calls: wallets, and moving money between them and the balance. */
import type { TreasuryMovement, TreasuryTransaction, TreasuryWallet } from '#contracts/api/treasury';
import { api } from '../../shared/api/api.js';
import { answerOf, listOf } from '../../shared/api/answers.js';
import { everyPage } from '../../shared/api/every-page.js';
import { idempotent, type KeyedRequest } from '../../shared/api/idempotency.js';

/** Direction of the money; also the last part of the path. */
export type Move = 'transfer' | 'withdraw';

interface FundsMove extends KeyedRequest {
  readonly move: Move;
  readonly walletId: string;
  readonly amount: string;
  readonly description: string;
}

const walletOf = answerOf<TreasuryWallet>({
  amounts: ['balance'],
  usually: { description: null, currency: 'USD', status: 'active' },
});
const treasuryTransactionOf = answerOf<TreasuryTransaction>({
  amounts: ['amount'],
  usually: { description: null, walletId: '', walletName: '' },
});

const treasury = api.injectEndpoints({
  endpoints: (build) => ({
    wallets: build.query<TreasuryWallet[] | null, void>({
      query: () => '/api/treasury/wallets',
      transformResponse: (answer: unknown) => listOf(answer, walletOf),
      providesTags: ['Wallets'],
    }),
    createWallet: build.mutation<
      TreasuryWallet,
      KeyedRequest & { readonly displayName: string; readonly description: string }
    >({
      query: ({ key, ...wallet }) => ({
        path: '/api/treasury/wallets',
        method: 'POST',
        headers: idempotent(key),
        body: wallet,
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Wallets']),
    }),
    renameWallet: build.mutation<
      TreasuryWallet,
      KeyedRequest & { readonly id: string; readonly displayName: string; readonly description: string }
    >({
      query: ({ key, id, ...texts }) => ({
        path: `/api/treasury/wallets/${id}`,
        method: 'PATCH',
        headers: idempotent(key),
        body: texts,
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Wallets', 'WalletTransactions']),
    }),
    closeWallet: build.mutation<null, KeyedRequest & { readonly id: string }>({
      query: ({ key, id }) => ({
        path: `/api/treasury/wallets/${id}`,
        method: 'DELETE',
        headers: idempotent(key),
      }),
      invalidatesTags: (_answer, error) =>
        error ? [] : ['Wallets', 'WalletTransactions', 'User', 'Transactions'],
    }),
    walletTransactions: build.query<TreasuryTransaction[] | null, void>({
      queryFn: (_none, _api, _extra, call) =>
        everyPage(call, '/api/treasury/transactions', treasuryTransactionOf),
      providesTags: ['WalletTransactions'],
    }),
    moveFunds: build.mutation<TreasuryMovement, FundsMove>({
      query: ({ key, move, ...moved }) => ({
        path: `/api/treasury/${move}`,
        method: 'POST',
        headers: idempotent(key),
        body: moved,
      }),
      invalidatesTags: (answer) =>
        answer === undefined ? [] : ['Wallets', 'WalletTransactions', 'User', 'Transactions'],
    }),
  }),
});

export const {
  useWalletsQuery,
  useCreateWalletMutation,
  useRenameWalletMutation,
  useCloseWalletMutation,
  useWalletTransactionsQuery,
  useMoveFundsMutation,
} = treasury;
