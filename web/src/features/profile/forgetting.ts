/** The calls of somebody who wants to be forgotten. */
import type { ForgettingAnswer } from '#contracts/api/forgetting';
import { api } from '../../shared/api/api.js';

const forgetting = api.injectEndpoints({
  endpoints: (build) => ({
    forgetting: build.query<ForgettingAnswer | null, void>({
      query: () => '/api/forgetting',
      keepUnusedDataFor: 0,
      // Money that is left stands in its way, and a recovery of the account ends it.
      providesTags: ['User', 'Passkeys'],
    }),
    requestForgetting: build.mutation<ForgettingAnswer, void>({
      query: () => ({ path: '/api/forgetting', method: 'POST', body: {} }),
      // Also after a refusal: what stands in the way is to be shown.
      invalidatesTags: ['User'],
    }),
    cancelForgetting: build.mutation<ForgettingAnswer, void>({
      query: () => ({ path: '/api/forgetting', method: 'DELETE' }),
      invalidatesTags: ['User'],
    }),
  }),
});

export const { useForgettingQuery, useRequestForgettingMutation, useCancelForgettingMutation } = forgetting;
