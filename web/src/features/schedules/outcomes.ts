/** What a person is told when they change a subscription or a scheduled payment. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { SubscriptionAnswer, SubscriptionStatus } from '#contracts/api/subscriptions';
import type { Outcome } from '../../shared/ui/outcome.js';
import { money } from '../../shared/wording/money.js';
import { dayOf } from '../../shared/wording/time.js';
import { hasFailed } from './source.js';

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

type AnyAnswer = SubscriptionAnswer | ScheduledPaymentAnswer;

export const changeSubscriptionTerms: Outcome<SubscriptionAnswer> = {
  label: 'Change a subscription',
  done: ({ notice }) => ['Subscription Changed', notice ?? undefined],
  failed: 'Failed to update subscription',
};

export const changeScheduledTerms: Outcome<ScheduledPaymentAnswer> = {
  label: 'Change a scheduled payment',
  done: ({ notice }) => ['Scheduled Payment Changed', notice ?? undefined],
  failed: 'Failed to update scheduled payment',
};

const paidNow = (answer: AnyAnswer): readonly [title: string, description?: string] => {
  const { amount, isCollecting, needsConfirmation, lastFailureReason } = answer;
  if (isCollecting) return ['Payment Under Way', `${money(amount)} is being collected now.`];
  if (needsConfirmation) return ['Confirm the Payment', 'Your bank wants you to confirm it.'];
  return lastFailureReason === null
    ? ['Payment Made', `${money(amount)} has been paid.`]
    : ['Payment Failed', `${lastFailureReason} You have not been charged.`];
};

const PAY_NOW = { label: 'Pay now', hasFailed, failed: 'Failed to pay now. Please try again.' } as const;
export const paySubscriptionNow: Outcome<SubscriptionAnswer> = { ...PAY_NOW, done: paidNow };
export const payScheduledNow: Outcome<ScheduledPaymentAnswer> = { ...PAY_NOW, done: paidNow };
