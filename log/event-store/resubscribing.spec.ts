/** Where a subscription that the store dropped is made again. */
import { expect, it } from '@jest/globals';
import { START, type Position } from '#contracts/log';
import { FollowerDropped, type RawEvent, type SubscriptionItem } from '../event-log.js';
import { followThroughDrops } from './resubscribing.js';

const place = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) });
const event = (commit: number): SubscriptionItem => ({
  kind: 'event',
  event: { position: place(commit) } as RawEvent,
});
const checkpoint = (commit: number): SubscriptionItem => ({ kind: 'checkpoint', position: place(commit) });

/** Gives these, one subscription after the other, and drops each but the last. */
async function begunAt(...lives: readonly (readonly SubscriptionItem[])[]): Promise<Position[]> {
  const begun: Position[] = [];
  const leaving = new AbortController();
  const reading = {
    async *follow(after: Position): AsyncGenerator<SubscriptionItem> {
      begun.push(after);
      yield* lives[begun.length - 1] ?? [];
      if (begun.length >= lives.length) return leaving.abort();
      throw new FollowerDropped('Consumer too slow to handle event while live.');
    },
    async *read(): AsyncGenerator<RawEvent> {
      yield* [];
    },
  };
  for await (const _ of followThroughDrops(reading, START, ['journal'], leaving.signal));
  return begun;
}

it('is behind the last event, or behind what others wrote after it, which is not read twice', async () => {
  expect(await begunAt([event(1), event(2)], [])).toEqual([START, place(2)]);
  expect(await begunAt([event(1), checkpoint(900)], [event(901)], [])).toEqual([
    START,
    place(900),
    place(901),
  ]);
  expect(await begunAt([checkpoint(900), event(901)], [])).toEqual([START, place(901)]);
});

it('is never before where it began: a store may tell of that place first', async () => {
  expect(await begunAt([event(5)], [checkpoint(5)], [])).toEqual([START, place(5), place(5)]);
  expect(await begunAt([event(5), event(9), checkpoint(7)], [])).toEqual([START, place(9)]);
});
