import { describe, expect, it } from '@jest/globals';
import { StreamStory } from '#test/support/stream-spec';
import {
  scheduledPayment,
  type KnownScheduledPayment,
  type ScheduledPaymentCommand,
} from './scheduled-payment.decider.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = '2026-03-01T12:00:00.000Z';
const DUE = '2026-03-05T18:30:00.000Z';

type Step = (now: Date) => ScheduledPaymentCommand;
const scheduling =
  (other: object = {}): Step =>
  (now) => ({
    type: 'SchedulePayment',
    scheduleId: 'sch_a',
    payerId: 'usr_milo',
    recipientId: 'usr_juno',
    amountMinor: 2_000,
    currency: 'usd',
    dueAt: DUE,
    description: undefined,
    fingerprint: 'f',
    now,
    ...other,
  });
const cancel: Step = (now) => ({ type: 'CancelScheduledPayment', by: 'usr_milo', now });
const claim: Step = (now) => ({ type: 'ClaimDue', now });

class Story extends StreamStory<
  typeof scheduledPayment.initial,
  ScheduledPaymentCommand,
  Parameters<typeof scheduledPayment.evolve>[1]
> {
  get known(): KnownScheduledPayment {
    if (this.state.status === 'none') throw new Error('There is no scheduled payment yet.');
    return this.state;
  }
  private get about() {
    const { open } = this.known;
    return { occurrenceId: open?.occurrenceId ?? 'none', attempt: open?.attempt ?? 1 };
  }
  readonly collected: Step = (now) => ({
    type: 'RecordCollected',
    ...this.about,
    paidBy: 'card',
    transactionId: 'pay_a',
    now,
  });
  readonly failing =
    (isFinal: boolean): Step =>
    (now) => ({
      type: 'RecordFailure',
      ...this.about,
      code: 'no',
      reason: 'No.',
      isFinal,
      isOurs: false,
      now,
    });
  readonly failed = this.failing(false);
}
const scheduled = (): Story => new Story(scheduledPayment).at(TODAY).do(scheduling());

describe('a scheduled payment', () => {
  it('is made once, and must lie in the future', () => {
    scheduled()
      .thenNothing(scheduling())
      .thenNothing(scheduling({ fingerprint: 'f2.new f' }))
      .thenRejects(scheduling({ fingerprint: 'g' }), 'KeyReused');
    const story = new Story(scheduledPayment).at(DUE);
    story
      .thenRejects(scheduling(), 'DueInThePast')
      .thenRejects(scheduling({ recipientId: 'usr_milo' }), 'SamePerson');
  });
  it('is claimed when it is due, once, and completed when it is paid', () => {
    const made = scheduled().thenNothing(claim).at(DUE).then(claim, 'OccurrenceClaimed').thenNothing(claim);
    expect(made.known.status).toBe('pending');
    made.then(made.collected, 'OccurrenceCollected').thenNothing(made.collected).thenNothing(claim);
    expect(made.known.status).toBe('completed');
    made.thenRejects(cancel, 'ScheduledPaymentCompleted');
  });
  it('is collected late rather than never', () => {
    expect(
      scheduled()
        .at(DUE)
        .at(14 * DAY)
        .then(claim, 'OccurrenceClaimed')
        .last('OccurrenceClaimed').data.dueAt,
    ).toBe(DUE);
  });
  it('is tried four times, then has failed', () => {
    const made = scheduled().at(DUE).do(claim);
    for (const after of [HOUR, DAY, 3 * DAY])
      made.then(made.failed, 'OccurrenceAttemptFailed').at(after).then(claim, 'OccurrenceRetried');
    made
      .then(made.failed, 'OccurrenceFailed')
      .thenNothing(claim)
      .thenRejects(cancel, 'ScheduledPaymentFailed');
    expect(made.known.status).toBe('failed');
  });
  it('is not tried again where that cannot help', () => {
    const made = scheduled().at(DUE).do(claim);
    made.then(made.failing(true), 'OccurrenceFailed');
  });
  it('is cancelled while it is pending, once, by its payer', () => {
    const made = scheduled().thenRejects(
      (now) => ({ type: 'CancelScheduledPayment', by: 'usr_ada', now }),
      'ScheduledPaymentNotFound',
    );
    made.then(cancel, 'ScheduledPaymentCanceled').thenNothing(cancel).at(DUE).thenNothing(claim);
    expect(made.known.status).toBe('canceled');
  });
  it('is cancelled at its due time as long as nobody has claimed it', () => {
    scheduled().at(DUE).then(cancel, 'OccurrencesSkipped', 'ScheduledPaymentCanceled').thenNothing(claim);
  });
  it('is not stopped once it was claimed, but no further attempt is made', () => {
    const paid = scheduled().at(DUE).do(claim).then(cancel, 'ScheduledPaymentCanceled');
    expect(paid.known.status).toBe('pending');
    paid.then(paid.collected, 'OccurrenceCollected');
    expect(paid.known.status).toBe('completed');
    const unpaid = scheduled().at(DUE).do(claim, cancel);
    unpaid.then(unpaid.failed, 'OccurrenceFailed').thenNothing(claim).thenNothing(cancel);
    expect(unpaid.known.status).toBe('canceled');
  });
  it('ends with the reason when one of the two is forgotten, unless it has ended already', () => {
    const end: Step = (now) => ({ type: 'EndScheduledPayment', why: 'payer_forgotten', now });
    const made = scheduled().then(end, 'ScheduledPaymentCanceled').thenNothing(end);
    expect(made.last('ScheduledPaymentCanceled').data).toMatchObject({
      code: 'payer_forgotten',
      reason: 'The payer has closed their account.',
    });
    const paid = scheduled().at(DUE).do(claim);
    paid.do(paid.collected).thenNothing(end);
  });
  it('between two attempts is cancelled for good', () => {
    const made = scheduled().at(DUE).do(claim);
    made
      .do(made.failed)
      .then(cancel, 'OccurrencesSkipped', 'ScheduledPaymentCanceled')
      .at(HOUR)
      .thenNothing(claim);
    expect(made.known).toMatchObject({ status: 'canceled', open: undefined });
  });
});

