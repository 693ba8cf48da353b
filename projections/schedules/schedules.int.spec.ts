/**
 * Schedules as their payers see them, event by event. Each event is fed twice; a replay yields the same rows.
 */
import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts/events/index';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import { subscriptionStream } from '#contracts/events/subscription';
import { JUNO, MILO } from '#test/support/journal-spec';
import { profileOf, sealedFor } from '#test/support/plain-vault';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { dueSchedules, scheduleForPayer, schedulesOf } from './queries.js';

const sides = useReadSides();

const at = (day: number, hour = 9): string => `2026-03-0${day}T${String(hour).padStart(2, '0')}:00:00.000Z`;
const terms = { payerId: MILO, recipientId: JUNO, amountMinor: 500, currency: 'usd', fingerprint: 'f' };
const about = { scheduleKind: 'subscription', scheduleId: 'sub_a', payerId: MILO } as const;
const occurrence = { ...about, occurrenceId: 'occ_a', dueAt: at(1), attempt: 1 };

async function opened(): Promise<{ side: ReadSide; say: (...events: DomainEvent[]) => Promise<void> }> {
  const side = await sides.open();
  side.story.register(JUNO, profileOf('juno'));
  side.story.register(MILO, profileOf('milo'));
  const say = async (...events: DomainEvent[]): Promise<void> => {
    for (const event of events) side.story.write(subscriptionStream('sub_a'), event);
    await side.feed();
  };
  await say({
    type: 'SubscriptionCreated',
    data: {
      ...terms,
      subscriptionId: 'sub_a',
      frequency: 'weekly',
      firstDueAt: at(1),
      description: sealedFor(MILO, 'For the choir'),
      at: at(1),
    },
  });
  return { side, say };
}
const seen = (side: ReadSide) => scheduleForPayer(side.db, 'sub_a', MILO);
const dueAt = async (side: ReadSide, when: string) => dueSchedules(side.db, new Date(when), 10);

describe('a subscription', () => {
  it('is its payer’s alone, with the recipient’s names, and due at once', async () => {
    const { side } = await opened();
    expect(await seen(side)).toMatchObject({
      status: 'active',
      recipientUsername: 'juno',
      recipientFirstName: 'Juno',
      description: 'For the choir',
      nextDueAt: new Date(at(1)),
      stage: null,
    });
    // In privacy mode they are their username to everybody else.
    side.story.switch(JUNO, 'privacyModeEnabled', true);
    await side.feed();
    expect(await seen(side)).toMatchObject({
      recipientUsername: 'juno',
      recipientFirstName: null,
      recipientLastName: null,
    });
    expect(await scheduleForPayer(side.db, 'sub_a', JUNO)).toBeUndefined();
    expect((await schedulesOf(side.db, JUNO, { kind: 'subscription', limit: 10 })).lines).toEqual([]);
    expect(await dueAt(side, at(1))).toEqual([
      { id: 'sub_a', kind: 'subscription', dueAt: new Date(at(1)), attempt: 1, wakeAt: new Date(at(1)) },
    ]);
  });

  it('goes from claim to failure to the next attempt, each at its time', async () => {
    const { side, say } = await opened();
    await say({ type: 'OccurrenceClaimed', data: { ...occurrence, nextDueAt: at(8), at: at(1) } });
    expect(await seen(side)).toMatchObject({ stage: 'collecting', nextDueAt: new Date(at(8)) });
    // Whoever claimed it is at it; somebody else looks half a minute later.
    expect(await dueAt(side, at(1))).toEqual([]);
    expect(await dueAt(side, at(1, 10))).toMatchObject([{ dueAt: new Date(at(1)), attempt: 1 }]);
    const failure = { code: 'generic_decline', reason: 'Your card was declined.' };
    await say({
      type: 'OccurrenceAttemptFailed',
      data: { ...occurrence, ...failure, retryAt: at(1, 11), at: at(1, 10) },
    });
    expect(await seen(side)).toMatchObject({
      stage: 'waiting',
      lastFailureReason: 'Your card was declined.',
    });
    expect(await dueAt(side, at(1, 10))).toEqual([]);
    expect(await dueAt(side, at(1, 11))).toMatchObject([{ dueAt: new Date(at(1)), attempt: 2 }]);
    await say(
      { type: 'OccurrenceRetried', data: { ...occurrence, attempt: 2, at: at(1, 11) } },
      { type: 'OccurrenceFailed', data: { ...occurrence, ...failure, attempt: 2, at: at(1, 11) } },
      {
        type: 'SubscriptionPaused',
        data: { subscriptionId: 'sub_a', payerId: MILO, ...failure, at: at(1, 11) },
      },
    );
    expect(await seen(side)).toMatchObject({
      status: 'paused',
      pauseReason: 'Your card was declined.',
      stage: null,
    });
    expect(await dueAt(side, at(9))).toEqual([]);
  });

  it('can be paid now while its payment has failed, from what its payer chooses', async () => {
    const { side, say } = await opened();
    const own = { subscriptionId: 'sub_a', payerId: MILO };
    const failure = { code: 'generic_decline', reason: 'Your card was declined.' };
    const charged = { from: 'card', cardId: 'crd_old' } as const;
    await say(
      { type: 'OccurrenceClaimed', data: { ...occurrence, nextDueAt: at(8), at: at(1) } },
      { type: 'OccurrenceFailed', data: { ...occurrence, ...failure, charged, at: at(1) } },
      { type: 'SubscriptionPaused', data: { ...own, ...failure, at: at(1) } },
    );
    expect(await seen(side)).toMatchObject({
      failedDueAt: new Date(at(1)),
      lastFailureFrom: 'card',
      lastFailureCardId: 'crd_old',
      sourceFrom: 'balance_then_card',
    });
    const card = { customerId: 'cus_milo', paymentMethodId: 'pm_new' };
    await say(
      { type: 'SubscriptionAmountChanged', data: { ...own, amountMinor: 700, at: at(2) } },
      {
        type: 'SubscriptionSourceChosen',
        data: { ...own, source: { from: 'card', card, cardId: 'crd_new' }, at: at(2) },
      },
      { type: 'SubscriptionResumed', data: { ...own, at: at(2) } },
      { type: 'OccurrenceRetried', data: { ...occurrence, attempt: 2, asked: true, at: at(2) } },
    );
    expect(await seen(side)).toMatchObject({
      status: 'active',
      stage: 'collecting',
      amountMinor: 700,
      sourceFrom: 'card',
      sourceCardId: 'crd_new',
      failedDueAt: null,
    });
    await say({
      type: 'OccurrenceCollected',
      data: { ...occurrence, attempt: 2, paidBy: 'card', transactionId: 'pay_a', at: at(2) },
    });
    expect(await seen(side)).toMatchObject({ lastFailureReason: null, lastFailureFrom: null, stage: null });
    expect(await dueAt(side, at(8))).toMatchObject([{ dueAt: new Date(at(8)) }]);
  });

  it('that waits for its payer is looked after when their time is over, or at once when the money has come', async () => {
    const { side, say } = await opened();
    const asked = { paymentId: 'pay_a', reason: 'Confirm.', confirmBy: at(2) };
    await say(
      { type: 'OccurrenceClaimed', data: { ...occurrence, nextDueAt: at(8), at: at(1) } },
      { type: 'OccurrenceConfirmationNeeded', data: { ...occurrence, ...asked, at: at(1) } },
    );
    expect(await seen(side)).toMatchObject({
      stage: 'confirming',
      paymentId: 'pay_a',
      confirmBy: new Date(at(2)),
    });
    expect(await dueAt(side, at(1, 23))).toEqual([]);
    expect(await dueAt(side, at(2))).toHaveLength(1);
    await say({
      type: 'SubscriptionCanceled',
      data: { subscriptionId: 'sub_a', payerId: MILO, at: at(1, 12) },
    });
    expect(await dueAt(side, at(1, 12))).toHaveLength(1);
    const paidBy = { paidBy: 'card', transactionId: 'pay_a' } as const;
    await say({ type: 'OccurrenceCollected', data: { ...occurrence, ...paidBy, at: at(1, 13) } });
    expect(await seen(side)).toMatchObject({
      status: 'canceled',
      stage: null,
      lastCollectedAt: new Date(at(1, 13)),
    });
    expect(await dueAt(side, at(9))).toEqual([]);
  });

  it('keeps nothing that a forgotten payer wrote', async () => {
    const { side } = await opened();
    side.story.forget(MILO);
    await side.feed();
    expect(await seen(side)).toMatchObject({ description: null, amountMinor: 500 });
  });

  it('that was never made stops the projector', async () => {
    const { side } = await opened();
    side.story.write(subscriptionStream('sub_b'), {
      type: 'SubscriptionResumed',
      data: { subscriptionId: 'sub_b', payerId: MILO, at: at(1) },
    });
    await expect(side.feed()).rejects.toThrow(/never made/);
    side.story.log.all.pop();
  });
});

