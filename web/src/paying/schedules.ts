/** What creates a subscription or a scheduled payment. Their own pages list and change them. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { SubscriptionAnswer } from '#contracts/api/subscriptions';
import { api } from '../api/api.js';
import { idempotent } from '../api/idempotency.js';

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

interface Common {
  readonly key: string;
  readonly toUserId: string;
  readonly amount: string;
  readonly description: string;
}

const schedules = api.injectEndpoints({
  endpoints: (build) => ({
    createSubscription: build.mutation<SubscriptionAnswer, Common & { readonly frequency: Frequency }>({
      query: ({ key, toUserId, amount, frequency, description }) => ({
        path: '/api/subscriptions',
        method: 'POST',
        headers: idempotent(key),
        body: { toUserId, amount: Number(amount), frequency, description: description.trim() || null },
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions', 'User', 'Transactions']),
    }),
    createScheduledPayment: build.mutation<ScheduledPaymentAnswer, Common & { readonly scheduledDate: string }>({
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
