/** Reading ahead: one event goes at once, a backlog goes in bulk, and nothing is lost before an error. */
import { describe, expect, it } from '@jest/globals';
import { batched } from './batched.js';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let n = 1; n <= count; n += 1) yield n;
}

/** Long enough for a reader that does not stop to be far ahead. */
async function turns(): Promise<void> {
  for (let n = 0; n < 50; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function collect<T>(batches: AsyncIterable<T[]>): Promise<T[][]> {
  const all: T[][] = [];
  for await (const batch of batches) {
    all.push(batch);
    // As a transaction would: the source goes on meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}

describe('batches', () => {
  it('hold everything in order, and none is larger than the limit', async () => {
    const batches = await collect(batched(numbers(1000), 64));
    expect(batches.flat()).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1));
    expect(Math.max(...batches.map(({ length }) => length))).toBe(64);
  });

  it('let a single event go at once', async () => {
    let more: (() => void) | undefined;
    async function* slow(): AsyncGenerator<string> {
      yield 'tip';
      await new Promise<void>((resolve) => (more = resolve));
      yield 'payout';
    }
    const batches = batched(slow(), 100);
    expect((await batches.next()).value).toEqual(['tip']);
    more?.();
    expect((await batches.next()).value).toEqual(['payout']);
    expect((await batches.next()).done).toBe(true);
  });

  it('give what came before an error, and then the error', async () => {
    async function* breaking(): AsyncGenerator<number> {
      yield* numbers(3);
      throw new Error('unreadable');
    }
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const batch of batched(breaking(), 2)) seen.push(...batch);
      })(),
    ).rejects.toThrow('unreadable');
    expect(seen).toEqual([1, 2, 3]);
  });

  it('do not read the whole log into memory while the database is slow', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<number> {
      for (;;) yield (read += 1);
    }
    for await (const batch of batched(counted(), 10)) {
      await turns();
      expect(read).toBeLessThanOrEqual(batch.at(-1)! + 60);
      if (batch.at(-1)! > 200) break;
    }
    const left = read;
    await turns();
    expect(read).toBeLessThanOrEqual(left + 1);
  });

  it('nor more of it than 16 MiB, however few events that are', async () => {
    let read = 0;
    async function* large(): AsyncGenerator<number> {
      for (;;) yield (read += 1);
    }
    for await (const batch of batched(large(), 10, () => 2 ** 20)) {
      await turns();
      expect(read).toBeLessThanOrEqual(batch.at(-1)! + 16);
      if (batch.at(-1)! > 100) break;
    }
  });
});
