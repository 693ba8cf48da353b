/** What a person is told when they change a subscription or a scheduled payment. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { SubscriptionAnswer, SubscriptionStatus } from '#contracts/api/subscriptions';
import type { Outcome } from '../../shared/ui/outcome.js';
import { dayOf } from '../../shared/wording/time.js';

const CHANGED: Readonly<Record<SubscriptionStatus, string>> = {
  active: 'Subscription Resumed',
  paused: 'Subscription Paused',
  cancelled: 'Subscription Cancelled',
};

export const changeSubscription: Outcome<SubscriptionAnswer, { readonly status: SubscriptionStatus }> = {
  label: 'Change a subscription',
  done: ({ notice, nextPaymentDate }, { status }) => [
    CHANGED[status],
    notice ??
      (status === 'active' && nextPaymentDate !== null
        ? `The next payment is on ${dayOf(nextPaymentDate)}.`
        : undefined),
  ],
  failed: 'Failed to update subscription',
};

export const cancelScheduledPayment: Outcome<ScheduledPaymentAnswer> = {
  label: 'Cancel a scheduled payment',
  done: ({ notice }) => ['Scheduled Payment Cancelled', notice ?? undefined],
  failed: 'Failed to update scheduled payment',
};
