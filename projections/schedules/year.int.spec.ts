/**
 * A year of schedules in seconds, over the real rules, journal, flow and read model; afterwards the report by
 * the log: zero missing, zero doubled. Below it, each thing that may come in between.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { isInOrder, SchedulesReport } from '#audit/schedules-report';
import { available } from '#contracts/plain/accounts';
import { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { subscription } from '#ledger/schedules/subscription.decider';
import { ADA, JUNO, MILO, minor } from '#test/support/journal-spec';
import { ScheduleWorld } from '#test/support/schedule-world';
import { sampled } from '#test/support/sample';
import { useStack } from '#test/support/stack';
import { subscriptionOf } from './controller.js';
import { dueBacklog, dueSchedules, scheduleForPayer } from './queries.js';

const stack = useStack(['postgres']);
const worlds: ScheduleWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) {
    expect(await world.rebuildsTheSame()).toEqual([]);
    expect(Object.values(world.journal.trialBalance())).toEqual([0]);
    await world.close();
  }
});

const FROM = '2026-01-31T09:00:00.000Z';

async function open(from = FROM): Promise<ScheduleWorld> {
  const world = await ScheduleWorld.open(stack().env.DATABASE_URL!, from);
  worlds.push(world);
  await world.people('usr_fan', JUNO, MILO, ADA);
  return world;
}

/** All days up to now, added up; each must be in order. */
async function reported(world: ScheduleWorld) {
  const report = await SchedulesReport.of(world.log);
  const days = report.days(world.now).map((day) => report.on(day, world.now));
  for (const day of days)
    expect([day.day, day.missing, day.doubled, day.disagreements]).toEqual([day.day, [], [], []]);
  expect(days.every(isInOrder)).toBe(true);
  const sum = (figure: (day: (typeof days)[number]) => number): number =>
    days.reduce((all, day) => all + figure(day), 0);
  return {
    due: sum(({ due }) => due),
    run: sum(({ run }) => run),
    collected: sum(({ collected }) => collected),
    failed: sum(({ failed }) => failed),
    retried: sum(({ retried }) => retried),
    late: sum(({ late }) => late),
    open: sum(({ open: still }) => still),
    held: sum(({ held }) => held),
    superseded: sum(({ skipped }) => skipped.superseded),
    paused: sum(({ skipped }) => skipped.paused),
    canceled: sum(({ skipped }) => skipped.canceled),
  };
}
const NOTHING = { failed: 0, retried: 0, late: 0, open: 0, held: 0, superseded: 0, paused: 0, canceled: 0 };

describe('a year', () => {
  it('of daily, weekly and monthly payments by balance and by card has every one of them once', async () => {
    const world = await open();
    await world.earn(MILO, '5000.00');
    world.provider.moods.set(ADA, 'pays');
    await world.subscribe({ from: MILO, to: JUNO, amount: '1.00', frequency: 'daily' });
    await world.subscribe({ from: ADA, to: JUNO, amount: '2.00', frequency: 'weekly' });
    await world.subscribe({ from: ADA, to: MILO, amount: '3.00', frequency: 'monthly' });
    await world.schedule({ from: ADA, to: MILO, amount: '7.00', dueAt: '2026-12-24T18:00:00.000Z' });
    await world.liveUntil('2027-01-31T08:59:59.000Z');
    // 365 days, 53 weeks begun, 12 months, one payment.
    const all = 365 + 53 + 12 + 1;
    expect(await reported(world)).toEqual({ ...NOTHING, due: all, run: all, collected: all });
    expect(world.journal.balanceOf(available(JUNO))).toBe(minor('365.00') + 53 * minor('2.00'));
    expect(world.journal.balanceOf(available(MILO))).toBe(
      minor('5000.00') - minor('365.00') + 12 * minor('3.00') + minor('7.00'),
    );
    const monthly = world
      .of('OccurrenceClaimed')
      .filter(({ data }) => data.dueAt.endsWith('-28T09:00:00.000Z'));
    expect(monthly.map(({ data }) => data.dueAt.slice(0, 7))).toContain('2026-02');
  }, 120_000);
});

