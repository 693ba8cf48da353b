import { describe, expect, it } from '@jest/globals';
import { StreamStory } from '#test/support/stream-spec';
import type { Frequency } from '#contracts/plain/recurrence';
import { occurrenceIdFrom } from './occurrence.js';
import { subscription, type KnownSubscription, type SubscriptionCommand } from './subscription.decider.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = '2026-01-31T09:00:00.000Z';
const day = (text: string): string => `${text}T09:00:00.000Z`;

type Step = (now: Date) => SubscriptionCommand;
const creating =
  (frequency: Frequency, other: object = {}): Step =>
  (now) => ({
    type: 'CreateSubscription',
    subscriptionId: 'sub_a',
    payerId: 'usr_milo',
    recipientId: 'usr_juno',
    amountMinor: 500,
    currency: 'usd',
    frequency,
    description: undefined,
    fingerprint: 'f',
    now,
    ...other,
  });
const byMilo =
  (type: 'PauseSubscription' | 'ResumeSubscription' | 'CancelSubscription'): Step =>
  (now) => ({ type, by: 'usr_milo', now });
const pause = byMilo('PauseSubscription');
const resume = byMilo('ResumeSubscription');
const cancel = byMilo('CancelSubscription');
const claim: Step = (now) => ({ type: 'ClaimDue', now });

class Story extends StreamStory<
  typeof subscription.initial,
  SubscriptionCommand,
  Parameters<typeof subscription.evolve>[1]
> {
  get known(): KnownSubscription {
    if (this.state.status === 'none') throw new Error('There is no subscription yet.');
    return this.state;
  }
  private get about() {
    const { open } = this.known;
    return { occurrenceId: open?.occurrenceId ?? 'none', attempt: open?.attempt ?? 1 };
  }
  readonly collected: Step = (now) => ({
    type: 'RecordCollected',
    ...this.about,
    paidBy: 'balance',
    transactionId: 'trf_a',
    now,
  });
  readonly failed: Step = (now) => ({
    type: 'RecordFailure',
    ...this.about,
    code: 'card_declined',
    reason: 'Your card was declined.',
    isFinal: false,
    isOurs: false,
    now,
  });
  readonly lost: Step = (now) => ({ ...this.failed(now), isOurs: true }) as SubscriptionCommand;
  readonly toConfirm: Step = (now) => ({
    type: 'RecordConfirmationNeeded',
    ...this.about,
    paymentId: 'pay_a',
    reason: 'Your bank asks you to confirm.',
    now,
  });
}
const story = (): Story => new Story(subscription);
const started = (frequency: Frequency = 'weekly'): Story => story().at(START).do(creating(frequency));

describe('a subscription', () => {
  it('is due for the first time when it is created', () => {
    const made = story()
      .at(START)
      .then(creating('monthly'), 'SubscriptionCreated')
      .then(claim, 'OccurrenceClaimed');
    expect(made.last('OccurrenceClaimed').data).toMatchObject({
      dueAt: START,
      nextDueAt: day('2026-02-28'),
      attempt: 1,
      occurrenceId: occurrenceIdFrom('sub_a', START),
    });
  });
  it('is made once, however often it is asked for; the same key with another body is refused', () => {
    started()
      .thenNothing(creating('weekly'))
      .thenRejects(creating('weekly', { fingerprint: 'g' }), 'KeyReused');
  });
  it('is known again under the keys of before, and recorded under the newest', () => {
    started()
      .thenNothing(creating('weekly', { fingerprint: 'f2.new f' }))
      .thenRejects(creating('weekly', { fingerprint: 'f2.new g' }), 'KeyReused');
    const made = story().then(creating('weekly', { fingerprint: 'f2.new f1.old' }), 'SubscriptionCreated');
    expect(made.last('SubscriptionCreated').data.fingerprint).toBe('f2.new');
  });
  it('is not made to oneself', () => {
    story().thenRejects(creating('daily', { recipientId: 'usr_milo' }), 'SamePerson');
  });
  it('keeps its anchor day over short months', () => {
    const made = started('monthly');
    const due: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      made
        .at(made.known.nextDueAt)
        .then(claim, 'OccurrenceClaimed')
        .then(made.collected, 'OccurrenceCollected');
      due.push(made.last('OccurrenceClaimed').data.dueAt.slice(0, 10));
    }
    expect(due).toEqual(['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']);
  });
  it('is claimed once for a due time, and not before it', () => {
    const made = started().do(claim).thenNothing(claim);
    made
      .do(made.collected)
      .at(7 * DAY - 1)
      .thenNothing(claim)
      .at(1)
      .then(claim, 'OccurrenceClaimed');
    made.thenNothing(claim);
  });
  it('is not found for anybody but its payer, nor before it was created', () => {
    started().thenRejects(
      (now) => ({ type: 'PauseSubscription', by: 'usr_ada', now }),
      'SubscriptionNotFound',
    );
    story().thenRejects(claim, 'SubscriptionNotFound');
  });
});

