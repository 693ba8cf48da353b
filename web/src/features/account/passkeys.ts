/** The passkeys of the signed-in user. */
import type { Passkey } from '#contracts/api/passkeys';
import { api } from '../../shared/api/api.js';

const passkeys = api.injectEndpoints({
  endpoints: (build) => ({
    passkeys: build.query<Passkey[] | null, void>({
      query: () => '/api/passkeys',
      transformResponse: (answer: unknown) => (Array.isArray(answer) ? (answer as Passkey[]) : null),
      // They guard the account: what an earlier visit to the page read may miss one that was added since.
      keepUnusedDataFor: 0,
      providesTags: ['Passkeys'],
    }),
  }),
});

export const { usePasskeysQuery } = passkeys;
