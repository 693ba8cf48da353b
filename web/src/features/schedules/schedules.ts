/**
 * Calls: the lists of subscriptions and scheduled payments, and what changes one. What creates them is in
 * ../payments/new-schedules.ts.
 */
import type { OpenPaymentAnswer } from '#contracts/api/payments';
import type { ChosenSource } from '#contracts/api/schedule-body';
import type { ScheduledPayment, ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { Subscription, SubscriptionAnswer, SubscriptionStatus } from '#contracts/api/subscriptions';
import { api } from '../../shared/api/api.js';
import { everyPage } from '../../shared/api/every-page.js';
import { fullName } from '../../shared/wording/people.js';
import { scheduledPaymentOf, subscriptionOf } from '../payments/schedule-answers.js';

/** What of a subscription or scheduled payment is changed; what is left out stays. */
export interface TermsChange {
  readonly amount?: string;
  /** ISO 8601 with its offset; of a scheduled payment. */
  readonly scheduledDate?: string;
  readonly source?: ChosenSource;
}

/** A failed payment of a schedule, by its `failedDueAt`. */
interface FailedPayment {
  readonly id: string;
  readonly dueAt: string;
}

/** An answer that holds only what the specification names is without the amount. */
type SecretToConfirm = Pick<OpenPaymentAnswer, 'clientSecret'> & Partial<OpenPaymentAnswer>;

const schedules = api.injectEndpoints({
  endpoints: (build) => ({
    subscriptions: build.query<Subscription[] | null, void>({
      queryFn: (_none, _api, _extra, call) => everyPage(call, '/api/subscriptions', subscriptionOf),
      providesTags: ['Subscriptions'],
    }),
    changeSubscription: build.mutation<
      SubscriptionAnswer,
      { readonly id: string; readonly status: SubscriptionStatus }
    >({
      query: ({ id, status }) => ({
        path: `/api/subscriptions/${encodeURIComponent(id)}/status`,
        method: 'PATCH',
        body: { status },
      }),
      transformResponse: subscriptionOf,
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions']),
    }),
    changeSubscriptionTerms: build.mutation<
      SubscriptionAnswer,
      { readonly id: string; readonly change: TermsChange }
    >({
      query: ({ id, change }) => ({
        path: `/api/subscriptions/${encodeURIComponent(id)}`,
        method: 'PATCH',
        body: change,
      }),
      transformResponse: subscriptionOf,
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions']),
    }),
    paySubscriptionNow: build.mutation<SubscriptionAnswer, FailedPayment>({
      query: ({ id, dueAt }) => ({
        path: `/api/subscriptions/${encodeURIComponent(id)}/pay-now`,
        method: 'POST',
        body: { dueAt },
      }),
      transformResponse: subscriptionOf,
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions', 'User', 'Transactions']),
    }),
    changeScheduledTerms: build.mutation<
      ScheduledPaymentAnswer,
      { readonly id: string; readonly change: TermsChange }
    >({
      query: ({ id, change }) => ({
        path: `/api/scheduled-payments/${encodeURIComponent(id)}`,
        method: 'PATCH',
        body: change,
      }),
      transformResponse: scheduledPaymentOf,
      invalidatesTags: (answer) => (answer === undefined ? [] : ['ScheduledPayments']),
    }),
    payScheduledNow: build.mutation<ScheduledPaymentAnswer, FailedPayment>({
      query: ({ id, dueAt }) => ({
        path: `/api/scheduled-payments/${encodeURIComponent(id)}/pay-now`,
        method: 'POST',
        body: { dueAt },
      }),
      transformResponse: scheduledPaymentOf,
      invalidatesTags: (answer) =>
        answer === undefined ? [] : ['ScheduledPayments', 'User', 'Transactions'],
    }),
    scheduledPayments: build.query<ScheduledPayment[] | null, void>({
      queryFn: (_none, _api, _extra, call) => everyPage(call, '/api/scheduled-payments', scheduledPaymentOf),
      providesTags: ['ScheduledPayments'],
    }),
    cancelScheduledPayment: build.mutation<ScheduledPaymentAnswer, string>({
      query: (id) => ({
        path: `/api/scheduled-payments/${encodeURIComponent(id)}/status`,
        method: 'PATCH',
        body: { status: 'cancelled' },
      }),
      transformResponse: scheduledPaymentOf,
      invalidatesTags: (answer) => (answer === undefined ? [] : ['ScheduledPayments']),
    }),
    // Read each time: a client secret is never stored.
    secretToConfirm: build.mutation<SecretToConfirm | null, string>({
      query: (paymentId) => `/api/payments/${encodeURIComponent(paymentId)}/client-secret`,
    }),
  }),
});

export const {
  useSubscriptionsQuery,
  useChangeSubscriptionTermsMutation,
  usePaySubscriptionNowMutation,
  useChangeScheduledTermsMutation,
  usePayScheduledNowMutation,
  useChangeSubscriptionMutation,
  useScheduledPaymentsQuery,
  useCancelScheduledPaymentMutation,
  useSecretToConfirmMutation,
} = schedules;

/** The recipient's name, or the id of a deleted user. */
export function recipientOf(
  schedule: Pick<Subscription, 'toUserId' | 'toUsername' | 'toFirstName' | 'toLastName'>,
): string {
  const { toUserId, toUsername: username, toFirstName: firstName, toLastName: lastName } = schedule;
  return fullName({ firstName, lastName, username }) || toUserId;
}
