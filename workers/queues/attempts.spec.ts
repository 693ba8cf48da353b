import { describe, expect, it } from '@jest/globals';
import { backOffMs } from '../jobs/back-off.js';
import { Attempts, type AttemptStore } from './attempts.js';

const WAITS = { firstMs: 1_000, longestMs: 60_000 };

function world() {
  const kept = new Map<string, string>();
  let now = 1_000_000;
  const store = {
    get: (key: string) => Promise.resolve(kept.get(key) ?? null),
    mget: (keys: string[]) => Promise.resolve(keys.map((key) => kept.get(key) ?? null)),
    set: (key: string, value: string) => Promise.resolve(kept.set(key, value) && 'OK'),
  } as unknown as AttemptStore;
  const tries = new Attempts(store, 'due', WAITS, () => now);
  return { kept, tries, store, pass: (ms: number) => void (now += ms) };
}
const isDue = async (tries: Attempts, name: string): Promise<boolean> => (await tries.due([name])).has(name);

describe('the back-off', () => {
  it('doubles with each try, up to a longest wait', () => {
    expect([1, 2, 3, 6, 7, 8].map((tries) => backOffMs(tries, WAITS))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
    expect(backOffMs(100_000, WAITS)).toBe(60_000);
  });
});

describe('what was tried', () => {
  it('is due when it was never tried, and again when its wait is over', async () => {
    const { tries, pass } = world();
    expect(await isDue(tries, 'a')).toBe(true);
    for (const wait of [1_000, 2_000, 4_000]) {
      await tries.note('a');
      pass(wait - 1);
      expect(await isDue(tries, 'a')).toBe(false);
      pass(1);
      expect(await isDue(tries, 'a')).toBe(true);
    }
    expect((await tries.note('a')).tries).toBe(4);
  });

  it('does not hold up anything else, nor the same name of another job', async () => {
    const { tries, store } = world();
    await tries.note('a');
    expect([...(await tries.due(['a', 'b']))]).toEqual([['b', 0]]);
    expect(await isDue(new Attempts(store, 'refund', WAITS), 'a')).toBe(true);
    expect((await tries.due([])).size).toBe(0);
  });

  it('is not tried again once it is done', async () => {
    const { tries, pass } = world();
    await tries.note('a');
    await tries.done('a');
    pass(3_600_000);
    expect(await isDue(tries, 'a')).toBe(false);
  });

  it('says how often, so that it comes after what was never tried', async () => {
    const { tries, pass } = world();
    await tries.note('a');
    await tries.note('a');
    pass(60_000);
    expect([...(await tries.due(['a', 'b']))]).toEqual([
      ['a', 2],
      ['b', 0],
    ]);
  });

  it('is tried at once when Redis was flushed, and when the clock that noted it was wrong', async () => {
    const { tries, kept, pass } = world();
    await tries.note('a');
    kept.clear();
    expect(await isDue(tries, 'a')).toBe(true);
    pass(365 * 86_400_000);
    await tries.note('a');
    pass(-365 * 86_400_000);
    expect(await isDue(tries, 'a')).toBe(true);
    kept.set('encore:tried:due:a', 'what is this');
    expect(await isDue(tries, 'a')).toBe(true);
  });
});
