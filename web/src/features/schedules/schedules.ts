/**
 * Calls: the lists of subscriptions and scheduled payments, and what changes one. ../payments/new-
 * schedules.ts creates them.
 */
import type { PaymentIntentAnswer } from '#contracts/api/payments';
import type { ScheduledPayment, ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { Subscription, SubscriptionAnswer, SubscriptionStatus } from '#contracts/api/subscriptions';
import { api } from '../../shared/api/api.js';
import { everyPage } from '../../shared/api/every-page.js';
import { fullName } from '../../shared/wording/people.js';

const schedules = api.injectEndpoints({
  endpoints: (build) => ({
    subscriptions: build.query<Subscription[] | null, void>({
      queryFn: (_none, _api, _extra, call) => everyPage(call, '/api/subscriptions'),
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
      invalidatesTags: (answer) => (answer === undefined ? [] : ['Subscriptions']),
    }),
    scheduledPayments: build.query<ScheduledPayment[] | null, void>({
      queryFn: (_none, _api, _extra, call) => everyPage(call, '/api/scheduled-payments'),
      providesTags: ['ScheduledPayments'],
    }),
    cancelScheduledPayment: build.mutation<ScheduledPaymentAnswer, string>({
      query: (id) => ({
        path: `/api/scheduled-payments/${encodeURIComponent(id)}/status`,
        method: 'PATCH',
        body: { status: 'cancelled' },
      }),
      invalidatesTags: (answer) => (answer === undefined ? [] : ['ScheduledPayments']),
    }),
    // Read each time: a client secret is never stored.
    secretToConfirm: build.mutation<Pick<PaymentIntentAnswer, 'clientSecret'> | null, string>({
      query: (paymentId) => `/api/payments/${encodeURIComponent(paymentId)}/client-secret`,
    }),
  }),
});

export const {
  useSubscriptionsQuery,
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
