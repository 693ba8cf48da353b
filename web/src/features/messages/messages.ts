/** Calls: what the user was told, and that they read it. */
import type { Message, MessagesSummary, ReadMessages } from '#contracts/api/messages';
import { api } from '../../shared/api/api.js';
import { everyPage } from '../../shared/api/every-page.js';

const messages = api.injectEndpoints({
  endpoints: (build) => ({
    messages: build.query<Message[] | null, void>({
      queryFn: (_none, _api, _extra, call) => everyPage(call, '/api/messages'),
      providesTags: ['Messages'],
    }),
    messagesSummary: build.query<MessagesSummary | null, void>({
      query: () => '/api/messages/summary',
      providesTags: ['Messages'],
    }),
    readMessages: build.mutation<null, ReadMessages>({
      query: (body) => ({ path: '/api/messages/read', method: 'POST', body }),
      invalidatesTags: (_answer, error) => (error === undefined ? ['Messages'] : []),
    }),
  }),
});

export const { useMessagesQuery, useMessagesSummaryQuery, useReadMessagesMutation } = messages;
