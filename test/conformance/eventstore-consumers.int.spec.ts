/**
 * Persistent subscriptions of the event store's stand-in, with the unmodified client: groups of consumers that share a stream or $all,
 * each event to one of them until it is done. Groups have names of their own in each test.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  BACKWARDS,
  DISPATCH_TO_SINGLE,
  END,
  EventStoreDBClient,
  eventTypeFilter,
  binaryEvent,
  jsonEvent,
  persistentSubscriptionToAllSettingsFromDefaults,
  persistentSubscriptionToStreamSettingsFromDefaults,
  PersistentSubscriptionDoesNotExistError,
  PersistentSubscriptionDroppedError,
  PersistentSubscriptionExistsError,
  PersistentSubscriptionMaximumSubscribersReachedError,
  PINNED,
  ROUND_ROBIN,
  START,
  type PersistentSubscriptionToStream,
  type PersistentSubscriptionToAll,
  type PersistentSubscriptionToStreamSettings,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEventStore, type RunningEventStore } from './eventstore-process.js';

const GROUP = 'tippers';
type Group = PersistentSubscriptionToStream | PersistentSubscriptionToAll;
/** What a consumer is given. */
interface Given {
  readonly event?: { id: string; type: string; streamId: string; revision: bigint; data: unknown };
  readonly link?: { id: string; type: string; streamId: string };
  readonly retryCount: number;
}

let running: RunningEventStore;
let client: EventStoreDBClient;
beforeAll(async () => {
  running = await startEventStore();
  client = EventStoreDBClient.connectionString(running.url);
});
afterAll(async () => {
  await client.dispose();
  await running.stop();
});

const newStream = (): string => `shared-${randomUUID()}`;
const numbered = (number: number, type = 'Numbered') => jsonEvent({ type, data: { number } });
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);
const numberOf = ({ event }: Given): number => (event!.data as { number: number }).number;

/** A stream of so many events and a group on it, from the start; every answer moves its checkpoint unless told otherwise. */
async function shared(count: number, changes: Partial<PersistentSubscriptionToStreamSettings> = {}): Promise<string> {
  const stream = newStream();
  if (count > 0)
    await client.appendToStream(
      stream,
      upTo(count).map((number) => numbered(number)),
    );
  await client.createPersistentSubscriptionToStream(stream, GROUP, settings(changes));
  return stream;
}

const settings = (changes: Partial<PersistentSubscriptionToStreamSettings> = {}) =>
  persistentSubscriptionToStreamSettingsFromDefaults({
    startFrom: START,
    checkPointLowerBound: 1,
    checkPointUpperBound: 1,
    ...changes,
  });

/** A consumer: what it was given, and the next that it is given. */
class Consumer {
  readonly given: Given[] = [];
  #taken = 0;
  #wake: () => void = () => undefined;
  error: unknown;

  constructor(readonly group: Group) {
    group.on('data', (event: Given) => {
      this.given.push(event);
      this.#wake();
    });
    group.on('error', (error) => {
      this.error = error;
      this.#wake();
    });
  }

  static async join(stream: string, bufferSize = 10, by = client): Promise<Consumer> {
    const consumer = new Consumer(by.subscribeToPersistentSubscriptionToStream(stream, GROUP, { bufferSize }));
    await once(consumer.group, 'confirmation');
    return consumer;
  }