describe('pausing, resuming and cancelling', () => {
  it('goes from active to paused, back, and from either to cancelled, each once', () => {
    const made = started().do(claim);
    made.do(made.collected).at(HOUR);
    made
      .then(pause, 'SubscriptionPaused')
      .thenNothing(pause)
      .then(resume, 'SubscriptionResumed')
      .thenNothing(resume);
    made.then(pause, 'SubscriptionPaused').then(cancel, 'SubscriptionCanceled').thenNothing(cancel);
    made
      .thenRejects(resume, 'SubscriptionCanceled')
      .thenRejects(pause, 'SubscriptionCanceled')
      .thenNothing(claim);
  });
  it('never collects paused time: what fell into it is skipped, and the calendar stays', () => {
    const made = started().do(claim);
    made
      .do(made.collected)
      .at(HOUR)
      .do(pause)
      .at(22 * DAY)
      .thenNothing(claim);
    made.then(resume, 'OccurrencesSkipped', 'SubscriptionResumed').thenNothing(claim);
    expect(made.last('OccurrencesSkipped').data).toMatchObject({
      firstDueAt: day('2026-02-07'),
      lastDueAt: day('2026-02-21'),
      count: 3,
      why: 'paused',
    });
    expect(made.known.nextDueAt).toBe(day('2026-02-28'));
  });
  it('before the claim stops what is due; it is recorded as skipped', () => {
    expect(
      started().then(pause, 'OccurrencesSkipped', 'SubscriptionPaused').last('OccurrencesSkipped').data,
    ).toMatchObject({
      firstDueAt: START,
      lastDueAt: START,
      why: 'paused',
    });
    expect(
      started().then(cancel, 'OccurrencesSkipped', 'SubscriptionCanceled').last('OccurrencesSkipped').data
        .why,
    ).toBe('canceled');
  });
  it('after the claim does not stop that occurrence', () => {
    const made = started().do(claim).then(cancel, 'SubscriptionCanceled');
    expect(made.known.open?.stage.kind).toBe('collecting');
    made
      .then(made.collected, 'OccurrenceCollected')
      .at(30 * DAY)
      .thenNothing(claim);
    const paused = started().do(claim, pause);
    paused.then(paused.collected, 'OccurrenceCollected');
  });
  it('between two attempts ends it: no further attempt is made', () => {
    const made = started().do(claim);
    made
      .do(made.failed)
      .then(cancel, 'OccurrencesSkipped', 'SubscriptionCanceled')
      .at(HOUR)
      .thenNothing(claim);
    expect(made.known.open).toBeUndefined();
  });
  it('while an attempt is under way leaves it without another one', () => {
    const made = started().do(claim, cancel);
    made.then(made.failed, 'OccurrenceFailed');
    expect(made.known.status).toBe('canceled');
  });
});

describe('one whose payer or recipient is forgotten', () => {
  const end: Step = (now) => ({ type: 'EndSubscription', why: 'recipient_forgotten', now });
  it('ends with the reason, once, and is due no more', () => {
    const made = started('weekly')
      .at(8 * DAY)
      .then(end, 'OccurrencesSkipped', 'SubscriptionCanceled')
      .thenNothing(end);
    expect(made.last('SubscriptionCanceled').data).toMatchObject({
      code: 'recipient_forgotten',
      reason: 'The recipient has closed their account.',
    });
    made
      .at(30 * DAY)
      .thenNothing(claim)
      .thenRejects(resume, 'SubscriptionCanceled');
  });
  it('ends what is under way as it ends, and is not changed where its payer had canceled it', () => {
    const made = started('weekly').do(claim).then(end, 'SubscriptionCanceled');
    made.then(made.collected, 'OccurrenceCollected');
    started('weekly').do(cancel).thenNothing(end);
    story().thenRejects(end, 'SubscriptionNotFound');
  });
});

