/** Other people: who answers to an id or an address. */
import type { FoundUser } from '#contracts/api/users';
import { api } from '../../shared/api/api.js';
import { isCallError } from '../../shared/api/call.js';
import { fullName } from '../../shared/wording/people.js';

export const people = api.injectEndpoints({
  endpoints: (build) => ({
    person: build.query<FoundUser | null, string>({
      query: (idOrEmail) => `/api/users/${encodeURIComponent(idOrEmail)}`,
      // Found by address: whoever needs the same person by id has them already.
      async onQueryStarted(asked, { dispatch, queryFulfilled }) {
        const found = await queryFulfilled.then(
          ({ data }) => data,
          () => null,
        );
        if (found !== null && found.id !== asked)
          void dispatch(people.util.upsertQueryData('person', found.id, found));
      },
    }),
  }),
});

export const { usePersonQuery, useLazyPersonQuery } = people;

/** How somebody is called before and after the server has said who it is. */
export function nameOf(person: FoundUser | null | undefined, id: string): string {
  return (person && fullName(person)) || id;
}

/** What a look-up is told to have failed with. */
export function searchFailure(error: unknown): { readonly title: string; readonly sentence: string } {
  return isCallError(error) && error.status === 404
    ? { title: 'User Not Found', sentence: 'No user found with that ID or email' }
    : { title: 'Search Error', sentence: 'Could not search for user. Please try again.' };
}
