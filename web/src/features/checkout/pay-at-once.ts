/** Pays by what is there already: a saved card, or the balance (POST /api/tips). */
import type { TipAnswer } from '#contracts/api/tips';
import { api } from '../../shared/api/api.js';
import { idempotent } from '../../shared/api/idempotency.js';

interface TipCall {
  readonly toUserId: string;
  /** A decimal, such as `12.50`. */
  readonly amount: string;
  readonly description: string;
  /** `balance`, or the id of a saved card. */
  readonly from: string;
  readonly key: string;
}

const tips = api.injectEndpoints({
  endpoints: (build) => ({
    payAtOnce: build.mutation<TipAnswer, TipCall>({
      query: ({ key, toUserId, amount, description, from }) => ({
        path: '/api/tips',
        method: 'POST',
        headers: idempotent(key),
        body: { toUserId, amount, description: description || null, from },
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['User', 'Transactions']),
    }),
  }),
});

export const { usePayAtOnceMutation } = tips;
