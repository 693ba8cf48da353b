/** What the report of a day finds, on histories that are right and on histories that are not. */
import { describe, expect, it } from '@jest/globals';
import type { OccurrenceEvent } from '#contracts/events/occurrence';
import { subscriptionStream, type SubscriptionEvent } from '#contracts/events/subscription';
import { scheduledPaymentStream, type ScheduledPaymentEvent } from '#contracts/events/schedule';
import { JUNO, MILO } from '#test/support/journal-spec';
import { takeOut } from '#log/quarantine';
import { Story } from '#test/support/story';
import { dayLines, isInOrder, SchedulesReport, type SchedulesDay } from './schedules-report.js';

const ID = 'sub_a';
const at = (day: number, hour = 9): string => `2026-03-0${day}T${String(hour).padStart(2, '0')}:00:00.000Z`;
const about = { scheduleKind: 'subscription', scheduleId: ID, payerId: MILO } as const;

const created: SubscriptionEvent = {
  type: 'SubscriptionCreated',
  data: {
    subscriptionId: ID,
    payerId: MILO,
    recipientId: JUNO,
    amountMinor: 500,
    currency: 'usd',
    frequency: 'daily',
    firstDueAt: at(1),
    fingerprint: 'f',
    at: at(1),
  },
};
const occurrence = (day: number, attempt = 1) => ({
  ...about,
  occurrenceId: `occ_${day}`,
  dueAt: at(day),
  attempt,
});
const claimed = (day: number, when = at(day)): OccurrenceEvent => ({
  type: 'OccurrenceClaimed',
  data: { ...occurrence(day), nextDueAt: at(day + 1), at: when },
});
const collected = (day: number): OccurrenceEvent => ({
  type: 'OccurrenceCollected',
  data: { ...occurrence(day), paidBy: 'balance', transactionId: `trf_${day}`, at: at(day) },
});
const skipped = (from: number, to: number, why: 'superseded' | 'paused'): OccurrenceEvent => ({
  type: 'OccurrencesSkipped',
  data: {
    ...about,
    firstDueAt: at(from),
    lastDueAt: at(to),
    count: to - from + 1,
    why,
    nextDueAt: at(to + 1),
    at: at(to),
  },
});

/**
 * A log with these events in the schedule's stream, and money that moved for the occurrences of these days.
 */
async function reported(
  events: readonly SubscriptionEvent[],
  paid: readonly number[],
  day: number,
): Promise<SchedulesDay> {
  const story = new Story();
  story.command({ type: 'OpenAccount', userId: MILO }, { type: 'OpenAccount', userId: JUNO });
  for (const event of events) story.write(subscriptionStream(ID), event);
  paid.forEach((of, n) => {
    const { scheduleKind: kind, scheduleId, occurrenceId, dueAt, attempt } = occurrence(of);
    const terms = { payerId: MILO, recipientId: JUNO, amountMinor: 500, currency: 'usd' };
    const postings = [
      { debit: `user/${MILO}/available`, credit: `user/${JUNO}/available`, amountMinor: 500 },
    ];
    const cause = { kind, scheduleId, occurrenceId, dueAt, attempt };
    story.entry(
      { type: 'TransferPosted', data: { transferId: `trf_${n}`, ...terms, occurrence: cause, postings } },
      { key: `k${n}` },
    );
  });
  return (await SchedulesReport.of(story.log)).on(at(day).slice(0, 10), new Date(at(9)));
}
const figures = ({ due, run, collected: paid, failed, open, fresh, retried, late }: SchedulesDay) => ({
  due,
  run,
  collected: paid,
  failed,
  open,
  fresh,
  retried,
  late,
});
const ONE = { due: 1, run: 1, collected: 1, failed: 0, open: 0, fresh: 0, retried: 0, late: 0 };

