/** Look-up of other users by id or email address. */
import type { FoundUser } from '#contracts/api/users';
import { answerOf } from '../../shared/api/answers.js';
import { api } from '../../shared/api/api.js';
import { isCallError } from '../../shared/api/call.js';
import { fullName } from '../../shared/wording/people.js';

const personOf = answerOf<FoundUser>({
  usually: { firstName: '', lastName: '', username: '', isVerified: false },
});

export const people = api.injectEndpoints({
  endpoints: (build) => ({
    person: build.query<FoundUser | null, string>({
      query: (idOrEmail) => `/api/users/${encodeURIComponent(idOrEmail)}`,
      transformResponse: (answer: unknown) => (answer === null ? null : personOf(answer)),
      // Found by email address: the same person by id is now known too.
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

/** A person's name; the id until the server has answered. */
export function nameOf(person: FoundUser | null | undefined, id: string): string {
  return (person && fullName(person)) || id;
}

/** The words for a failed look-up. */
export function searchFailure(error: unknown): { readonly title: string; readonly sentence: string } {
  return isCallError(error) && error.status === 404
    ? { title: 'User Not Found', sentence: 'No user found with that ID or email' }
    : { title: 'Search Error', sentence: 'Could not search for user. Please try again.' };
}