describe('in between', () => {
  it('the workers were down for two weeks: of a subscription only the latest is collected, a payment is late, and the report says so', async () => {
    const world = await open();
    await world.earn(MILO, '500.00');
    await world.subscribe({ from: MILO, to: JUNO, amount: '1.00', frequency: 'daily' });
    await world.subscribe({ from: MILO, to: JUNO, amount: '2.00', frequency: 'weekly' });
    const payment = await world.schedule({
      from: MILO,
      to: JUNO,
      amount: '9.00',
      dueAt: '2026-02-03T12:00:00.000Z',
    });
    await world.liveUntil('2026-02-01T10:00:00.000Z');
    world.sleepUntil('2026-02-15T10:00:00.000Z');
    await world.scan();
    // Daily: 31 Jan, 1 Feb and 15 Feb; 13 between them skipped. Weekly: 31 Jan and 14 Feb; 7 Feb skipped.
    expect(await reported(world)).toEqual({
      ...NOTHING,
      due: 16 + 3 + 1,
      run: 3 + 2 + 1,
      collected: 3 + 2 + 1,
      superseded: 13 + 1,
      late: 1 + 1 + 1,
    });
    expect(await scheduleForPayer(world.db, payment, MILO)).toMatchObject({ status: 'completed' });
    expect(world.of('OccurrencesSkipped').every(({ data }) => data.why === 'superseded')).toBe(true);
  });

  it('neither balance nor card: tried again, then the subscription pauses with its reason and the payment has failed', async () => {
    const world = await open();
    const weekly = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    const once = await world.schedule({
      from: MILO,
      to: JUNO,
      amount: '5.00',
      dueAt: '2026-02-01T09:00:00.000Z',
    });
    await world.scan();
    expect(await scheduleForPayer(world.db, weekly, MILO)).toMatchObject({
      status: 'active',
      stage: 'waiting',
      retryAt: new Date('2026-01-31T10:00:00.000Z'),
      lastFailureReason: 'Your available balance does not cover this payment, and no card is saved.',
    });
    await world.liveUntil('2026-02-28T09:00:00.000Z');
    expect(await scheduleForPayer(world.db, weekly, MILO)).toMatchObject({
      status: 'paused',
      pauseReason: 'Your available balance does not cover this payment, and no card is saved.',
    });
    expect(await scheduleForPayer(world.db, once, MILO)).toMatchObject({ status: 'failed', stage: null });
    expect(await reported(world)).toEqual({
      ...NOTHING,
      due: 2,
      run: 2,
      collected: 0,
      failed: 2,
      retried: 6,
    });
    expect(world.of('TransferPosted')).toEqual([]);
  });

  it('a tip between two attempts: the next one takes it from the balance', async () => {
    const world = await open();
    world.provider.moods.set(MILO, 'declines');
    const id = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    await world.scan();
    expect(world.of('PaymentCanceled')).toHaveLength(1);
    await world.earn(MILO, '5.00');
    await world.liveUntil('2026-02-01T09:00:00.000Z');
    expect(await scheduleForPayer(world.db, id, MILO)).toMatchObject({
      status: 'active',
      stage: null,
      lastFailureReason: null,
    });
    expect(await reported(world)).toEqual({ ...NOTHING, due: 1, run: 1, collected: 1, retried: 1 });
    expect(world.journal.balanceOf(available(MILO))).toBe(0);
    expect(world.provider.taken.size).toBe(0);
  });

  it('two schedules of one payer race for one balance: one gets it, the other is tried again', async () => {
    const world = await open();
    await world.earn(MILO, '5.00');
    await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'monthly' });
    await world.subscribe({ from: MILO, to: ADA, amount: '5.00', frequency: 'monthly' });
    await world.project();
    const both: Promise<void>[] = [];
    await world.scan((due) => {
      both.push(world.ask(due));
      return Promise.resolve();
    });
    await Promise.all(both);
    await world.project();
    expect(world.of('TransferPosted')).toHaveLength(1);
    expect(world.of('OccurrenceAttemptFailed')).toHaveLength(1);
    expect(world.journal.balanceOf(available(MILO))).toBe(0);
    expect(await reported(world)).toMatchObject({ due: 2, collected: 1, open: 1 });
  });

  it('the bank asks for its customer: the payment waits, and is collected when it is confirmed', async () => {
    const world = await open();
    world.provider.moods.set(MILO, 'asks');
    const id = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    await world.scan();
    const asked = await scheduleForPayer(world.db, id, MILO);
    expect(asked).toMatchObject({ stage: 'confirming', confirmBy: new Date('2026-02-01T09:00:00.000Z') });
    await world.provider.confirm(asked!.paymentId!);
    await world.scan();
    expect(await scheduleForPayer(world.db, id, MILO)).toMatchObject({
      stage: null,
      status: 'active',
      lastFailureReason: null,
    });
    expect(await reported(world)).toEqual({ ...NOTHING, due: 1, run: 1, collected: 1 });
  });

  it('nobody confirms: after a day it is canceled and tried again, four times in all; what is paid later still goes back', async () => {
    const world = await open();
    world.provider.moods.set(MILO, 'asks');
    const id = await world.schedule({
      from: MILO,
      to: JUNO,
      amount: '5.00',
      dueAt: '2026-02-01T09:00:00.000Z',
    });
    await world.liveUntil('2026-02-20T09:00:00.000Z');
    expect(world.of('PaymentCanceled')).toHaveLength(4);
    expect(await scheduleForPayer(world.db, id, MILO)).toMatchObject({
      status: 'failed',
      lastFailureReason: 'The payment was not confirmed in time.',
    });
    const failed = { ...NOTHING, due: 1, run: 1, collected: 0, failed: 1, retried: 3 };
    expect(await reported(world)).toEqual(failed);
    // The provider, against its own word, took the last one after all: what the payer was told stays true,
    // and the money goes back.
    await world.provider.confirm(world.of('PaymentCanceled').at(-1)!.data.paymentId);
    expect(world.of('UnappliedReceived')).toMatchObject([
      { data: { amountMinor: 500, reason: 'attempt-ended' } },
    ]);
    await world.liveUntil('2026-02-21T09:00:00.000Z');
    expect(await scheduleForPayer(world.db, id, MILO)).toMatchObject({ status: 'failed' });
    expect(await reported(world)).toEqual(failed);
    expect(world.journal.balanceOf(available(JUNO))).toBe(0);
  });

  it('the payer confirms, and the bank declines the card all the same: that is why it failed', async () => {
    const world = await open();
    world.provider.moods.set(MILO, 'asks');
    const id = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    await world.scan();
    const { paymentId } = (await scheduleForPayer(world.db, id, MILO))!;
    await world.provider.decline(paymentId!, 'Your card has insufficient funds.');
    await world.liveUntil('2026-02-01T09:05:00.000Z');
    expect(await scheduleForPayer(world.db, id, MILO)).toMatchObject({
      stage: 'waiting',
      lastFailureReason: 'Your card has insufficient funds.',
    });
  });

  it('a cancel at the due time: before the claim nothing is paid, after it exactly once', async () => {
    const world = await open();
    await world.earn(MILO, '50.00');
    const before = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    await world.change(before, MILO, 'CancelSubscription');
    const racing = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    await world.project();
    const races: Promise<void>[] = [];
    await world.scan((due) => {
      races.push(world.ask(due));
      return Promise.resolve();
    });
    await Promise.all([...races, world.change(racing, MILO, 'CancelSubscription')]);
    await world.liveUntil('2026-03-31T09:00:00.000Z');
    const { collected, canceled, due } = await reported(world);
    expect([due, collected + canceled]).toEqual([2, 2]);
    expect(world.of('TransferPosted')).toHaveLength(collected);
    expect(await scheduleForPayer(world.db, racing, MILO)).toMatchObject({ status: 'canceled', stage: null });
  });

  it('a pause, and a provider that is away: what fell into the pause is skipped, the rest is collected when it is back', async () => {
    const world = await open();
    world.provider.moods.set(MILO, 'pays');
    const id = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'daily' });
    await world.liveUntil('2026-02-02T10:00:00.000Z');
    await world.change(id, MILO, 'PauseSubscription');
    await world.liveUntil('2026-02-05T10:00:00.000Z');
    await world.change(id, MILO, 'ResumeSubscription');
    world.provider.moods.set(MILO, 'is-away');
    world.sleepUntil('2026-02-06T09:00:00.000Z');
    expect(await world.scan()).toHaveLength(1);
    world.provider.moods.set(MILO, 'pays');
    await world.liveUntil('2026-02-07T08:00:00.000Z');
    expect(await reported(world)).toEqual({ ...NOTHING, due: 3 + 3 + 1, run: 4, collected: 4, paused: 3 });
  });

  it.each(sampled([1, 2, 3], [2]))(
    'every process dies at every step, and every job comes twice (%i)',
    async (seed) => {
      const world = await open();
      await world.earn(MILO, '30.00');
      world.provider.moods.set(ADA, 'pays');
      world.provider.moods.set(MILO, 'asks');
      for (const from of [MILO, ADA]) {
        await world.subscribe({ from, to: JUNO, amount: '1.50', frequency: 'daily' });
        await world.subscribe({ from, to: JUNO, amount: '4.00', frequency: 'weekly' });
      }
      let random = seed;
      const chance = (): number => (random = (random * 48_271) % 2_147_483_647) / 2_147_483_647;
      await world.liveUntil('2026-03-20T09:00:00.000Z', async (due) => {
        // An append whose answer is lost, on either side of being written, is what a death looks like to the
        // log.
        const fate = chance();
        if (fate < 0.3) world.log.loseNextAppendAfterWriting();
        else if (fate < 0.5) world.log.loseNextAppendBeforeWriting();
        await Promise.allSettled([world.ask(due), world.ask(due)]);
      });
      // A subscription that gives up pauses itself, and with it what fell due meanwhile.
      const { due, run, collected, failed, superseded, paused, open: still } = await reported(world);
      expect(run + superseded + paused).toBe(due);
      expect(collected + failed + still + superseded + paused).toBe(due);
      expect(collected).toBeGreaterThan(20);
      expect(world.journal.balanceOf(available(MILO))).toBeGreaterThanOrEqual(0);
    },
    120_000,
  );
});

