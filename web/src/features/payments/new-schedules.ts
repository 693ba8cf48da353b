/** What creates a subscription or a scheduled payment. Their own pages list and change them. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { ChosenSource } from '#contracts/api/schedule-body';
import type { SubscriptionAnswer } from '#contracts/api/subscriptions';
import { api } from '../../shared/api/api.js';
import { idempotent, type KeyedRequest } from '../../shared/api/idempotency.js';
import { scheduledPaymentOf, subscriptionOf } from './schedule-answers.js';

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

interface NewPayments {
  readonly toUserId: string;
  /** A decimal, such as `12.50`. */
  readonly amount: string;
  readonly description: string;
  /** Unless it is the usual one. */
  readonly source?: ChosenSource;
}
type NewSubscription = NewPayments & { readonly frequency: Frequency };
/** `scheduledDate` is ISO 8601 with its offset. */
type NewScheduledPayment = NewPayments & { readonly scheduledDate: string };
export type NewSchedule = NewSubscription | NewScheduledPayment;

/** The form that stands on home sends a number, the page of subscriptions the text (spec.md §7). */
interface SubscriptionAmount {
  readonly amountAs: 'number' | 'text';
}

const schedules = api.injectEndpoints({
  endpoints: (build) => ({
    createSubscription: build.mutation<
      SubscriptionAnswer,
      NewSubscription & KeyedRequest & SubscriptionAmount
    >({
      query: ({ key, toUserId, amount, amountAs, frequency, description, source }) => ({
        path: '/api/subscriptions',
        method: 'POST',
        headers: idempotent(key),
        body: {
          toUserId,
          amount: amountAs === 'number' ? Number(amount) : amount,
          frequency,
          description: description.trim() || null,
          source,
        },
      }),
      transformResponse: subscriptionOf,
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions', 'User', 'Transactions']),
    }),
    createScheduledPayment: build.mutation<ScheduledPaymentAnswer, NewScheduledPayment & KeyedRequest>({
      query: ({ key, toUserId, amount, scheduledDate, description, source }) => ({
        path: '/api/scheduled-payments',
        method: 'POST',
        headers: idempotent(key),
        body: {
          toUserId,
          amount: Number(amount),
          scheduledDate,
          description: description.trim() || null,
          source,
        },
      }),
      transformResponse: (answer: object | null, _meta, { scheduledDate }) =>
        scheduledPaymentOf({ scheduledDate, ...answer }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['ScheduledPayments']),
    }),
  }),
});

export const { useCreateSubscriptionMutation, useCreateScheduledPaymentMutation } = schedules;
