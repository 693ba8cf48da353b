/** Who is signed in. Null means nobody. */
import { createSlice } from '@reduxjs/toolkit';
import { useCallback } from 'react';
import { useSelector } from 'react-redux';
import type { CurrentUser } from '#contracts/api/users';
import { api } from '../../shared/api/api.js';

/**
 * Amounts are text, also where they were sent as numbers, and what is left out is nought. Not by `answerOf`:
 * what strangers load is kept small.
 */
const decimal = (amount: unknown): string =>
  typeof amount === 'string' ? amount : Number(amount ?? 0).toFixed(2);
const userOf = (answer: CurrentUser | null) =>
  answer && {
    ...answer,
    earnings: decimal(answer.earnings),
    totalEarnings: decimal(answer.totalEarnings),
    transactionCount: (answer as Partial<CurrentUser>).transactionCount ?? 0,
  };

export const currentUser = api.injectEndpoints({
  endpoints: (build) => ({
    currentUser: build.query<CurrentUser | null, void>({
      query: () => '/api/auth/user',
      transformResponse: userOf,
      providesTags: ['User'],
    }),
    /**
     * The same, asked anew before something that needs a session: whoever reads `currentUser` hears nothing
     * of it.
     */
    sessionCheck: build.query<CurrentUser | null, void>({ query: () => '/api/auth/user' }),
  }),
});

export const { useCurrentUserQuery } = currentUser;

/** Whether the session has ended unseen. A server that is not reached does not say so. */
export function useSessionCheck(): () => Promise<'ended' | 'not-ended'> {
  const [check] = currentUser.useLazySessionCheckQuery();
  return useCallback(async () => {
    const { data } = await check();
    return data === null ? 'ended' : 'not-ended';
  }, [check]);
}

/** Whether the user has logged out in another tab: for good, whatever the server says a moment later. */
export const logOut = createSlice({
  name: 'logOut',
  initialState: { isDone: false },
  reducers: { loggedOut: () => ({ isDone: true }) },
  selectors: { isDone: (state) => state.isDone },
});

export const useHasLoggedOut = (): boolean => useSelector(logOut.selectors.isDone);

export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out' }
  /** The server did not say who is signed in: it was not reached, or something else answered. */
  | { readonly status: 'unreachable'; readonly error: unknown }
  | { readonly status: 'signed-in'; readonly user: CurrentUser };

/**
 * The session. Only an answer says that nobody is signed in, a 401: where the server is not reached, is busy,
 * or a proxy answers for it, its user would be sent to sign in again and again, and what the browser keeps of
 * them forgotten.
 */
export function useSession(): Session {
  const hasLoggedOut = useHasLoggedOut();
  const { data, error, isLoading, isUninitialized } = useCurrentUserQuery(undefined, { skip: hasLoggedOut });
  if (hasLoggedOut) return { status: 'signed-out' };
  if (data) return { status: 'signed-in', user: data };
  if (error) return { status: 'unreachable', error };
  return { status: isLoading || isUninitialized ? 'loading' : 'signed-out' };
}

/** The signed-in user. For screens inside `SignedIn` only; throws otherwise. */
export function useUser(): CurrentUser {
  const session = useSession();
  if (session.status !== 'signed-in') throw new Error('This screen is for people who are signed in.');
  return session.user;
}