describe('a failed attempt', () => {
  it('is made again after an hour, a day and three days, then the subscription pauses with the reason', () => {
    const made = started('monthly').do(claim);
    for (const after of [HOUR, DAY, 3 * DAY]) {
      made.then(made.failed, 'OccurrenceAttemptFailed').thenNothing(made.failed);
      made
        .at(after - 1)
        .thenNothing(claim)
        .at(1)
        .then(claim, 'OccurrenceRetried')
        .thenNothing(claim);
    }
    expect(made.known.open?.attempt).toBe(4);
    made.then(made.failed, 'OccurrenceFailed', 'SubscriptionPaused');
    expect(made.last('SubscriptionPaused').data).toMatchObject({
      code: 'card_declined',
      reason: 'Your card was declined.',
    });
    // The payer mends it: the calendar goes on, the failed one does not come back.
    made.at(DAY).then(resume, 'SubscriptionResumed').thenNothing(claim);
    expect(made.known.nextDueAt).toBe(day('2026-02-28'));
  });
  it('is never made again at or past the next due time', () => {
    const made = started('daily')
      .do(claim)
      .at(10 * HOUR);
    made.then(made.failed, 'OccurrenceAttemptFailed').at(HOUR).then(claim, 'OccurrenceRetried');
    made.then(made.failed, 'OccurrenceFailed', 'SubscriptionPaused');
    const late = started('daily')
      .do(claim)
      .at(23 * HOUR);
    late.then(late.failed, 'OccurrenceFailed', 'SubscriptionPaused');
  });
  it('may succeed the next time', () => {
    const made = started().do(claim);
    made
      .do(made.failed)
      .at(HOUR)
      .do(claim)
      .then(made.collected, 'OccurrenceCollected')
      .thenNothing(made.collected);
    expect(made.known).toMatchObject({ status: 'active', open: undefined, nextDueAt: day('2026-02-07') });
  });
  it('that turns out to have been paid after all is collected, and not tried again', () => {
    const made = started().do(claim);
    made.do(made.failed).then(made.collected, 'OccurrenceCollected').at(HOUR).thenNothing(claim);
  });
  it('of ours, past the next due time, gives way to the later one and pauses nothing', () => {
    const made = started()
      .do(claim)
      .at(8 * DAY);
    made.then(made.lost, 'OccurrencesSkipped').then(claim, 'OccurrenceClaimed');
    expect(made.known.status).toBe('active');
  });

  it('never pauses through a fault of ours, however often: it is tried until the next is due', () => {
    const made = started('weekly').do(claim);
    for (const wait of [HOUR, DAY, 3 * DAY]) {
      made.then(made.lost, 'OccurrenceAttemptFailed').at(wait).then(claim, 'OccurrenceRetried');
    }
    // The next attempt would come after the next due time: it is made at that, and gives way to the next.
    made.then(made.lost, 'OccurrenceAttemptFailed');
    expect(made.last('OccurrenceAttemptFailed').data.retryAt).toBe(day('2026-02-07'));
    made.at(day('2026-02-07')).then(claim, 'OccurrencesSkipped', 'OccurrenceClaimed');
    expect(made.known.status).toBe('active');
  });
});

describe('a failure that comes only after the next due times', () => {
  it('pauses, and what fell due meanwhile is skipped and not forgotten', () => {
    const made = started('weekly')
      .do(claim)
      .at(15 * DAY);
    made.then(made.failed, 'OccurrenceFailed', 'OccurrencesSkipped', 'SubscriptionPaused').thenNothing(claim);
    expect(made.last('OccurrencesSkipped').data).toMatchObject({ count: 2, why: 'paused' });
    made.then(resume, 'SubscriptionResumed');
  });
});

