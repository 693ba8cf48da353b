/** The calls about getting an account back whose passkeys cannot be used. */
import type { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import { api } from '../../shared/api/api.js';

const recovery = api.injectEndpoints({
  endpoints: (build) => ({
    recovery: build.query<AccountRecoveryAnswer | null, void>({
      query: () => '/api/account-recovery',
      // It goes on in other browsers, at an operator's and by the link in a mail.
      keepUnusedDataFor: 0,
      // Whether there is something to recover is a question of the passkeys.
      providesTags: ['Passkeys'],
    }),
    beginRecovery: build.mutation<AccountRecoveryAnswer, void>({
      query: () => ({ path: '/api/account-recovery', method: 'POST', body: {} }),
      // Also after a refusal: it may have been begun or ended elsewhere.
      invalidatesTags: ['Passkeys', 'Sessions'],
    }),
    completeRecovery: build.mutation<AccountRecoveryAnswer, void>({
      query: () => ({ path: '/api/account-recovery/completion', method: 'POST', body: {} }),
      invalidatesTags: ['Passkeys', 'Sessions', 'Settings'],
    }),
    refuseRecovery: build.mutation<AccountRecoveryAnswer, void>({
      query: () => ({ path: '/api/account-recovery/refusal', method: 'POST', body: {} }),
      invalidatesTags: ['Passkeys'],
    }),
  }),
});

export const {
  useRecoveryQuery,
  useBeginRecoveryMutation,
  useCompleteRecoveryMutation,
  useRefuseRecoveryMutation,
} = recovery;
