/**
 * Calls: the list of messages, and that they were read. Read again, the list asks for its newest page alone:
 * while a whole room tips it is read again every two seconds, however far somebody has scrolled.
 */
import { useCallback } from 'react';
import { useDispatch } from 'react-redux';
import type { Message, ReadMessages } from '#contracts/api/messages';
import { api } from '../../shared/api/api.js';
import type { CallDispatch } from '../../shared/api/dispatch.js';
import {
  asRead,
  MOST_ROWS,
  withEarlier,
  withNewest,
  type GrowingList,
} from '../../shared/api/growing-list.js';

export const PAGE_ROWS = 100;

type MessageRows = GrowingList<Message>;

interface EarlierPage {
  readonly cursor: string;
  readonly limit: number;
}

const pathOf = (limit: number, cursor?: string): string =>
  `/api/messages?${new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) })}`;

const list = api.injectEndpoints({
  endpoints: (build) => ({
    /** Null where nobody is signed in. */
    messages: build.query<MessageRows | null, void>({
      queryFn: async (_none, { getState }, _extra, call) => {
        const known = knownRows(getState());
        const limit = known?.isOutdated ? Math.max(PAGE_ROWS, known.rows.length) : PAGE_ROWS;
        const { data, error, meta } = await call(pathOf(Math.min(MOST_ROWS, limit)));
        if (error) return { error, meta };
        if (!Array.isArray(data)) return { data: null, meta };
        const newest = { rows: data as readonly Message[], next: meta?.nextCursor };
        return { data: withNewest(knownRows(getState()), newest, known), meta };
      },
      structuralSharing: false,
      providesTags: ['Messages'],
    }),
    /** The messages after those that were read; they are added to them. */
    earlierMessages: build.query<MessageRows, EarlierPage>({
      query: ({ limit, cursor }) => pathOf(limit, cursor),
      transformResponse: (rows: readonly Message[] | null, meta) => ({
        rows: rows ?? [],
        next: meta?.nextCursor,
      }),
      structuralSharing: false,
      keepUnusedDataFor: 0,
      onQueryStarted: async ({ cursor }, { dispatch, queryFulfilled }) => {
        const read = await queryFulfilled.catch(() => undefined);
        if (read) dispatch(changed((known) => withEarlier(known, cursor, read.data)));
      },
    }),
    readMessages: build.mutation<null, ReadMessages>({
      query: (body) => ({ path: '/api/messages/read', method: 'POST', body }),
      // Of what stands below the newest page nothing is read again.
      onQueryStarted: async (body, { dispatch, getState, queryFulfilled }) => {
        const ids = new Set('ids' in body ? body.ids : knownRows(getState())?.rows.map(({ id }) => id));
        const isRead = await queryFulfilled.then(
          () => true,
          () => false,
        );
        if (isRead)
          dispatch(
            changed((known) => ({
              ...known,
              rows: known.rows.map((row) => (ids.has(row.id) && !row.isRead ? { ...row, isRead } : row)),
            })),
          );
      },
      invalidatesTags: (_answer, error) => (error === undefined ? ['Messages'] : []),
    }),
  }),
});

const knownRows = (state: unknown): MessageRows | undefined =>
  list.endpoints.messages.select()(state as never).data ?? undefined;
const changed = (change: (known: MessageRows) => MessageRows) =>
  list.util.updateQueryData('messages', undefined, (known) => known && change(asRead(known)));

export const { useMessagesQuery, useLazyEarlierMessagesQuery, useReadMessagesMutation } = list;

/** Any message may have been read elsewhere since: the next read is of all that were read before. */
export function useOutdatedMessages(): () => void {
  const dispatch = useDispatch<CallDispatch>();
  return useCallback(() => void dispatch(changed((known) => ({ ...known, isOutdated: true }))), [dispatch]);
}