  async next(): Promise<Given> {
    while (this.given.length === this.#taken) {
      if (this.error) throw this.error as Error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    this.#taken += 1;
    return this.given[this.#taken - 1]!;
  }

  async take(count: number, act: (given: Given) => Promise<unknown> = (given) => this.ack(given)): Promise<Given[]> {
    const taken: Given[] = [];
    for (const _ of upTo(count)) {
      const given = await this.next();
      taken.push(given);
      await act(given);
    }
    return taken;
  }

  async ended(): Promise<unknown> {
    while (!this.error) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.error;
  }

  ack = (...given: Given[]): Promise<void> => this.group.ack(...(given as Parameters<Group['ack']>));
  nack = (action: 'park' | 'retry' | 'skip' | 'stop', ...given: Given[]): Promise<void> =>
    this.group.nack(action, 'the spec says so', ...(given as Parameters<Group['ack']>));
  leave = (): Promise<void> => this.group.unsubscribe();
}

const info = (stream: string) => client.getPersistentSubscriptionToStreamInfo(stream, GROUP);
/** Asks until the group is as told. */
async function until(stream: string, isSo: (group: Awaited<ReturnType<typeof info>>) => boolean): Promise<void> {
  while (!isSo(await info(stream)));
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('This should have been refused');
    },
    (error: unknown) => error,
  );

describe('a group', () => {
  it('is made once, told of as it was made, changed and removed', async () => {
    const stream = await shared(3, {
      consumerStrategyName: PINNED,
      maxSubscriberCount: 7,
      messageTimeout: 5_000,
      maxRetryCount: 3,
    });
    const exists = await rejection(client.createPersistentSubscriptionToStream(stream, GROUP, settings()));
    expect(exists).toBeInstanceOf(PersistentSubscriptionExistsError);
    expect(exists).toMatchObject({ streamName: stream, groupName: GROUP });
    expect(await info(stream)).toMatchObject({
      eventSource: stream,
      groupName: GROUP,
      status: 'Live',
      connections: [],
      settings: settings({ consumerStrategyName: PINNED, maxSubscriberCount: 7, messageTimeout: 5_000, maxRetryCount: 3 }),
      stats: { parkedMessageCount: 0n, lastKnownEventRevision: 2n, lastCheckpointedEventRevision: undefined },
    });
    await client.updatePersistentSubscriptionToStream(stream, GROUP, settings({ maxRetryCount: 1, startFrom: 2n }));
    expect((await info(stream)).settings).toMatchObject({ maxRetryCount: 1, startFrom: 2n, consumerStrategyName: ROUND_ROBIN });
    const consumer = await Consumer.join(stream);
    expect(numberOf(await consumer.next())).toBe(2);

    await client.deletePersistentSubscriptionToStream(stream, GROUP);
    expect(await consumer.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    for (const use of [
      () => info(stream),
      () => client.deletePersistentSubscriptionToStream(stream, GROUP),
      () => client.updatePersistentSubscriptionToStream(stream, GROUP, settings()),
      () => client.replayParkedMessagesToStream(stream, GROUP),
      () => Consumer.join(stream),
    ]) {
      const error = await rejection(use());
      expect(error).toBeInstanceOf(PersistentSubscriptionDoesNotExistError);
      expect(error).toMatchObject({ streamName: stream, groupName: GROUP });
    }
  });

  it('is in the list of its stream, of $all and of all', async () => {
    const stream = await shared(0);
    await client.createPersistentSubscriptionToStream(stream, 'others', settings());
    await client.createPersistentSubscriptionToAll(stream, persistentSubscriptionToAllSettingsFromDefaults());
    const names = (groups: readonly { groupName: string }[]): string[] => groups.map(({ groupName }) => groupName);
    expect(names(await client.listPersistentSubscriptionsToStream(stream)).sort()).toEqual(['others', GROUP]);
    expect(names(await client.listPersistentSubscriptionsToAll())).toContain(stream);
    expect(names(await client.listAllPersistentSubscriptions())).toEqual(expect.arrayContaining(['others', stream, GROUP]));
    expect(await rejection(client.listPersistentSubscriptionsToStream(newStream()))).toBeInstanceOf(
      PersistentSubscriptionDoesNotExistError,
    );
    await client.deletePersistentSubscriptionToAll(stream);
  });

  it('begins at the start, at a revision, or with the next event', async () => {
    const stream = await shared(5);
    await client.createPersistentSubscriptionToStream(stream, 'third', settings({ startFrom: 3n }));
    await client.createPersistentSubscriptionToStream(stream, 'next', settings({ startFrom: END }));
    expect((await client.getPersistentSubscriptionToStreamInfo(stream, 'next')).settings.startFrom).toBe(END);
    await client.appendToStream(stream, numbered(5));
    for (const [group, expected] of [
      [GROUP, upTo(6)],
      ['third', [3, 4, 5]],
      ['next', [5]],
    ] as const) {
      const consumer = new Consumer(client.subscribeToPersistentSubscriptionToStream(stream, group));
      expect((await consumer.take(expected.length)).map(numberOf)).toEqual(expected);
      await consumer.leave();
    }
  });
});

describe('consumers', () => {
  it('have no more in hand than they asked for, and are given what comes', async () => {
    const stream = await shared(10);
    const consumer = await Consumer.join(stream, 3);
    const first = await consumer.take(3, () => Promise.resolve());
    await until(stream, ({ connections }) => connections[0]?.inFlightMessages === 3 && connections[0].availableSlots === 0);
    expect(consumer.given).toHaveLength(3);
    await consumer.ack(...first);
    expect((await consumer.take(7)).map(numberOf)).toEqual(upTo(7, 3));
    await client.appendToStream(stream, numbered(10));
    expect(numberOf(await consumer.next())).toBe(10);
    await consumer.leave();
    await until(stream, ({ connections }) => connections.length === 0);
  });

  it('take turns, or fill up one after the other, or have a stream each', async () => {
    const both = async (stream: string, size: number): Promise<Consumer[]> => [
      await Consumer.join(stream, size),
      await Consumer.join(stream, size),
    ];
    // Those who come first would be given everything there is: the events come last.
    const turns = await shared(0);
    const inTurn = await both(turns, 10);
    await client.appendToStream(
      turns,
      upTo(8).map((number) => numbered(number)),
    );
    const [odd, even] = await Promise.all(inTurn.map((consumer) => consumer.take(4, () => Promise.resolve())));
    expect([odd, even].map((given) => given!.map(numberOf))).toEqual([
      [0, 2, 4, 6],
      [1, 3, 5, 7],
    ]);

    const single = await shared(0, { consumerStrategyName: DISPATCH_TO_SINGLE });
    const [full, spare] = await both(single, 5);
    await client.appendToStream(
      single,
      upTo(8).map((number) => numbered(number)),
    );
    expect((await full!.take(5, () => Promise.resolve())).map(numberOf)).toEqual(upTo(5));
    expect((await spare!.take(3)).map(numberOf)).toEqual([5, 6, 7]);

    const [target, links] = [upTo(6).map(newStream), await shared(0, { consumerStrategyName: PINNED, resolveLinkTos: true })];
    const pinned = await both(links, 50);
    for (const round of upTo(4)) {
      for (const stream of target) {
        await client.appendToStream(stream, numbered(round));
        await client.appendToStream(links, binaryEvent({ type: '$>', data: Buffer.from(`${round}@${stream}`) }));
      }
    }
    while (pinned.reduce((sum, { given }) => sum + given.length, 0) < 24) await info(links);
    const streamsOf = (consumer: Consumer): Set<string> => new Set(consumer.given.map(({ event }) => event!.streamId));
    const [some, rest] = pinned.map(streamsOf);
    expect([...some!].filter((stream) => rest!.has(stream))).toEqual([]);
    expect(some!.size).toBeGreaterThan(0);
    expect(rest!.size).toBeGreaterThan(0);
    expect(pinned[0]!.given[0]!.link!.type).toBe('$>');
    await Promise.all([...inTurn, full!, spare!, ...pinned].map((consumer) => consumer.leave()));
  });

  it('are no more than the group may have', async () => {
    const stream = await shared(0, { maxSubscriberCount: 1 });
    const consumer = await Consumer.join(stream);
    const refused = await rejection(Consumer.join(stream));
    expect(refused).toBeInstanceOf(PersistentSubscriptionMaximumSubscribersReachedError);
    await consumer.leave();
  });

  it('who leave, or do not answer in time, leave what they had to others, in order', async () => {
    const stream = await shared(4);
    const gone = await Consumer.join(stream, 4);
    await gone.take(4, () => Promise.resolve());
    await gone.leave();
    const other = await Consumer.join(stream);
    expect((await other.take(4)).map((given) => [numberOf(given), given.retryCount])).toEqual(upTo(4).map((n) => [n, 1]));
    await other.leave();

    const slow = await shared(2, { messageTimeout: 100 });
    const sleeper = await Consumer.join(slow, 2);
    const [late] = await sleeper.take(2, () => Promise.resolve());
    const again = await sleeper.take(2, () => Promise.resolve());
    expect(again.map(({ retryCount }) => retryCount)).toEqual([1, 1]);
    expect(numberOf(late!)).toBe(numberOf(again[0]!));
    await sleeper.leave();
  });
});

describe('an event that is not done', () => {
  it('comes again when asked to, is skipped when asked to, and ends who asks to stop', async () => {
    const stream = await shared(3);
    const consumer = await Consumer.join(stream, 1);
    const first = await consumer.next();
    await consumer.nack('retry', first);
    expect(await consumer.next()).toMatchObject({ event: { id: first.event!.id }, retryCount: 1 });
    await consumer.nack('skip', first);
    const second = await consumer.next();
    expect([numberOf(second), second.retryCount]).toEqual([1, 0]);
    await consumer.nack('stop', second);
    expect(await consumer.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    const next = await Consumer.join(stream);
    expect((await next.take(2)).map(numberOf)).toEqual([1, 2]);
    await until(stream, ({ stats }) => stats.lastCheckpointedEventRevision === 2n);
    expect((await info(stream)).stats.parkedMessageCount).toBe(0n);
    await next.leave();
  });

  it('is parked when asked to, or after as many tries as it has, and can be brought back', async () => {
    const stream = await shared(4, { maxRetryCount: 2 });
    const consumer = await Consumer.join(stream, 1);
    await consumer.nack('park', await consumer.next());
    const tries = await consumer.take(3, (given) => consumer.nack('retry', given));
    expect(tries.map((given) => [numberOf(given), given.retryCount])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
    await consumer.take(2);
    await until(stream, ({ stats }) => stats.parkedMessageCount === 2n && stats.lastCheckpointedEventRevision === 3n);
    const parked = client.readStream(`$persistentsubscription-${stream}::${GROUP}-parked`, { resolveLinkTos: true });
    const why: unknown[] = [];
    for await (const { event, link } of parked) why.push([event!.data, (link!.metadata as { reason: string }).reason]);
    expect(why).toEqual([
      [{ number: 0 }, "Client explicitly NAK'ed message.\nthe spec says so"],
      [{ number: 1 }, 'Reached retry count of 2'],
    ]);

    // One, then the rest. What is brought back and parked again is the last of the parked.
    await client.replayParkedMessagesToStream(stream, GROUP, { stopAt: 1 });
    expect((await consumer.take(1)).map(numberOf)).toEqual([0]);
    await until(stream, ({ stats }) => stats.parkedMessageCount === 1n);
    await client.replayParkedMessagesToStream(stream, GROUP);
    const again = await consumer.take(1, (given) => consumer.nack('park', given));
    expect(again.map(numberOf)).toEqual([1]);
    await until(stream, ({ stats }) => stats.parkedMessageCount === 1n);
    await client.replayParkedMessagesToStream(stream, GROUP);
    expect((await consumer.take(1)).map(numberOf)).toEqual([1]);
    await until(stream, ({ stats }) => stats.parkedMessageCount === 0n);
    await client.appendToStream(stream, numbered(4));
    expect((await consumer.take(1)).map(numberOf)).toEqual([4]);
    await consumer.leave();
  });
});

describe('a group on $all', () => {
  it('is given what its filter lets pass, of all streams, from a place on, and nothing of what groups write', async () => {
    const type = `Tipped${randomUUID()}`;
    const { position } = await client.appendToStream(newStream(), numbered(-1, type));
    const group = newStream();
    const options = { ...settings(), startFrom: position! };
    await client.createPersistentSubscriptionToAll(group, options, { filter: eventTypeFilter({ regex: `^${type}` }) });
    expect(await rejection(client.createPersistentSubscriptionToAll(group, options))).toBeInstanceOf(
      PersistentSubscriptionExistsError,
    );
    const plain = `${group}-plain`;
    await client.createPersistentSubscriptionToAll(plain, { ...settings(), startFrom: END });
    const consumer = new Consumer(client.subscribeToPersistentSubscriptionToAll(group));
    const everything = new Consumer(client.subscribeToPersistentSubscriptionToAll(plain, { bufferSize: 100 }));
    await Promise.all([once(consumer.group, 'confirmation'), once(everything.group, 'confirmation')]);
    for (const number of upTo(40)) await client.appendToStream(newStream(), numbered(number, number % 4 === 0 ? type : 'Other'));
    const last = await client.appendToStream(newStream(), numbered(40, type));
    expect((await consumer.take(12)).map(numberOf)).toEqual([-1, ...upTo(11).map((n) => n * 4)]);
    const seen = await everything.take(41);
    expect(seen.map(numberOf)).toEqual(upTo(41));
    for (const each of [group, plain]) {
      const reached = async (): Promise<bigint> =>
        (await client.getPersistentSubscriptionToAllInfo(each)).stats.lastCheckpointedEventPosition?.commit ?? 0n;
      while ((await reached()) < last.position!.commit);
    }
    expect((await client.getPersistentSubscriptionToAllInfo(group)).settings.startFrom).toEqual(position);
    await client.updatePersistentSubscriptionToAll(plain, { ...settings({ maxRetryCount: 4 }), startFrom: END });
    expect(await everything.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    // Done is done: it goes on behind, after the change too.
    const anew = new Consumer(client.subscribeToPersistentSubscriptionToAll(plain));
    await client.appendToStream(newStream(), numbered(41));
    expect(numberOf(await anew.next())).toBe(41);
    await Promise.all([consumer.leave(), anew.leave()]);
    await client.deletePersistentSubscriptionToAll(plain);
    await client.deletePersistentSubscriptionToAll(group);
  });
});

describe('after a restart', () => {
  it('of the subsystem or of the store, by whatever end, a group goes on behind what was done, and its parked events are there', async () => {
    const stream = await shared(8, { maxRetryCount: 1 });
    const consumer = await Consumer.join(stream, 4);
    await consumer.take(2);
    await consumer.take(1, (given) => consumer.nack('park', given));
    await until(stream, ({ stats }) => stats.parkedMessageCount === 1n && stats.lastCheckpointedEventRevision === 2n);

    await client.restartPersistentSubscriptionSubsystem();
    expect(await consumer.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    const second = await Consumer.join(stream, 1);
    expect(numberOf((await second.take(1))[0]!)).toBe(3);
    await until(stream, ({ stats }) => stats.lastCheckpointedEventRevision === 3n);

    const { folder, port } = running;
    for (const [signal, expected] of [
      ['SIGKILL', 4],
      ['SIGTERM', 5],
    ] as const) {
      await running.kill(signal);
      running = await startEventStore({ folder, port });
      await client.dispose();
      client = EventStoreDBClient.connectionString(running.url);
      expect(await info(stream)).toMatchObject({ settings: { maxRetryCount: 1 }, stats: { parkedMessageCount: 1n } });
      const third = await Consumer.join(stream, 1);
      const [given] = await third.take(1);
      expect(numberOf(given!)).toBe(expected);
      await until(stream, ({ stats }) => stats.lastCheckpointedEventRevision === BigInt(expected));
      await third.leave();
    }
    await client.replayParkedMessagesToStream(stream, GROUP);
    const last = await Consumer.join(stream, 1);
    expect((await last.take(3)).map(numberOf)).toEqual([2, 6, 7]);
    const checkpoints = client.readStream(`$persistentsubscription-${stream}::${GROUP}-checkpoint`, {
      direction: BACKWARDS,
      fromRevision: END,
    });
    let kept = 0;
    for await (const { event } of checkpoints) if (event) kept += 1;
    expect(kept).toBeLessThanOrEqual(2);
    await last.leave();
  });

  it('a checkpoint that was not due yet is written when the store stops', async () => {
    const stream = await shared(3, { checkPointLowerBound: 100, checkPointUpperBound: 1000, checkPointAfter: 60_000 });
    const consumer = await Consumer.join(stream);
    await consumer.take(2);
    await until(stream, ({ stats }) => stats.totalInFlightMessages <= 1);
    expect((await info(stream)).stats.lastCheckpointedEventRevision).toBeUndefined();
    const { folder, port } = running;
    await running.kill('SIGTERM');
    running = await startEventStore({ folder, port });
    await client.dispose();
    client = EventStoreDBClient.connectionString(running.url);
    expect((await info(stream)).stats.lastCheckpointedEventRevision).toBe(1n);
  });
});
