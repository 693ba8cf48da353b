/**
 * Syncs of one payment share their readings, and none of them misses what happened while one was under way.
 */
import { describe, expect, it } from '@jest/globals';
import { PaymentReads } from './payment-reads.js';

/** Readings that end when told to. */
function world() {
  const reads = new PaymentReads();
  const begun: (() => void)[] = [];
  const read = (): Promise<number> =>
    new Promise((resolve) => {
      const n = begun.push(() => resolve(n));
    });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { reads, begun, read, settled };
}

describe('readings of one payment', () => {
  it('are one more after the one that is under way, for all who ask meanwhile, and not answered before it', async () => {
    const { reads, begun, read, settled } = world();
    const answers: (number | undefined)[] = [];
    for (let n = 0; n < 5; n += 1) void reads.once('pi_a', read).then((answer) => answers.push(answer));
    await settled();
    expect([begun.length, answers]).toEqual([1, []]);
    begun[0]!();
    await settled();
    expect([begun.length, answers]).toEqual([2, [1]]);
    begun[1]!();
    await settled();
    expect([begun.length, answers]).toEqual([2, [1, 2, 2, 2, 2]]);
  });

  it('are none more where the log shows by then what was told of', async () => {
    const { reads, begun, read, settled } = world();
    void reads.once('pi_a', read);
    const second = reads.once('pi_a', read, () => Promise.resolve(true));
    begun[0]!();
    expect(await second).toBeUndefined();
    await settled();
    expect(begun).toHaveLength(1);
  });

  it('are made again for the one who waited when one fails, which is told to whoever began it', async () => {
    const reads = new PaymentReads();
    const failing = reads.once('pi_a', () => Promise.reject(new Error('away')));
    const second = reads.once('pi_a', () => Promise.resolve(7));
    await expect(failing).rejects.toThrow('away');
    expect(await second).toBe(7);
  });

  it('of two payments go side by side', async () => {
    const { reads, begun, read, settled } = world();
    void reads.once('pi_a', read);
    void reads.once('pi_b', read);
    await settled();
    expect(begun).toHaveLength(2);
  });
});
