/** Calls: bank accounts, payouts, and the link to the provider's verification. */
import type { AddBankAccount, AddedBankAccount, BankAccount, Onboarding } from '#contracts/api/bank-accounts';
import type { Payout, PayoutFunds } from '#contracts/api/payouts';
import { api } from '../../shared/api/api.js';
import { answerOf, listOf } from '../../shared/api/answers.js';
import { everyPage } from '../../shared/api/every-page.js';
import { idempotent, type KeyedRequest } from '../../shared/api/idempotency.js';

const accountRead = answerOf<AddedBankAccount>({
  usually: {
    bankName: '',
    accountNumber: '',
    accountType: 'checking',
    isPrimary: false,
    isVerified: false,
    needsOnboarding: false,
    error: null,
    onboardingUrl: null,
  },
});
/** A number has its last four digits on a screen, however much of it came. */
function accountOf(answer: unknown): AddedBankAccount {
  const read = accountRead(answer);
  const last4 = read.accountNumber.slice(-4);
  return { ...read, accountNumber: last4 && `••••${last4}` };
}

const payoutOf = answerOf<Payout>({
  amounts: ['amount'],
  usually: {
    statusReason: null,
    expectedOn: null,
    arrivesOn: null,
    completedAt: null,
    failureReason: null,
    madeUp: null,
  },
});

const bankAccounts = api.injectEndpoints({
  endpoints: (build) => ({
    bankAccounts: build.query<BankAccount[] | null, void>({
      query: () => '/api/bank-accounts',
      transformResponse: (answer: unknown) => listOf(answer, accountOf),
      providesTags: ['BankAccounts'],
    }),
    addBankAccount: build.mutation<AddedBankAccount, KeyedRequest & { readonly account: AddBankAccount }>({
      query: ({ key, account }) => ({
        path: '/api/bank-accounts',
        method: 'POST',
        headers: idempotent(key),
        body: account,
      }),
      // What was sent is what was added, but for its whole number.
      transformResponse: (answer: object | null, _meta, { account }) => accountOf({ ...account, ...answer }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['BankAccounts']),
    }),
    choosePrimary: build.mutation<null, string>({
      query: (id) => ({
        path: `/api/bank-accounts/${encodeURIComponent(id)}/primary`,
        method: 'PUT',
        body: {},
      }),
      invalidatesTags: (_answer, error) => (error === undefined ? ['BankAccounts'] : []),
    }),
    // A pending payout to the removed account may fail.
    removeBankAccount: build.mutation<null, string>({
      query: (id) => ({ path: `/api/bank-accounts/${encodeURIComponent(id)}`, method: 'DELETE' }),
      invalidatesTags: (_answer, error) => (error === undefined ? ['BankAccounts', 'Payouts', 'User'] : []),
    }),
    beginOnboarding: build.mutation<Onboarding, void>({
      query: () => ({ path: '/api/payouts/onboarding', method: 'POST', body: {} }),
      // Already verified: the list may still say otherwise.
      invalidatesTags: (answer) => (answer?.onboardingUrl === null ? ['BankAccounts', 'Payouts'] : []),
    }),
    payouts: build.query<Payout[] | null, void>({
      queryFn: (_none, _api, _extra, call) => everyPage(call, '/api/payouts', payoutOf),
      providesTags: ['Payouts'],
    }),
    // What comes in and what anybody asks for changes it; the next look at a page shows it.
    payoutFunds: build.query<PayoutFunds | null, void>({
      query: () => '/api/payouts/funds',
      transformResponse: (answer: PayoutFunds | null) => (Array.isArray(answer?.later) ? answer : null),
      providesTags: ['User', 'Payouts'],
    }),
    requestPayout: build.mutation<
      Payout,
      KeyedRequest & { readonly amount: string; readonly bankAccountId: string }
    >({
      query: ({ key, amount, bankAccountId }) => ({
        path: '/api/payouts',
        method: 'POST',
        headers: idempotent(key),
        body: { amount, bankAccountId },
      }),
      transformResponse: (answer: object | null, _meta, { amount, bankAccountId }) =>
        payoutOf({ amount, bankAccountId, ...answer }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Payouts', 'User', 'Transactions']),
    }),
  }),
});

export const {
  useBankAccountsQuery,
  useAddBankAccountMutation,
  useChoosePrimaryMutation,
  useRemoveBankAccountMutation,
  useBeginOnboardingMutation,
  usePayoutsQuery,
  usePayoutFundsQuery,
  useRequestPayoutMutation,
} = bankAccounts;
