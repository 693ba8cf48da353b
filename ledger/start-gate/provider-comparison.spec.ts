/** What this ledger made at the provider, compared with the log once after a start. */
import { describe, expect, it } from '@jest/globals';
import { Journal } from '#ledger/journal/journal';
import { archiveOf } from '#test/support/log-archive';
import { contextOf, JUNO, MILO, open, openAccount } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import { WritesClosed } from '../rejection.js';
import type { SealedObject } from '../stripe/sealed-objects.js';
import { NotCompared, ProviderComparison } from './provider-comparison.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A journal with a payment every hour, each hour's recorded in it. */
async function world(hours: number) {
  let nowMs = Date.now() - hours * HOUR_MS;
  const clock = () => new Date(nowMs);
  const log = new MemoryLog(clock);
  const journal = await Journal.open(log, {
    archive: archiveOf(log),
    clock,
    window: { ms: HOUR_MS, entries: 10 },
  });
  for (const user of [JUNO, MILO]) {
    const command = openAccount(user);
    await journal.execute(command, contextOf(command));
  }
  for (let hour = 0; hour < hours; hour++, nowMs += HOUR_MS) {
    const command = open({ paymentId: `pay_${hour}`, amount: '1.00' });
    await journal.execute(command, contextOf(command));
  }
  const state = {
    made: [] as SealedObject[],
    asked: [] as Date[],
    lost: [] as string[],
    due: undefined as Date | undefined,
    looks: 0,
  };
  const make = (subjectId: string, kind: SealedObject['kind'] = 'payment'): void =>
    void state.made.push({ kind, objectId: `made_for_${subjectId}`, subjectId, madeAt: '' });
  const process = () =>
    new ProviderComparison({
      log,
      journal: {
        look: (kind, id) => {
          state.looks += 1;
          return journal.look(kind, id);
        },
      },
      objects: {
        since(since) {
          state.asked.push(since);
          return Promise.resolve(state.made);
        },
      },
      lost: {
        found(kind, id) {
          state.lost.push(`${kind} ${id}`);
          return Promise.reject(new WritesClosed('lost'));
        },
      },
      due(since) {
        if (!state.due || since < state.due) state.due = since;
        return Promise.resolve(state.due);
      },
      done(since) {
        if (state.due && state.due >= since) state.due = undefined;
        return Promise.resolve();
      },
    });
  return { journal, state, make, process };
}

describe('a comparison with the provider', () => {
  it('lets nothing be moved before it is done, and goes back a day behind the last entry', async () => {
    const { journal, state, make, process } = await world(48);
    make('pay_47');
    const comparison = process();
    const { recordedAtMs } = journal.end!;
    await comparison.begin(recordedAtMs);
    expect(() => comparison.assertDone()).toThrow(NotCompared);
    expect(await comparison.attempt()).toBe(1);
    comparison.assertDone();
    expect(state.asked).toEqual([new Date(recordedAtMs - DAY_MS)]);
    expect([state.lost, state.due]).toEqual([[], undefined]);
  });

  it('asks the journal for none that the log opened in that time, and finds an older one all the same', async () => {
    const { journal, state, make, process } = await world(48);
    for (let hour = 30; hour < 48; hour++) make(`pay_${hour}`);
    const comparison = process();
    await comparison.begin(journal.end!.recordedAtMs);
    await comparison.attempt();
    expect(state.looks).toBe(0);
    make('pay_3');
    await comparison.attempt();
    expect([state.looks, state.lost]).toEqual([1, []]);
  });

  it.each(['payment', 'transfer'] as const)('finds a %s that the log has lost', async (kind) => {
    const { journal, state, make, process } = await world(3);
    make('pay_2');
    make('lost', kind);
    const comparison = process();
    await comparison.begin(journal.end!.recordedAtMs);
    await expect(comparison.attempt()).rejects.toThrow(WritesClosed);
    expect(state.lost).toEqual([`${kind} made_for_lost`]);
    expect(() => comparison.assertDone()).toThrow(NotCompared);
    expect(state.due).toBeDefined();
  });

  it('goes back as far as a process had to that ended before it was done', async () => {
    const { journal, state, process } = await world(3);
    const longAgo = journal.end!.recordedAtMs - 5 * DAY_MS;
    await process().begin(longAgo);
    const comparison = process();
    await comparison.begin(journal.end!.recordedAtMs);
    await comparison.attempt();
    expect(state.asked).toEqual([new Date(longAgo - DAY_MS)]);
    expect(state.due).toBeUndefined();
  });

  it('has nothing to compare over an empty journal', async () => {
    const { state, process } = await world(0);
    const comparison = process();
    await comparison.begin(undefined);
    comparison.assertDone();
    expect(state.asked).toEqual([]);
  });

  it('is done again after a recovery', async () => {
    const { journal, process } = await world(3);
    const comparison = process();
    await comparison.begin(journal.end!.recordedAtMs);
    await comparison.attempt();
    comparison.reset();
    expect(() => comparison.assertDone()).toThrow(NotCompared);
    await comparison.attempt();
    comparison.assertDone();
  });
});
