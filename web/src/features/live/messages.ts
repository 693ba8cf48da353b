/** Call: how many messages are unread, and what came while nobody looked. */
import type { MessagesSummary } from '#contracts/api/messages';
import { api } from '../../shared/api/api.js';

const messages = api.injectEndpoints({
  endpoints: (build) => ({
    messagesSummary: build.query<MessagesSummary | null, void>({
      query: () => '/api/messages/summary',
      providesTags: ['Messages'],
    }),
  }),
});

export const { useMessagesSummaryQuery } = messages;
