/** What creates a subscription or a scheduled payment. Their own pages list and change them. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { SubscriptionAnswer } from '#contracts/api/subscriptions';
import { api } from '../../shared/api/api.js';
import { idempotent } from '../../shared/api/idempotency.js';

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

interface Common {
  readonly key: string;
  readonly toUserId: string;
  readonly amount: string;
  readonly description: string;
}

interface NewSubscription extends Common {
  readonly frequency: Frequency;
  readonly amountAs: 'number' | 'text';
}

const schedules = api.injectEndpoints({
  endpoints: (build) => ({
    createSubscription: build.mutation<SubscriptionAnswer, NewSubscription>({
      query: ({ key, toUserId, amount, amountAs, frequency, description }) => ({
        path: '/api/subscriptions',
        method: 'POST',
        headers: idempotent(key),
        body: {
          toUserId,
          amount: amountAs === 'number' ? Number(amount) : amount,
          frequency,
          description: description.trim() || null,
        },
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions', 'User', 'Transactions']),
    }),
    createScheduledPayment: build.mutation<
      ScheduledPaymentAnswer,
      Common & { readonly scheduledDate: string }
    >({
      query: ({ key, toUserId, amount, scheduledDate, description }) => ({
        path: '/api/scheduled-payments',
        method: 'POST',
        headers: idempotent(key),
        body: { toUserId, amount: Number(amount), scheduledDate, description: description.trim() || null },
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['ScheduledPayments']),
    }),
  }),
});

export const { useCreateSubscriptionMutation, useCreateScheduledPaymentMutation } = schedules;