describe('the report of a day', () => {
  it('counts what was due and collected', async () => {
    const day = await reported([created, claimed(1), collected(1)], [1], 1);
    expect([figures(day), isInOrder(day)]).toEqual([ONE, true]);
    expect(dayLines(day).join('\n')).toMatch(/^collected +1$/m);
  });
  it('counts what was claimed late', async () =>
    expect(figures(await reported([created, claimed(1, at(1, 10)), collected(1)], [1], 1))).toEqual({
      ...ONE,
      late: 1,
    }));
  it('counts what was skipped, within a stretch of days', async () => {
    const day = await reported([created, skipped(1, 3, 'superseded'), claimed(4), collected(4)], [4], 2);
    expect([day.due, day.skipped.superseded, isInOrder(day)]).toEqual([1, 1, true]);
  });
  it('knows that nothing is due in a pause or after a cancel', async () => {
    const own = { subscriptionId: ID, payerId: MILO };
    const paused: SubscriptionEvent = { type: 'SubscriptionPaused', data: { ...own, at: at(1, 10) } };
    const canceled: SubscriptionEvent = { type: 'SubscriptionCanceled', data: { ...own, at: at(1, 10) } };
    for (const end of [paused, canceled]) {
      const day = await reported([created, claimed(1), collected(1), end], [1], 3);
      expect([day.due, isInOrder(day)]).toEqual([0, true]);
    }
  });

  it('finds what is missing: due by the calendar, and nobody claimed or skipped it', async () => {
    const day = await reported([created, claimed(1), collected(1)], [1], 2);
    expect([day.due, day.missing, isInOrder(day)]).toEqual([1, [`${ID} ${at(2)}`], false]);
  });
  it('finds what was claimed, ended or paid twice', async () => {
    const day = await reported([created, claimed(1), claimed(1), collected(1), collected(1)], [1, 1], 1);
    expect(day.doubled).toEqual([
      `${ID} ${at(1)}: claimed 2 times`,
      `${ID} ${at(1)}: ended 2 times (collected, collected)`,
      `${ID} ${at(1)}: paid 2 times (trf_0, trf_1)`,
    ]);
  });
  it('finds money without a claim, a claim without a due time, and an end that the money does not bear out', async () => {
    expect((await reported([created], [2], 2)).disagreements).toEqual([
      `${ID} ${at(2)}: money moved (trf_0) and nobody claimed it`,
    ]);
    expect((await reported([created, claimed(1), collected(1)], [], 1)).disagreements).toEqual([
      `${ID} ${at(1)}: collected, and no money moved`,
    ]);
    expect((await reported([created, skipped(1, 1, 'paused')], [1], 1)).disagreements).toContain(
      `${ID} ${at(1)}: paused, and money moved (trf_0)`,
    );
    const noon: OccurrenceEvent = {
      type: 'OccurrenceClaimed',
      data: { ...occurrence(1), dueAt: at(1, 12), at: at(1, 12) },
    };
    expect((await reported([created, claimed(1), collected(1), noon], [1], 1)).disagreements).toEqual([
      `${ID} ${at(1, 12)}: claimed at a time that its calendar does not have`,
    ]);
  });
});

describe('a scheduled payment that is moved', () => {
  const SCHEDULE = 'sch_a';
  const own = { scheduleId: SCHEDULE, payerId: MILO };
  const once = {
    ...own,
    scheduleKind: 'scheduled-payment',
    occurrenceId: 'occ_a',
    dueAt: at(2),
    attempt: 1,
  } as const;
  const made: ScheduledPaymentEvent = {
    type: 'PaymentScheduled',
    data: {
      ...own,
      recipientId: JUNO,
      amountMinor: 500,
      currency: 'usd',
      dueAt: at(2),
      fingerprint: 'f',
      at: at(1),
    },
  };
  const moved = (when: string): ScheduledPaymentEvent => ({
    type: 'ScheduledPaymentMoved',
    data: { ...own, dueAt: at(4), at: when },
  });
  const report = async (...events: ScheduledPaymentEvent[]): Promise<SchedulesReport> => {
    const story = new Story();
    for (const event of events) story.write(scheduledPaymentStream(SCHEDULE), event);
    return SchedulesReport.of(story.log);
  };
  const day = (n: number): string => at(n).slice(0, 10);
  const now = new Date(at(4, 10));

  it('is due at its new time alone where it had not been due before', async () => {
    const moves = await report(made, moved(at(1)));
    expect(moves.on(day(2), now).due).toBe(0);
    expect(moves.on(day(4), now).missing).toEqual([`${SCHEDULE} ${at(4)}`]);
  });
  it('keeps what became of the time before', async () => {
    const failed: OccurrenceEvent = {
      type: 'OccurrenceFailed',
      data: { ...once, code: 'no', reason: 'No.', at: at(2) },
    };
    const claim: OccurrenceEvent = { type: 'OccurrenceClaimed', data: { ...once, at: at(2) } };
    const moves = await report(made, claim, failed, moved(at(3)));
    expect(moves.on(day(2), now)).toMatchObject({ due: 1, failed: 1, disagreements: [] });
    expect(moves.on(day(4), now)).toMatchObject({ due: 1, run: 0 });
    expect(moves.days(now)).toContain(day(2));
  });
});

describe('what an operator took out', () => {
  const STREAM = subscriptionStream(ID);
  const takenOut = async (story: Story, revision: number): Promise<SchedulesDay> => {
    await takeOut(story.log, { stream: STREAM, revision, because: 'A test.' }, new Date(story.nowMs));
    return (await SchedulesReport.of(story.log)).on(at(1).slice(0, 10), new Date(at(1)));
  };

  it('counts for nothing: a stranger had written that a due time ended once more', async () => {
    const story = new Story();
    for (const event of [created, claimed(1), skipped(1, 1, 'paused')]) story.write(STREAM, event);
    const { data, metadata } = story.log.all.at(-1)!;
    const stored = metadata.value as Record<string, unknown>;
    story.log.put(STREAM, {
      id: 'strange',
      type: 'OccurrencesSkipped',
      data: data.value as object,
      metadata: { ...stored, hash: 'of no chain' },
    });
    const day = await takenOut(story, 3);
    expect([day.doubled, isInOrder(day)]).toEqual([[], true]);
  });

  it('leaves all other schedules to be told of, where it had made one', async () => {
    const story = new Story();
    story.log.put(STREAM, { id: 'strange', type: 'SubscriptionCreated', data: {}, metadata: {} });
    story.write(STREAM, claimed(1));
    const scheduleId = 'sch_a';
    const once = { ...created.data, scheduleId, dueAt: at(1) };
    story.write(scheduledPaymentStream(scheduleId), { type: 'PaymentScheduled', data: once } as never);
    expect(await takenOut(story, 0)).toMatchObject({ due: 1, fresh: 1, disagreements: [] });
  });
});