describe('a payment to confirm', () => {
  it('waits for the payer for a day, or until the next is due', () => {
    const made = started().do(claim);
    made.then(made.toConfirm, 'OccurrenceConfirmationNeeded').thenNothing(made.toConfirm).thenNothing(claim);
    expect(made.last('OccurrenceConfirmationNeeded').data.confirmBy).toBe(day('2026-02-01'));
    const daily = started('daily')
      .at(6 * HOUR)
      .do(claim);
    daily.do(daily.toConfirm);
    expect(daily.last('OccurrenceConfirmationNeeded').data.confirmBy).toBe(day('2026-02-01'));
  });
  it('waits no longer than it stays open: one that was charged late has had part of its day', () => {
    const made = started().do(claim);
    made.do((now) => ({ ...made.toConfirm(now), openForMs: 7 * HOUR }) as SubscriptionCommand);
    expect(Date.parse(made.last('OccurrenceConfirmationNeeded').data.confirmBy)).toBe(
      Date.parse(START) + 7 * HOUR,
    );
  });
  it('is collected when the payer confirms, and otherwise fails like any other', () => {
    const made = started().do(claim);
    made.do(made.toConfirm).then(made.collected, 'OccurrenceCollected');
    const never = started().do(claim);
    never.do(never.toConfirm).at(DAY).then(never.failed, 'OccurrenceAttemptFailed');
  });
});

describe('of several overdue occurrences', () => {
  it('only the latest is collected; the others are skipped, with the reason', () => {
    const made = started('daily').do(claim);
    made
      .do(made.collected)
      .at(14 * DAY + HOUR)
      .then(claim, 'OccurrencesSkipped', 'OccurrenceClaimed')
      .thenNothing(claim);
    expect(made.last('OccurrencesSkipped').data).toMatchObject({
      firstDueAt: day('2026-02-01'),
      lastDueAt: day('2026-02-13'),
      count: 13,
      why: 'superseded',
    });
    expect(made.last('OccurrenceClaimed').data).toMatchObject({
      dueAt: day('2026-02-14'),
      nextDueAt: day('2026-02-15'),
    });
  });
  it('one that waits for another attempt gives way too', () => {
    const made = started('weekly').do(claim);
    made
      .do(made.failed)
      .at(15 * DAY)
      .then(claim, 'OccurrencesSkipped', 'OccurrencesSkipped', 'OccurrenceClaimed');
    expect(made.last('OccurrenceClaimed').data).toMatchObject({ dueAt: day('2026-02-14'), attempt: 1 });
  });
  it('one that is under way is ended first', () => {
    const made = started('weekly')
      .do(claim)
      .at(15 * DAY)
      .thenNothing(claim);
    made.do(made.collected).then(claim, 'OccurrencesSkipped', 'OccurrenceClaimed');
  });
});

const VISA = {
  from: 'card',
  card: { customerId: 'cus_milo', paymentMethodId: 'pm_visa' },
  cardId: 'crd_visa',
} as const;
const payNow =
  (dueAt: string, by = 'usr_milo'): Step =>
  (now) => ({ type: 'PayNow', by, dueAt, now });
const changing =
  (change: { amountMinor?: number; source?: typeof VISA | { from: 'balance' } }, by = 'usr_milo'): Step =>
  (now) => ({ type: 'ChangeSubscription', by, ...change, now });

