/** What somebody who pauses or cancels is told of a payment, whatever becomes of it in the same moment. */
import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts/events/index';
import { BALANCE_THEN_CARD } from '#contracts/events/payment-source';
import { noticeOf, subscriptionAnswer } from './answers.js';
import { NO_OCCURRENCES, occurrenceIdFrom, type OpenOccurrence } from './occurrence.js';
import { subscription, type KnownSubscription } from './subscription.decider.js';

const DUE_AT = '2026-03-02T09:00:00.000Z';
const RETRY_AT = '2026-03-02T10:00:00.000Z';
const NOW = new Date('2026-03-02T09:30:00.000Z');

const openAt = (stage: OpenOccurrence['stage']): OpenOccurrence => ({
  occurrenceId: occurrenceIdFrom('sub_1', DUE_AT),
  dueAt: DUE_AT,
  attempt: 1,
  asked: 0,
  terms: { amountMinor: 500, source: BALANCE_THEN_CARD },
  stage,
});
const COLLECTING = openAt({ kind: 'collecting' });
const WAITING = openAt({ kind: 'waiting', retryAt: RETRY_AT });

/** What the log holds as the command is decided. */
const subscriptionWith = (open: OpenOccurrence | undefined): KnownSubscription => ({
  status: 'active',
  terms: {
    subscriptionId: 'sub_1',
    payerId: 'usr_milo',
    recipientId: 'usr_juno',
    amountMinor: 500,
    currency: 'usd',
    frequency: 'monthly',
    description: undefined,
  },
  source: BALANCE_THEN_CARD,
  fingerprint: 'spec',
  firstDueAt: DUE_AT,
  nextDueAt: '2026-04-02T09:00:00.000Z',
  ...NO_OCCURRENCES,
  open,
});

/** What is told of a pause: `seen` was read for the answer, `there` is what the command then met. */
function toldOfPause(seen: OpenOccurrence | undefined, there: OpenOccurrence | undefined): string | null {
  const state = subscriptionWith(there);
  const command = { type: 'PauseSubscription', by: 'usr_milo', now: NOW } as const;
  const events: readonly DomainEvent[] = subscription.decide(command, state);
  const after = subscription
    .decide(command, state)
    .reduce<ReturnType<typeof subscription.evolve>>(subscription.evolve, state);
  return noticeOf(seen, after.status === 'none' ? undefined : after.open, events);
}

describe('a pause', () => {
  it('that gives up a failed payment says so', () =>
    expect(toldOfPause(WAITING, WAITING)).toBe(
      'The payment that was due on March 2, 2026 at 9:00 AM UTC had failed and is not tried again.',
    ));
  it('says the same of one that failed in that moment', () =>
    expect(toldOfPause(COLLECTING, WAITING)).toBe(
      'The payment that was due on March 2, 2026 at 9:00 AM UTC had failed and is not tried again.',
    ));
  it('says that it does not stop what is being collected', () =>
    expect(toldOfPause(undefined, COLLECTING)).toBe(
      'The payment that was due on March 2, 2026 at 9:00 AM UTC is already being collected and is not stopped by this.',
    ));
  it('says nothing of a failure when the payment is made at that moment', () => {
    expect(toldOfPause(COLLECTING, undefined)).toBeNull();
    expect(toldOfPause(WAITING, undefined)).toBeNull();
  });
  it('says nothing where nothing was open', () => expect(toldOfPause(undefined, undefined)).toBeNull());
});

describe('an answer that the read models do not show yet', () => {
  const about = {
    scheduleKind: 'subscription' as const,
    scheduleId: 'sub_1',
    payerId: 'usr_milo',
    occurrenceId: occurrenceIdFrom('sub_1', DUE_AT),
    dueAt: DUE_AT,
    at: NOW.toISOString(),
  };
  const DECLINED = 'Your card was declined.';
  const after = (...events: Parameters<typeof subscription.evolve>[1][]): KnownSubscription => {
    const state = events.reduce<ReturnType<typeof subscription.evolve>>(
      subscription.evolve,
      subscriptionWith(undefined),
    );
    if (state.status === 'none') throw new Error('There is no subscription.');
    return state;
  };
  const claimed = { type: 'OccurrenceClaimed', data: { ...about, attempt: 1 } } as const;
  const failed = {
    type: 'OccurrenceAttemptFailed',
    data: {
      ...about,
      attempt: 1,
      code: 'card_declined',
      reason: DECLINED,
      charged: { from: 'card', cardId: 'card_1' },
      retryAt: RETRY_AT,
    },
  } as const;
  const again = { type: 'OccurrenceRetried', data: { ...about, attempt: 2, asked: true } } as const;
  const collected = {
    type: 'OccurrenceCollected',
    data: { ...about, attempt: 2, paidBy: 'card', transactionId: 'pay_2' },
  } as const;

  it('says that the first payment failed, and why', () =>
    expect(subscriptionAnswer(after(claimed, failed), undefined, undefined)).toMatchObject({
      lastFailureReason: DECLINED,
      lastFailureFrom: { from: 'card', cardId: 'card_1' },
      nextTryAt: RETRY_AT,
    }));

  it('no longer says why it failed before once it is paid', () => {
    const shown = {
      ...subscriptionAnswer(after(claimed, failed), undefined, undefined),
      lastFailureReason: DECLINED,
      lastFailureFrom: { from: 'card', cardId: 'card_1' } as const,
    };
    expect(subscriptionAnswer(after(claimed, failed, again, collected), undefined, shown)).toMatchObject({
      lastFailureReason: null,
      lastFailureFrom: null,
      failedDueAt: null,
      isCollecting: false,
    });
  });
});
