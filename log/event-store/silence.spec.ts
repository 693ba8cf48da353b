import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { START, type Position } from '#contracts/log';
import { MemoryLog } from '#test/support/memory-log';
import { LogUnavailable, type RawEvent, type SubscriptionItem } from '../event-log.js';
import { followWhileHeard } from './silence.js';

const OURS = 'journal';
const LOOK_EVERY_MS = 5;

/** A store that reads well, and whose subscription gives what it held when it began and then nothing more. */
function storeOf(log: MemoryLog) {
  let looks = 0;
  let subscriptions = 0;
  return {
    looks: () => looks,
    subscriptions: () => subscriptions,
    async *read(request: object): AsyncGenerator<RawEvent> {
      looks += 1;
      yield* log.readAll((request as { from: Position }).from, ['']);
    },
    async *follow(
      after: Position,
      prefixes: readonly string[],
      signal: AbortSignal,
    ): AsyncGenerator<SubscriptionItem> {
      subscriptions += 1;
      for await (const event of log.readAll(after, prefixes)) yield { kind: 'event', event };
      yield { kind: 'caught-up' };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}

const put = (log: MemoryLog, stream: string): void =>
  void log.put(stream, { id: randomUUID(), type: 'Noted', data: {}, metadata: {} });

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('a subscription that delivers nothing more', () => {
  it('ends when the log has newer events for it, and keeps the events it delivered', async () => {
    const log = new MemoryLog();
    put(log, OURS);
    const seen: string[] = [];
    const follow = async (): Promise<void> => {
      for await (const item of followWhileHeard(
        storeOf(log),
        START,
        [OURS],
        new AbortController().signal,
        LOOK_EVERY_MS,
      )) {
        seen.push(item.kind);
        if (item.kind === 'caught-up') put(log, OURS);
      }
    };
    await expect(follow()).rejects.toThrow(
      new LogUnavailable('The subscription fell silent, and the log has more'),
    );
    expect(seen).toEqual(['event', 'caught-up']);
  });

  it('stays open while the log has nothing new, or only events of other streams, which are read once', async () => {
    const log = new MemoryLog();
    const store = storeOf(log);
    const leaving = new AbortController();
    const following = (async () => {
      for await (const _ of followWhileHeard(store, START, [OURS], leaving.signal, LOOK_EVERY_MS));
    })();
    for (let n = 0; n < 3; n += 1) {
      put(log, 'of-somebody-else');
      const before = store.looks();
      await until(() => store.looks() > before + 2);
    }
    expect(store.subscriptions()).toBe(1);
    leaving.abort();
    await following;
  });

  it('is not taken for silent when it reports a position before its last event', async () => {
    const log = new MemoryLog();
    put(log, 'of-somebody-else');
    put(log, OURS);
    const store = storeOf(log);
    const [{ position }] = log.all as [RawEvent];
    const given = store.follow.bind(store);
    const follow = async function* (...asked: Parameters<typeof given>): AsyncGenerator<SubscriptionItem> {
      for await (const item of given(...asked)) {
        yield item;
        if (item.kind === 'event') yield { kind: 'checkpoint', position };
      }
    };
    const leaving = new AbortController();
    const told: string[] = [];
    const following = (async () => {
      const reading = { follow, read: store.read.bind(store) };
      for await (const { kind } of followWhileHeard(reading, START, [OURS], leaving.signal, LOOK_EVERY_MS))
        told.push(kind);
    })();
    await Promise.race([following, until(() => store.looks() > 5)]);
    expect(told).toEqual(['event', 'checkpoint', 'caught-up']);
    leaving.abort();
    await following;
  });

  it('is not taken for silent while its reader is busy with an event', async () => {
    const log = new MemoryLog();
    put(log, OURS);
    const store = storeOf(log);
    for await (const item of followWhileHeard(
      store,
      START,
      [OURS],
      new AbortController().signal,
      LOOK_EVERY_MS,
    )) {
      expect(item.kind).toBe('event');
      put(log, OURS);
      await new Promise((resolve) => setTimeout(resolve, 20 * LOOK_EVERY_MS));
      break;
    }
    expect(store.looks()).toBe(0);
  });
});