describe('paying a failed payment now', () => {
  /** The first payment of a weekly subscription has failed once. */
  const failedOnce = (): Story => {
    const made = started().do(claim);
    return made.do(made.failed);
  };
  const failedForGood = (): Story => {
    const made = failedOnce();
    for (const wait of [HOUR, DAY, 3 * DAY]) made.at(wait).do(claim, made.failed);
    return made;
  };

  it('is the next attempt at the same due time, before its hour, and once however often it is asked for', () => {
    const made = failedOnce().at(MINUTE).then(payNow(START), 'OccurrenceRetried').thenNothing(payNow(START));
    expect(made.last('OccurrenceRetried').data).toMatchObject({ dueAt: START, attempt: 2, asked: true });
    // A worker that comes for the retry finds it under way.
    made.at(HOUR).thenNothing(claim).then(made.collected, 'OccurrenceCollected');
    made.thenNothing(payNow(START)).thenNothing(claim);
  });
  it('finds the worker’s retry, and is then nothing', () => {
    failedOnce().at(HOUR).then(claim, 'OccurrenceRetried').thenNothing(payNow(START));
  });
  it('uses up none of the attempts that are made by themselves', () => {
    const made = failedOnce().at(MINUTE).do(payNow(START));
    made.then(made.failed, 'OccurrenceAttemptFailed');
    expect(made.last('OccurrenceAttemptFailed').data.retryAt).toBe(
      new Date(Date.parse(START) + MINUTE + HOUR).toISOString(),
    );
  });
  it('resumes the subscription that the failure had paused, and pauses it again where it fails', () => {
    const made = failedForGood();
    expect(made.known.status).toBe('paused');
    made.then(payNow(START), 'SubscriptionResumed', 'OccurrenceRetried');
    expect([made.known.status, made.last('OccurrenceRetried').data.attempt]).toEqual(['active', 5]);
    made.then(made.failed, 'OccurrenceFailed', 'SubscriptionPaused');
    made.then(payNow(START), 'SubscriptionResumed', 'OccurrenceRetried');
    made.then(made.collected, 'OccurrenceCollected').thenNothing(payNow(START));
    made.at(day('2026-02-07')).then(claim, 'OccurrenceClaimed');
  });
  it('is refused for what has not failed, once the next one is due, once it has ended, and to anybody else', () => {
    started()
      .thenRejects(payNow(START), 'NothingToPayNow')
      .do(claim)
      .thenNothing(payNow(START))
      .thenRejects(payNow(day('2026-02-07')), 'NothingToPayNow');
    failedForGood()
      .thenRejects(payNow(START, 'usr_ada'), 'SubscriptionNotFound')
      .at(day('2026-02-07'))
      .thenRejects(payNow(START), 'NothingToPayNow');
    failedForGood()
      .at(8 * DAY)
      .do(resume)
      .thenRejects(payNow(START), 'NothingToPayNow');
    failedForGood().do(cancel).thenRejects(payNow(START), 'SubscriptionCanceled');
  });
  it('is tried twelve times and not a thirteenth', () => {
    const made = failedOnce();
    while (made.last('OccurrenceAttemptFailed').data.attempt < 12) made.do(payNow(START), made.failed);
    made.thenRejects(payNow(START), 'TriedTooOften');
  });
});

describe('a subscription that begins with a chosen source', () => {
  it('is paid from it from the first payment on', () => {
    const made = story()
      .at(START)
      .then(creating('weekly', { source: VISA }), 'SubscriptionCreated', 'SubscriptionSourceChosen')
      .do(claim);
    expect(made.known.open?.terms).toEqual({ amountMinor: 500, source: VISA });
  });
  it('records nothing of the usual source, and is quiet when it is sent again', () => {
    story()
      .at(START)
      .then(creating('weekly', { source: { from: 'balance_then_card' } }), 'SubscriptionCreated');
    story()
      .at(START)
      .do(creating('weekly', { source: VISA }))
      .thenNothing(creating('weekly', { source: VISA }))
      // A card that was removed meanwhile is not looked for again.
      .thenNothing(creating('weekly'));
  });
});

describe('changing a subscription', () => {
  it('takes another amount and source from the next attempt on, and what is under way stays as it is', () => {
    const made = started().do(claim);
    made.then(
      changing({ amountMinor: 700, source: VISA }),
      'SubscriptionAmountChanged',
      'SubscriptionSourceChosen',
    );
    expect(made.known.open?.terms).toEqual({ amountMinor: 500, source: { from: 'balance_then_card' } });
    made.do(made.failed).at(HOUR).do(claim);
    expect(made.known.open?.terms).toEqual({ amountMinor: 700, source: VISA });
  });
  it('is quiet where nothing changes', () => {
    started()
      .thenNothing(changing({ amountMinor: 500 }))
      .do(changing({ source: VISA }))
      .thenNothing(changing({ source: VISA }))
      .then(changing({ source: { from: 'balance' } }), 'SubscriptionSourceChosen');
  });
  it('is its payer’s alone, and over once it is cancelled', () => {
    started()
      .thenRejects(changing({ amountMinor: 700 }, 'usr_juno'), 'SubscriptionNotFound')
      .do(cancel)
      .thenRejects(changing({ amountMinor: 700 }), 'SubscriptionCanceled');
  });
});
