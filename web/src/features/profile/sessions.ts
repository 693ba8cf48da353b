/** The calls about where one is signed in. */
import type { EndedSessions, Session } from '#contracts/api/sessions';
import { listOf } from '../../shared/api/answers.js';
import { api } from '../../shared/api/api.js';

const sessions = api.injectEndpoints({
  endpoints: (build) => ({
    sessions: build.query<Session[] | null, void>({
      query: () => '/api/sessions',
      transformResponse: (answer: unknown) => listOf(answer, (row) => row as Session),
      // Others sign in and out unseen: what an earlier visit to the page read says little of now.
      keepUnusedDataFor: 0,
      providesTags: ['Sessions'],
    }),
    endSession: build.mutation<null, string>({
      query: (id) => ({ path: `/api/sessions/${encodeURIComponent(id)}`, method: 'DELETE' }),
      // Also after a refusal: what is not there any more is to go from the list.
      invalidatesTags: ['Sessions'],
    }),
    endOtherSessions: build.mutation<EndedSessions, void>({
      query: () => ({ path: '/api/sessions/end-others', method: 'POST', body: {} }),
      invalidatesTags: ['Sessions'],
    }),
  }),
});

export const { useSessionsQuery, useEndSessionMutation, useEndOtherSessionsMutation } = sessions;
