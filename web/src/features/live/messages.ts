/** Calls: what the user was told, and that they read it. */
import type { Message, MessagesSummary, ReadMessages } from '#contracts/api/messages';
import { api } from '../../shared/api/api.js';

const PAGE_ROWS = 100;

export interface MessagePage {
  /** Null where nobody is signed in. */
  readonly messages: readonly Message[] | null;
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

const messages = api.injectEndpoints({
  endpoints: (build) => ({
    messages: build.infiniteQuery<MessagePage, void, string | undefined>({
      query: ({ pageParam: cursor }) =>
        `/api/messages?${new URLSearchParams({ limit: String(PAGE_ROWS), ...(cursor === undefined ? {} : { cursor }) })}`,
      transformResponse: (messages: Message[] | null, meta) => ({
        messages,
        next: meta?.nextCursor,
      }),
      infiniteQueryOptions: { initialPageParam: undefined, getNextPageParam: ({ next }) => next },
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

export const { useMessagesInfiniteQuery, useMessagesSummaryQuery, useReadMessagesMutation } = messages;
