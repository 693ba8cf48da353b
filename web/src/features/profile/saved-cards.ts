/** The calls about saved cards, and those that add and remove passkeys. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { Passkey } from '#contracts/api/passkeys';
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import { listOf } from '../../shared/api/answers.js';
import { api } from '../../shared/api/api.js';

const saved = api.injectEndpoints({
  endpoints: (build) => ({
    savedCards: build.query<SavedCardAnswer[] | null, void>({
      query: () => '/api/payment-methods',
      transformResponse: (answer: unknown) => listOf(answer, (row) => row as SavedCardAnswer),
      providesTags: ['SavedCard'],
    }),
    chooseCard: build.mutation<SavedCardAnswer[], string>({
      query: (id) => ({
        path: `/api/payment-methods/${encodeURIComponent(id)}/default`,
        method: 'PUT',
        body: {},
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['SavedCard']),
    }),
    removeCard: build.mutation<null, string>({
      query: (id) => ({ path: `/api/payment-methods/${encodeURIComponent(id)}`, method: 'DELETE' }),
      invalidatesTags: (_answer, error) => (error === undefined ? ['SavedCard'] : []),
    }),
    beginEnrolment: build.mutation<PublicKeyCredentialCreationOptionsJSON, void>({
      query: () => ({ path: '/api/passkeys/enrolment/options', method: 'POST', body: {} }),
    }),
    finishEnrolment: build.mutation<
      Passkey,
      { readonly label: string; readonly response: RegistrationResponseJSON }
    >({
      query: (body) => ({ path: '/api/passkeys/enrolment/verify', method: 'POST', body }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Passkeys']),
    }),
    removePasskey: build.mutation<Passkey[], string>({
      query: (id) => ({ path: `/api/passkeys/${encodeURIComponent(id)}`, method: 'DELETE' }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Passkeys']),
    }),
  }),
});

export const {
  useSavedCardsQuery,
  useChooseCardMutation,
  useRemoveCardMutation,
  useBeginEnrolmentMutation,
  useFinishEnrolmentMutation,
  useRemovePasskeyMutation,
} = saved;