const LATER = '2026-03-09T18:30:00.000Z';
const payNow: Step = (now) => ({ type: 'PayNow', by: 'usr_milo', dueAt: DUE, now });
const changing =
  (change: { amountMinor?: number; dueAt?: string }, by = 'usr_milo'): Step =>
  (now) => ({ type: 'ChangeScheduledPayment', by, ...change, now });

describe('a scheduled payment that has failed', () => {
  const failedForGood = (): Story => {
    const made = scheduled().at(DUE).do(claim);
    return made.do(made.failing(true));
  };
  it('is tried again when its payer asks for it, and is paid once', () => {
    const made = failedForGood().then(payNow, 'OccurrenceRetried').thenNothing(payNow).thenNothing(claim);
    expect(made.known.status).toBe('pending');
    made.then(made.collected, 'OccurrenceCollected').thenNothing(payNow).thenNothing(claim);
    expect(made.known.status).toBe('completed');
  });
  it('has failed again where that fails', () => {
    const made = failedForGood().do(payNow);
    made.then(made.failing(true), 'OccurrenceFailed');
    expect(made.known.status).toBe('failed');
  });
  it('is due anew at another date', () => {
    const made = failedForGood().then(changing({ dueAt: LATER }), 'ScheduledPaymentMoved');
    expect(made.known.status).toBe('pending');
    made.thenRejects(payNow, 'NothingToPayNow').thenNothing(claim).at(LATER).then(claim, 'OccurrenceClaimed');
    expect(made.last('OccurrenceClaimed').data).toMatchObject({ dueAt: LATER, attempt: 1 });
  });
});

describe('a scheduled payment with a chosen source', () => {
  it('is paid from it; the usual one is not recorded, and a repeat is quiet', () => {
    const source = { from: 'balance' };
    const made = new Story(scheduledPayment)
      .at(TODAY)
      .then(scheduling({ source }), 'PaymentScheduled', 'ScheduledPaymentSourceChosen');
    made.thenNothing(scheduling({ source })).thenNothing(scheduling()).at(DUE).do(claim);
    expect(made.known.open?.terms).toEqual({ amountMinor: 2_000, source });
    new Story(scheduledPayment)
      .at(TODAY)
      .then(scheduling({ source: { from: 'balance_then_card' } }), 'PaymentScheduled');
  });
});

describe('changing a scheduled payment', () => {
  it('moves it before it is due, and gives up what was to be tried again', () => {
    const made = scheduled()
      .then(changing({ dueAt: LATER }), 'ScheduledPaymentMoved')
      .at(DUE);
    made
      .thenNothing(claim)
      .at(LATER)
      .do(claim)
      .thenNothing(changing({ dueAt: LATER }));
    made.thenRejects(changing({ dueAt: '2026-03-20T10:00:00.000Z' }), 'OccurrenceUnderWay');
    made
      .do(made.failed)
      .then(changing({ dueAt: '2026-03-20T10:00:00.000Z' }), 'OccurrencesSkipped', 'ScheduledPaymentMoved')
      .at(HOUR)
      .thenNothing(claim);
  });
  it('cannot be moved into the past, nor changed by anybody else, nor once it was made or cancelled', () => {
    scheduled()
      .thenRejects(changing({ dueAt: TODAY }), 'DueInThePast')
      .thenRejects(changing({ amountMinor: 1 }, 'usr_juno'), 'ScheduledPaymentNotFound')
      .do(cancel)
      .thenRejects(changing({ amountMinor: 1 }), 'ScheduledPaymentEnded')
      .thenRejects(payNow, 'ScheduledPaymentEnded');
    const made = scheduled().at(DUE).do(claim);
    made.do(made.collected).thenRejects(changing({ dueAt: LATER }), 'ScheduledPaymentEnded');
  });
  it('takes another amount, which the next attempt collects', () => {
    const made = scheduled().then(changing({ amountMinor: 2_500 }), 'ScheduledPaymentAmountChanged');
    made
      .thenNothing(changing({ amountMinor: 2_500 }))
      .at(DUE)
      .do(claim);
    expect(made.known.open?.terms.amountMinor).toBe(2_500);
  });
  it('takes no other amount while it is under way: the list would tell of another one than was paid', () => {
    const made = scheduled().at(DUE).do(claim);
    made
      .thenRejects(changing({ amountMinor: 2_500 }), 'OccurrenceUnderWay')
      .thenNothing(changing({ amountMinor: 2_000 }));
    const source = { from: 'balance' } as const;
    made.then(
      (now) => ({ type: 'ChangeScheduledPayment', by: 'usr_milo', source, now }),
      'ScheduledPaymentSourceChosen',
    );
    made.do(made.failed).then(changing({ amountMinor: 2_500 }), 'ScheduledPaymentAmountChanged');
  });
});
