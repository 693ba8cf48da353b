/** When an answer to a GET says that it may be out of date. */
import { describe, expect, it } from '@jest/globals';
import { START, type Position } from '#contracts/log';
import { StoreHealth } from '#log/store-health';
import { Freshness } from './freshness.js';

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });

function freshnessAt() {
  const world = { now: 0, reached: START, stoppedBecause: undefined as string | undefined };
  const store = new StoreHealth(() => world.now);
  const freshness = new Freshness(store, world, () => world.now);
  const told: boolean[] = [];
  freshness.onChange((isStale) => told.push(isStale));
  return { world, store, freshness, told };
}

describe('the mark of what may be out of date', () => {
  it('stands at once when the read models are known to have stopped', () => {
    const { world, freshness } = freshnessAt();
    expect(freshness.isStale).toBe(false);
    world.stoppedBecause = 'The event 7 of journal has an amount that is no number.';
    expect([freshness.isStale, freshness.isBehind]).toEqual([true, true]);
  });

  it('stands from the outage on until writes are open and the rows have passed the end of the log', () => {
    const { world, store, freshness, told } = freshnessAt();
    world.reached = at(5);
    freshness.endSeen(at(5));
    expect(freshness.isStale).toBe(false);
    store.unanswered();
    expect(freshness.isStale).toBe(true);
    store.answered();
    freshness.endSeen(at(5));
    expect(freshness.isStale).toBe(true);
    store.appended();
    expect(freshness.isStale).toBe(true);
    freshness.endSeen(at(9));
    expect(freshness.isStale).toBe(true);
    world.reached = at(9);
    freshness.endSeen(at(9));
    expect(freshness.isStale).toBe(false);
    expect(told).toEqual([true, false]);
  });

  it('stands also where the store answers reads and takes no writes', () => {
    const { store, freshness } = freshnessAt();
    store.appendUnanswered();
    expect(freshness.isStale).toBe(true);
  });

  it('does not stand for rows that follow the log, each a moment later', () => {
    const { world, freshness, told } = freshnessAt();
    for (let n = 1; n <= 100; n += 1) {
      world.now += 500;
      freshness.endSeen(at(n));
      world.reached = at(n);
    }
    expect([freshness.isStale, told]).toEqual([false, []]);
  });

  it('stands while the rows stay behind for more than five seconds, and no longer', () => {
    const { world, freshness, told } = freshnessAt();
    for (const now of [0, 2_000, 4_999]) {
      world.now = now;
      freshness.endSeen(at(10 + now));
      expect([freshness.isStale, freshness.isBehind]).toEqual([false, false]);
    }
    world.now = 5_000;
    freshness.endSeen(at(20_000));
    expect([freshness.isStale, freshness.isBehind]).toEqual([true, true]);
    world.reached = at(20_000);
    freshness.endSeen(at(20_000));
    expect([freshness.isStale, told]).toEqual([false, [true, false]]);
  });
});