describe('a recipient who has asked to be forgotten', () => {
  /** Milo pays Juno every day, and once on the third; she asks on the second, an hour before she is paid. */
  async function leaving() {
    const world = await open('2026-03-01T09:00:00.000Z');
    await world.earn(MILO, '100.00');
    const daily = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'daily' });
    const once = await world.schedule({
      from: MILO,
      to: JUNO,
      amount: '7.00',
      dueAt: '2026-03-03T12:00:00.000Z',
    });
    await world.liveUntil('2026-03-02T08:00:00.000Z');
    await world.asksToBeForgotten(JUNO, 72);
    const received = () => world.journal.balanceOf(available(JUNO));
    const rowOf = async (id: string) => {
      await world.project();
      return scheduleForPayer(world.db, id, MILO);
    };
    return { world, daily, once, received, rowOf };
  }

  it('is paid by nothing that falls due, and its payer has failed in nothing', async () => {
    const { world, daily, once, received, rowOf } = await leaving();
    await world.liveUntil('2026-03-04T20:00:00.000Z');
    expect(received()).toBe(500);
    for (const type of ['OccurrenceFailed', 'OccurrenceAttemptFailed', 'CollectionRefused'] as const)
      expect(world.of(type)).toEqual([]);
    expect(await rowOf(daily)).toMatchObject({ status: 'active', lastFailureReason: null, isLeaving: true });
    expect(await rowOf(once)).toMatchObject({ status: 'pending', lastFailureReason: null, isLeaving: true });
    expect(await subscriptionOf(world.db, MILO, daily)).toMatchObject({
      heldBecause: expect.stringContaining('They are closing their account.'),
    });
    // Nobody asks for it all the while, and no alarm goes off.
    expect(await dueSchedules(world.db, world.now, 10)).toEqual([]);
    expect(await dueBacklog(world.db, world.now)).toEqual({ count: 0, oldest: null });
    expect(await reported(world)).toMatchObject({ due: 5, collected: 1, held: 4, late: 0 });
  });

  it('is paid by nothing once they are forgotten, and every due time is accounted for', async () => {
    const { world, daily, received } = await leaving();
    await world.liveUntil('2026-03-04T20:00:00.000Z');
    const end = { type: 'EndSubscription', why: 'recipient_forgotten', now: world.now } as const;
    await world.bus.execute(new ExecuteStreamCommand(subscription, daily, end, { correlationId: 'spec' }));
    await world.liveUntil('2026-03-06T20:00:00.000Z');
    expect(received()).toBe(500);
    // The payment of once is not ended here.
    expect(await reported(world)).toMatchObject({ collected: 1, canceled: 3, held: 1 });
  });

  it('is paid again by itself once they stay: the latest of each, and what comes after it', async () => {
    const { world, once, received, rowOf } = await leaving();
    await world.liveUntil('2026-03-04T20:00:00.000Z');
    await world.stays(JUNO);
    await world.liveUntil('2026-03-04T20:05:00.000Z');
    expect(received()).toBe(500 + 500 + 700);
    expect(await rowOf(once)).toMatchObject({ status: 'completed', isLeaving: false });
    await world.liveUntil('2026-03-05T20:00:00.000Z');
    expect(received()).toBe(500 + 500 + 700 + 500);
    expect(await reported(world)).toMatchObject({ collected: 4, superseded: 2, held: 0, late: 0, failed: 0 });
  });

  it('is paid by no attempt at what had failed, nor by a job that was made before they asked', async () => {
    const world = await open('2026-03-01T09:00:00.000Z');
    const weekly = await world.subscribe({ from: MILO, to: JUNO, amount: '5.00', frequency: 'weekly' });
    await world.liveUntil('2026-03-01T09:10:00.000Z');
    expect(world.of('OccurrenceAttemptFailed')).toHaveLength(1);
    const [due] = await dueSchedules(world.db, new Date('2026-03-01T10:10:00.000Z'), 10);
    await world.asksToBeForgotten(JUNO, 72);
    expect(await subscriptionOf(world.db, MILO, weekly)).toMatchObject({
      nextTryAt: null,
      failedDueAt: null,
    });
    await world.earn(MILO, '100.00');
    world.sleepUntil('2026-03-01T10:10:00.000Z');
    await world.ask(due!);
    expect(world.of('OccurrenceRetried')).toEqual([]);
    expect(world.journal.balanceOf(available(JUNO))).toBe(0);
    await world.stays(JUNO);
    await world.liveUntil('2026-03-01T10:30:00.000Z');
    expect(world.journal.balanceOf(available(JUNO))).toBe(500);
    expect(await subscriptionOf(world.db, MILO, weekly)).toMatchObject({ lastFailureReason: null });
  });

  it('is paid by what was under way when they asked', async () => {
    const { world, daily, received } = await leaving();
    await world.stays(JUNO);
    world.sleepUntil('2026-03-02T09:00:00.000Z');
    const claim = { type: 'ClaimDue', now: world.now } as const;
    await world.bus.execute(new ExecuteStreamCommand(subscription, daily, claim, { correlationId: 'spec' }));
    await world.asksToBeForgotten(JUNO, 72);
    await world.liveUntil('2026-03-02T10:00:00.000Z');
    expect(received()).toBe(1_000);
  });
});
