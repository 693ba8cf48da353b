/** Answers about subscriptions and scheduled payments, as the screens take them. */
import type { ScheduledPaymentAnswer } from '#contracts/api/scheduled-payments';
import type { SubscriptionAnswer } from '#contracts/api/subscriptions';
import { answerOf } from '../../shared/api/answers.js';

const NOTHING_UNUSUAL = {
  toUsername: null,
  toFirstName: null,
  toLastName: null,
  description: null,
  lastFailureReason: null,
  lastFailureFrom: null,
  failedDueAt: null,
  source: { from: 'balance_then_card', cardId: null },
  nextTryAt: null,
  needsConfirmation: false,
  confirmPaymentId: null,
  confirmBy: null,
  isCollecting: false,
  notice: null,
} as const;

const subscriptionRead = answerOf<SubscriptionAnswer>({
  amounts: ['amount'],
  usually: {
    ...NOTHING_UNUSUAL,
    nextPaymentDate: null,
    pauseReason: null,
    lastPaymentAt: null,
    createdAt: '',
  },
});
/** One that does not say when it began is taken to begin with its next payment. */
export function subscriptionOf(answer: unknown): SubscriptionAnswer {
  const read = subscriptionRead(answer);
  return { ...read, createdAt: read.createdAt || (read.nextPaymentDate ?? '') };
}

export const scheduledPaymentOf = answerOf<ScheduledPaymentAnswer>({
  amounts: ['amount'],
  usually: { ...NOTHING_UNUSUAL, completedAt: null },
});
