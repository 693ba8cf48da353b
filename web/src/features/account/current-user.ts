/** Who is signed in. No data means nobody. */
import type { CurrentUser } from '#contracts/api/users';
import { api } from '../../shared/api/api.js';
import { isCallError } from '../../shared/api/call.js';

export const currentUser = api.injectEndpoints({
  endpoints: (build) => ({
    currentUser: build.query<CurrentUser | null, void>({
      query: () => '/api/auth/user',
      providesTags: ['User'],
    }),
  }),
});

export const { useCurrentUserQuery } = currentUser;

export type Session =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out' }
  /** The question never got to the server, so nobody knows. */
  | { readonly status: 'unreachable' }
  | { readonly status: 'signed-in'; readonly user: CurrentUser };

/**
 * The session, as every screen asks for it. A failed read is no sign-in; to send whoever has no network there
 * would lead nowhere.
 */
export function useSession(): Session {
  const { data, error, isLoading, isUninitialized } = useCurrentUserQuery();
  if (data) return { status: 'signed-in', user: data };
  if (isCallError(error) && error.status === 0) return { status: 'unreachable' };
  return { status: isLoading || isUninitialized ? 'loading' : 'signed-out' };
}

/** The signed-in user, on screens that only open to one. */
export function useUser(): CurrentUser {
  const session = useSession();
  if (session.status !== 'signed-in') throw new Error('This screen is for people who are signed in.');
  return session.user;
}
