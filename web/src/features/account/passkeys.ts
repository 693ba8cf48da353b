/** The passkeys of the signed-in user. */
import type { Passkey } from '#contracts/api/passkeys';
import { listOf } from '../../shared/api/answers.js';
import { api } from '../../shared/api/api.js';

const passkeys = api.injectEndpoints({
  endpoints: (build) => ({
    passkeys: build.query<Passkey[] | null, void>({
      query: () => '/api/passkeys',
      transformResponse: (answer: unknown) => listOf(answer, (row) => row as Passkey),
      providesTags: ['Passkeys'],
    }),
  }),
});

export const { usePasskeysQuery } = passkeys;