describe('scheduled payments', () => {
  it('are listed newest first, page by page, and by status, day and text', async () => {
    const { side } = await opened();
    for (const [id, day] of [
      ['sch_a', 5],
      ['sch_b', 6],
      ['sch_c', 7],
    ] as const)
      side.story.write(scheduledPaymentStream(id), {
        type: 'PaymentScheduled',
        data: {
          ...terms,
          scheduleId: id,
          dueAt: at(day),
          description: sealedFor(MILO, `Day ${day}`),
          at: at(1),
        },
      });
    side.story.write(scheduledPaymentStream('sch_b'), {
      type: 'ScheduledPaymentCanceled',
      data: { scheduleId: 'sch_b', payerId: MILO, at: at(2) },
    });
    await side.feed();
    const list = async (more: object) => {
      const { lines, next } = await schedulesOf(side.db, MILO, {
        kind: 'scheduled-payment',
        limit: 2,
        ...more,
      });
      return { ids: lines.map(({ id }) => id), next };
    };
    const first = await list({});
    expect(first.ids).toEqual(['sch_c', 'sch_b']);
    expect(await list({ cursor: first.next })).toEqual({ ids: ['sch_a'], next: undefined });
    expect((await list({ status: 'canceled' })).ids).toEqual(['sch_b']);
    expect((await list({ from: new Date(at(6)), until: new Date(at(7)) })).ids).toEqual(['sch_b']);
    expect((await list({ text: 'day 5' })).ids).toEqual(['sch_a']);
    expect((await list({ text: 'JUNO', status: 'pending' })).ids).toEqual(['sch_c', 'sch_a']);
    expect((await list({ text: 'milo' })).ids).toEqual([]);
    expect((await dueAt(side, at(7))).map(({ id }) => id)).toEqual(['sub_a', 'sch_a', 'sch_c']);
    const subscriptions = async (more: object) =>
      (await schedulesOf(side.db, MILO, { kind: 'subscription', ...more })).lines.map(({ id }) => id);
    expect(await subscriptions({ frequency: 'weekly', text: 'choir', from: new Date(at(1)) })).toEqual([
      'sub_a',
    ]);
    expect(await subscriptions({ frequency: 'daily' })).toEqual([]);
    expect(await subscriptions({ until: new Date(at(1)) })).toEqual([]);
  });
});
