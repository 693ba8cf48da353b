/** Counting a payer's schedules at two ledgers, over one log. */
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { DEFAULT_LIMITS } from '#contracts/limits';
import type { ExecuteStreamCommand } from '#ledger/bus/execute-stream-command';
import { StreamRunner } from '#ledger/streams/runner';
import { MemoryLog } from '#test/support/memory-log';
import { ScheduleCounts } from './schedule-counts.js';
import { subscription } from './subscription.decider.js';

const MILO = 'usr_milo';
const BY = { correlationId: 'spec' };
let nowMs = Date.parse('2026-03-01T12:00:00.000Z');
const clock = { now: () => new Date(nowMs) };

function world(living: readonly string[] = [], most = 3) {
  const log = new MemoryLog(() => clock.now());
  const ledger = () => {
    const streams = new StreamRunner(log, () => clock.now());
    const bus = {
      execute: ({ decider, id, command, provenance }: ExecuteStreamCommand<never, never, never>) =>
        streams.execute(decider, id, command, provenance),
    } as unknown as CommandBus;
    const found = living.map((id) => ({ id, kind: 'subscription' as const, payerId: MILO }));
    const limits = { limits: { ...DEFAULT_LIMITS, subscriptions: most } };
    return {
      streams,
      counts: new ScheduleCounts(bus, streams, { of: () => Promise.resolve(found) }, limits, clock),
    };
  };
  const [here, there] = [ledger(), ledger()];
  const make = (id: string) =>
    here.streams.execute(
      subscription,
      id,
      {
        type: 'CreateSubscription',
        subscriptionId: id,
        payerId: MILO,
        recipientId: 'usr_juno',
        amountMinor: 500,
        currency: 'usd',
        frequency: 'monthly',
        description: undefined,
        fingerprint: id,
        now: clock.now(),
      },
      BY,
    );
  const end = (id: string) =>
    here.streams.execute(subscription, id, { type: 'CancelSubscription', by: MILO, now: clock.now() }, BY);
  return { here, there, make, end };
}
const place = (id: string) => ({ scheduleId: id, scheduleKind: 'subscription', amountMinor: 500 }) as const;

describe('places for schedules', () => {
  it('are given to three of ten that two ledgers ask for at once', async () => {
    const { here, there } = world();
    const asked = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 === 0 ? here : there).counts.take(MILO, place(`sub_${n}`), BY),
      ),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const answer of asked)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ reason: 'TooManySubscriptions' });
  });

  it('are given to all of thirty that come at once, where there is room', async () => {
    const { here, there } = world([], 30);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        (n % 2 === 0 ? here : there).counts.take(MILO, place(`sub_${n}`), BY),
      ),
    );
    await expect(here.counts.take(MILO, place('sub_one_more'), BY)).rejects.toThrow('30 subscriptions');
  });

  it('are free again once a schedule has ended, and for one that was never made after ten minutes', async () => {
    const { here, there, make, end } = world();
    for (const id of ['sub_1', 'sub_2', 'sub_3']) await here.counts.take(MILO, place(id), BY);
    for (const id of ['sub_1', 'sub_2']) await make(id);
    await expect(there.counts.take(MILO, place('sub_4'), BY)).rejects.toThrow('Cancel one first');
    await end('sub_1');
    await there.counts.take(MILO, place('sub_4'), BY);
    await make('sub_4');
    await expect(here.counts.take(MILO, place('sub_5'), BY)).rejects.toThrow('Cancel one first');
    nowMs += 11 * 60_000;
    await here.counts.take(MILO, place('sub_5'), BY);
  });

  it('are taken by what an older version has made already', async () => {
    const { here, make } = world(['sub_old1', 'sub_old2']);
    await make('sub_old1');
    await make('sub_old2');
    await here.counts.take(MILO, place('sub_1'), BY);
    await expect(here.counts.take(MILO, place('sub_2'), BY)).rejects.toThrow(
      'You can have 3 subscriptions at most. Cancel one first.',
    );
  });
});
