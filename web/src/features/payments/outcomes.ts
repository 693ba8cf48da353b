/** What a person is told of a new subscription or scheduled payment. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { SubscriptionAnswer } from '#contracts/api/subscriptions';
import type { Outcome } from '../../shared/ui/outcome.js';
import { money } from '../../shared/wording/money.js';
import { dateTimeOf } from '../../shared/wording/time.js';

/** What was asked for. An amount is text or a number of dollars. */
interface ScheduleRequest {
  readonly amount: string | number;
}

export const createSubscription: Outcome<
  SubscriptionAnswer,
  ScheduleRequest & { readonly frequency: string }
> = {
  label: 'Subscribe',
  done: ({ nextPaymentDate, lastFailureReason, needsConfirmation }, { amount, frequency }) => {
    if (needsConfirmation)
      return [
        'Subscription Created',
        'Your bank wants you to confirm the first payment, under Subscriptions.',
      ];
    if (lastFailureReason)
      return [
        'First Payment Failed',
        `The subscription was created, and its first payment failed: ${lastFailureReason} You have not been charged. Change the card or pay now under Subscriptions.`,
      ];
    const next = nextPaymentDate === null ? '' : ` The next payment is on ${dateTimeOf(nextPaymentDate)}.`;
    return ['Subscription Created', `${money(String(amount))} ${frequency}.${next}`];
  },
  hasFailed: ({ lastFailureReason, needsConfirmation }) => !!lastFailureReason && !needsConfirmation,
  failed: 'Failed to create subscription',
};

export const createScheduledPayment: Outcome<ScheduledPaymentAnswer, ScheduleRequest> = {
  label: 'Schedule a payment',
  done: ({ scheduledDate }, { amount }) => [
    'Payment Scheduled',
    `${money(String(amount))} will be paid on ${dateTimeOf(scheduledDate)}.`,
  ],
  failed: 'Failed to schedule payment',
};
