/**
 * Persistent subscriptions, with the unmodified client: groups of consumers that share a stream or $all, each
 * event to one of them until it is done. Runs against the stand-in, or against a real EventStoreDB as
 * eventstore.int.spec.ts does; where the two once differed, the expectations are what EventStoreDB 23.10.1's
 * source says. Groups have names of their own in each test, and are removed at the end.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import {
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
  PersistentSubscriptionFailedError,
  PersistentSubscriptionMaximumSubscribersReachedError,
  PINNED,
  ROUND_ROBIN,
  START,
  type PersistentSubscriptionToStream,
  type PersistentSubscriptionToAll,
  type PersistentSubscriptionToStreamSettings,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Writer } from '#local/stand-ins/eventstore/wire';
import { MEETS_STAND_IN, startEventStore, storeToCompare, type ComparedStore } from './eventstore-process.js';

const GROUP = 'tippers';
const OURS = `shared-${randomUUID()}`;
/** In a container it takes its time. */
const STARTS_WITHIN_MS = 200_000;
type Group = PersistentSubscriptionToStream | PersistentSubscriptionToAll;
/** What a consumer is given. */
interface Given {
  readonly event?: { id: string; type: string; streamId: string; revision: bigint; data: unknown };
  readonly link?: { id: string; type: string; streamId: string };
  readonly retryCount: number;
}

let running: ComparedStore;
let client: EventStoreDBClient;
beforeAll(async () => {
  running = await storeToCompare();
  client = EventStoreDBClient.connectionString(running.url);
}, STARTS_WITHIN_MS);
afterAll(async () => {
  for (const { eventSource, groupName } of await client.listAllPersistentSubscriptions()) {
    if (eventSource.startsWith(OURS))
      await client.deletePersistentSubscriptionToStream(eventSource, groupName);
    else if (groupName.startsWith(OURS)) await client.deletePersistentSubscriptionToAll(groupName);
  }
  await client.dispose();
  await running.stop();
});

const newStream = (): string => `${OURS}-${randomUUID()}`;
const numbered = (number: number, type = 'Numbered') => jsonEvent({ type, data: { number } });
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);
const numberOf = ({ event }: Given): number => (event!.data as { number: number }).number;

/**
 * A stream of so many events and a group on it, from the start; every answer moves its checkpoint unless told
 * otherwise.
 */
async function shared(
  count: number,
  changes: Partial<PersistentSubscriptionToStreamSettings> = {},
): Promise<string> {
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
    const consumer = new Consumer(
      by.subscribeToPersistentSubscriptionToStream(stream, GROUP, { bufferSize }),
    );
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

  async take(
    count: number,
    act: (given: Given) => Promise<unknown> = (given) => this.ack(given),
  ): Promise<Given[]> {
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
async function until(
  stream: string,
  isSo: (group: Awaited<ReturnType<typeof info>>) => boolean,
): Promise<void> {
  while (!isSo(await info(stream)));
}

/** Restarts the subsystem, and waits until it is there again: it says that it restarts, not that it has. */
async function restart(stream: string): Promise<void> {
  await client.restartPersistentSubscriptionSubsystem();
  const isThere = (): Promise<boolean> =>
    info(stream).then(
      () => true,
      () => false,
    );
  while (!(await isThere()));
}

/**
 * Makes a group on a stream with a strategy that this client has no name for; clients in other languages
 * have. Answers how that ended.
 */
async function createWith(stream: string, strategy: string): Promise<IncomingHttpHeaders> {
  const request = new Writer().message(1, (options) =>
    options
      .message(4, (to) => to.message(1, (identifier) => identifier.string(3, stream)).empty(3))
      .string(2, GROUP)
      .message(3, (set) => {
        const numbers = { 5: 10, 7: 1, 8: 1, 10: 500, 11: 20, 12: 500, 14: 30_000, 15: 2_000 };
        for (const [field, value] of Object.entries(numbers)) set.number(Number(field), value);
        set.string(16, strategy);
      }),
  );
  const session = connect(running.url.replace(/^esdb:/, 'http:').replace(/\?.*/, ''));
  try {
    const call = session.request({
      ':method': 'POST',
      ':path': '/event_store.client.persistent_subscriptions.PersistentSubscriptions/Create',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let ended: IncomingHttpHeaders = {};
    for (const name of ['response', 'trailers'] as const)
      call.on(name, (headers) => (ended = { ...ended, ...headers }));
    call.end(request.frame());
    call.resume();
    await once(call, 'close');
    return ended;
  } finally {
    session.close();
  }
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
    await until(stream, ({ status, stats }) => status === 'Live' && stats.lastKnownEventRevision === 2n);
    expect(await info(stream)).toMatchObject({
      eventSource: stream,
      groupName: GROUP,
      connections: [],
      settings: settings({
        consumerStrategyName: PINNED,
        maxSubscriberCount: 7,
        messageTimeout: 5_000,
        maxRetryCount: 3,
      }),
      stats: { parkedMessageCount: 0n, lastCheckpointedEventRevision: undefined },
    });
    await client.updatePersistentSubscriptionToStream(
      stream,
      GROUP,
      settings({ maxRetryCount: 1, startFrom: 2n }),
    );
    expect((await info(stream)).settings).toMatchObject({
      maxRetryCount: 1,
      startFrom: 2n,
      consumerStrategyName: ROUND_ROBIN,
    });
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
    const names = (groups: readonly { groupName: string }[]): string[] =>
      groups.map(({ groupName }) => groupName);
    expect(names(await client.listPersistentSubscriptionsToStream(stream)).sort()).toEqual(['others', GROUP]);
    expect(names(await client.listPersistentSubscriptionsToAll())).toContain(stream);
    expect(names(await client.listAllPersistentSubscriptions())).toEqual(
      expect.arrayContaining(['others', stream, GROUP]),
    );
    expect(await rejection(client.listPersistentSubscriptionsToStream(newStream()))).toBeInstanceOf(
      PersistentSubscriptionDoesNotExistError,
    );
    for (const group of ['others', GROUP]) await client.deletePersistentSubscriptionToStream(stream, group);
    expect(await client.listPersistentSubscriptionsToStream(stream)).toEqual([]);
    await client.deletePersistentSubscriptionToAll(stream);
  });

  it('is not made from what does not fit together', async () => {
    const stream = newStream();
    const create = (changes: Partial<PersistentSubscriptionToStreamSettings>): Promise<unknown> =>
      rejection(client.createPersistentSubscriptionToStream(stream, GROUP, settings(changes)));
    expect(await create({ readBatchSize: 500, historyBufferSize: 500 })).toBeInstanceOf(
      PersistentSubscriptionFailedError,
    );
    expect(await createWith(stream, 'Fairest')).toMatchObject({
      'grpc-status': '13',
      exception: 'persistent-subscription-failed',
      reason: 'Consumer strategy Fairest does not exist.',
    });
    expect(await rejection(info(stream))).toBeInstanceOf(PersistentSubscriptionDoesNotExistError);
    const far = { commit: 2n ** 60n, prepare: 2n ** 60n };
    const toAll = client.createPersistentSubscriptionToAll(stream, { ...settings(), startFrom: far });
    expect(await rejection(toAll)).toBeInstanceOf(PersistentSubscriptionFailedError);
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
    await until(
      stream,
      ({ connections }) => connections[0]?.inFlightMessages === 3 && connections[0].availableSlots === 0,
    );
    expect(consumer.given).toHaveLength(3);
    await consumer.ack(...first);
    expect((await consumer.take(7)).map(numberOf)).toEqual(upTo(7, 3));
    await client.appendToStream(stream, numbered(10));
    expect(numberOf(await consumer.next())).toBe(10);
    await consumer.leave();
    await until(stream, ({ connections }) => connections.length === 0);
  });

  it('are given the next for each answer, before the answer behind it is looked at', async () => {
    const stream = await shared(6);
    const consumer = await Consumer.join(stream, 2);
    const [first, second] = await consumer.take(2, () => Promise.resolve());
    // Together: the second is tried again, but does not overtake what the first made room for.
    await Promise.all([consumer.ack(first!), consumer.nack('retry', second!)]);
    const next = await consumer.take(2, () => Promise.resolve());
    expect(next.map((given) => [numberOf(given), given.retryCount])).toEqual([
      [2, 0],
      [1, 1],
    ]);
    await consumer.leave();
  });

  it('are not dropped, however much comes at once', async () => {
    const stream = await shared(1);
    const consumer = await Consumer.join(stream, 2_000);
    await consumer.take(1);
    await client.appendToStream(
      stream,
      upTo(1_500, 1).map((number) => numbered(number)),
    );
    expect((await consumer.take(1_500)).map(numberOf)).toEqual(upTo(1_500, 1));
    expect(consumer.error).toBeUndefined();
    await consumer.leave();
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
    const [odd, even] = await Promise.all(
      inTurn.map((consumer) => consumer.take(4, () => Promise.resolve())),
    );
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

    const [target, links] = [
      upTo(6).map(newStream),
      await shared(0, { consumerStrategyName: PINNED, resolveLinkTos: true }),
    ];
    const pinned = await both(links, 50);
    for (const round of upTo(4)) {
      for (const stream of target) {
        await client.appendToStream(stream, numbered(round));
        await client.appendToStream(
          links,
          binaryEvent({ type: '$>', data: Buffer.from(`${round}@${stream}`) }),
        );
      }
    }
    while (pinned.reduce((sum, { given }) => sum + given.length, 0) < 24) await info(links);
    const streamsOf = (consumer: Consumer): Set<string> =>
      new Set(consumer.given.map(({ event }) => event!.streamId));
    const [some, rest] = pinned.map(streamsOf);
    expect([...some!].filter((stream) => rest!.has(stream))).toEqual([]);
    expect(some!.size).toBeGreaterThan(0);
    expect(rest!.size).toBeGreaterThan(0);
    expect(pinned[0]!.given[0]!.link!.type).toBe('$>');
    await Promise.all([...inTurn, full!, spare!, ...pinned].map((consumer) => consumer.leave()));
  });

  it('have a correlation each where that is asked for, however many streams it crosses, and share them with who comes later', async () => {
    const stream = newStream();
    expect(await createWith(stream, 'PinnedByCorrelation')).toMatchObject({ 'grpc-status': '0' });
    expect((await info(stream)).settings.consumerStrategyName).toBe('PinnedByCorrelation');
    const correlated = (id: string) =>
      jsonEvent({ type: 'Numbered', data: { id }, metadata: { $correlationId: id } });
    const ids = upTo(6).map(() => randomUUID());
    const round = (): Promise<unknown> => client.appendToStream(stream, ids.map(correlated));
    const idsOf = (given: readonly Given[]): string[] =>
      given.map(({ event }) => (event!.data as { id: string }).id);

    const first = await Consumer.join(stream, 50);
    await round();
    expect(idsOf(await first.take(6))).toEqual(ids);
    await until(stream, ({ stats }) => stats.lastCheckpointedEventRevision === 5n);
    const later = await Consumer.join(stream, 50);
    await round();
    await round();
    const anew = (): string[][] => [idsOf(first.given.slice(6)), idsOf(later.given)];
    while (anew().flat().length < 12) await info(stream);
    const [some, rest] = anew().map((each) => new Set(each));
    expect([...some!].filter((id) => rest!.has(id))).toEqual([]);
    expect([some!.size, rest!.size].every((size) => size > 0)).toBe(true);
    // Without a correlation it is the stream that counts; and one behind another object is not found.
    const before = [first.given.length, later.given.length];
    const without = [
      {},
      { nested: {}, $correlationId: ids[0]! },
      { nested: {}, $correlationId: ids[1]! },
      { $correlationId: 7 },
    ];
    await client.appendToStream(
      stream,
      without.map((metadata) => jsonEvent({ type: 'Numbered', data: {}, metadata })),
    );
    while (first.given.length + later.given.length < before[0]! + before[1]! + 4) await info(stream);
    expect([first.given.length - before[0]!, later.given.length - before[1]!].sort()).toEqual([0, 4]);
    await Promise.all([first.leave(), later.leave()]);
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
    expect((await other.take(4)).map((given) => [numberOf(given), given.retryCount])).toEqual(
      upTo(4).map((n) => [n, 1]),
    );
    await other.leave();

    const slow = await shared(2, { messageTimeout: 100 });
    const sleeper = await Consumer.join(slow, 2);
    const [late] = await sleeper.take(2, () => Promise.resolve());
    const again = await sleeper.take(2, () => Promise.resolve());
    expect(again.map(({ retryCount }) => retryCount)).toEqual([1, 1]);
    expect(numberOf(late!)).toBe(numberOf(again[0]!));
    await sleeper.leave();
  });

  it('who leave do not use up an event’s tries', async () => {
    const stream = await shared(1, { maxRetryCount: 0 });
    for (const left of upTo(3)) {
      const consumer = await Consumer.join(stream);
      expect((await consumer.next()).retryCount).toBe(left);
      await consumer.leave();
    }
    const last = await Consumer.join(stream);
    const given = await last.next();
    expect((await info(stream)).stats.parkedMessageCount).toBe(0n);
    await last.nack('retry', given);
    await until(stream, ({ stats }) => stats.parkedMessageCount === 1n);
    await last.leave();
  });

  it('answer for each other', async () => {
    const stream = await shared(1);
    const holder = await Consumer.join(stream);
    const given = await holder.next();
    const other = await Consumer.join(stream);
    await other.ack(given);
    await until(
      stream,
      ({ stats }) => stats.lastCheckpointedEventRevision === 0n && stats.totalInFlightMessages === 0,
    );
    await Promise.all([holder.leave(), other.leave()]);
  });
});

describe('an event that is not done', () => {
  it('comes again when asked to, is skipped when asked to, and is lost to who asks to stop', async () => {
    const stream = await shared(3);
    const consumer = await Consumer.join(stream, 1);
    const first = await consumer.next();
    await consumer.nack('retry', first);
    expect(await consumer.next()).toMatchObject({ event: { id: first.event!.id }, retryCount: 1 });
    await consumer.nack('skip', first);
    const second = await consumer.next();
    expect([numberOf(second), second.retryCount]).toEqual([1, 0]);
    await consumer.nack('stop', second);
    expect((await consumer.take(1)).map(numberOf)).toEqual([2]);
    await until(stream, ({ stats }) => stats.lastCheckpointedEventRevision === 2n);
    expect((await info(stream)).stats.parkedMessageCount).toBe(0n);
    await consumer.leave();
  });

  it('is parked as what a link points at, and comes back as that; a link to what is gone comes without it', async () => {
    const [target, links] = [newStream(), await shared(0, { resolveLinkTos: true })];
    await client.appendToStream(target, numbered(0));
    const linkTo = (to: string) => binaryEvent({ type: '$>', data: Buffer.from(to) });
    await client.appendToStream(links, [linkTo(`7@${target}`), linkTo(`0@${target}`)]);
    const consumer = await Consumer.join(links);
    const [gone, linked] = await consumer.take(2, (given) => consumer.nack('park', given));
    expect([gone, linked].map((given) => [given!.event?.streamId, given!.link?.streamId])).toEqual([
      [undefined, links],
      [target, links],
    ]);
    const parkedStream = `$persistentsubscription-${links}::${GROUP}-parked`;
    await until(links, ({ stats }) => stats.parkedMessageCount === 2n);
    const parked: unknown[] = [];
    for await (const { event } of client.readStream(parkedStream))
      parked.push(Buffer.from(event!.data as Uint8Array).toString());
    expect(parked).toEqual([`7@${target}`, `0@${target}`]);
    await client.replayParkedMessagesToStream(links, GROUP);
    const back: (string | undefined)[] = [];
    while (back.at(-1) !== target) {
      const [{ event, link }] = (await consumer.take(1)) as [Given];
      expect(link!.streamId).toBe(parkedStream);
      back.push(event?.streamId);
    }
    // KurrentDB brings no link back whose event is gone.
    if (MEETS_STAND_IN) expect(back).toEqual([undefined, target]);
    await consumer.leave();
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
    await until(
      stream,
      ({ stats }) => stats.parkedMessageCount === 2n && stats.lastCheckpointedEventRevision === 3n,
    );
    const parked = client.readStream(`$persistentsubscription-${stream}::${GROUP}-parked`, {
      resolveLinkTos: true,
    });
    const why: unknown[] = [];
    for await (const { event, link } of parked)
      why.push([event!.data, (link!.metadata as { reason: string }).reason]);
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
    await client.createPersistentSubscriptionToAll(group, options, {
      filter: eventTypeFilter({ regex: `^${type}` }),
    });
    expect(await rejection(client.createPersistentSubscriptionToAll(group, options))).toBeInstanceOf(
      PersistentSubscriptionExistsError,
    );
    const plain = `${group}-plain`;
    await client.createPersistentSubscriptionToAll(plain, { ...settings(), startFrom: END });
    const consumer = new Consumer(client.subscribeToPersistentSubscriptionToAll(group));
    const everything = new Consumer(
      client.subscribeToPersistentSubscriptionToAll(plain, { bufferSize: 100 }),
    );
    await Promise.all([once(consumer.group, 'confirmation'), once(everything.group, 'confirmation')]);
    for (const number of upTo(40))
      await client.appendToStream(newStream(), numbered(number, number % 4 === 0 ? type : 'Other'));
    const last = await client.appendToStream(newStream(), numbered(40, type));
    expect((await consumer.take(12)).map(numberOf)).toEqual([-1, ...upTo(11).map((n) => n * 4)]);
    // Not only ours: the store writes to the log as well, and others may.
    const ours: number[] = [];
    while (ours.length < 41)
      await everything.take(1, async (given) => {
        if (given.event?.streamId.startsWith(OURS)) ours.push(numberOf(given));
        await everything.ack(given);
      });
    expect(ours).toEqual(upTo(41));
    for (const each of [group, plain]) {
      const reached = async (): Promise<bigint> =>
        (await client.getPersistentSubscriptionToAllInfo(each)).stats.lastCheckpointedEventPosition?.commit ??
        0n;
      while ((await reached()) < last.position!.commit);
    }
    expect((await client.getPersistentSubscriptionToAllInfo(group)).settings.startFrom).toEqual(position);
    await client.updatePersistentSubscriptionToAll(plain, {
      ...settings({ maxRetryCount: 4 }),
      startFrom: END,
    });
    expect(await everything.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    // It goes on behind a checkpoint, though not surely the last: what was done may come again.
    const anew = new Consumer(client.subscribeToPersistentSubscriptionToAll(plain));
    await client.appendToStream(newStream(), numbered(41));
    const since: number[] = [];
    while (since.at(-1) !== 41) {
      const [given] = await anew.take(1);
      if (given!.event?.streamId.startsWith(OURS)) since.push(numberOf(given!));
    }
    expect(upTo(42).join()).toContain(since.join());
    // Their checkpoints are in the log, and nobody who reads $all is shown them: they would wake each other
    // for ever.
    const progress = `$persistentsubscription-$all::${group}-checkpoint`;
    const own: string[] = [];
    for await (const { event } of client.readStream(progress)) own.push(event!.type);
    // KurrentDB writes a dollar before it.
    expect(new Set(own.map((type) => type.replace(/^\$/, '')))).toEqual(new Set(['SubscriptionCheckpoint']));
    for await (const { event } of client.readAll({ fromPosition: position! }))
      expect(event?.streamId).not.toBe(progress);
    await Promise.all([consumer.leave(), anew.leave()]);
    await client.deletePersistentSubscriptionToAll(plain);
    await client.deletePersistentSubscriptionToAll(group);
  });
});

describe('after a restart', () => {
  it('of the subsystem, a group goes on behind its last checkpoint, and its parked events are there unless they were brought back', async () => {
    const stream = await shared(8, { maxRetryCount: 1 });
    const consumer = await Consumer.join(stream, 4);
    await consumer.take(2);
    await consumer.take(2, (given) => consumer.nack('park', given));
    await until(
      stream,
      ({ stats }) => stats.parkedMessageCount === 2n && stats.lastCheckpointedEventRevision === 3n,
    );

    await restart(stream);
    expect(await consumer.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    const second = await Consumer.join(stream, 2);
    expect((await second.take(1)).map(numberOf)).toEqual([4]);
    await until(
      stream,
      ({ stats }) => stats.parkedMessageCount === 2n && stats.lastCheckpointedEventRevision === 4n,
    );
    // From when it is brought back it is nowhere but in memory.
    await second.take(2, () => Promise.resolve());
    await client.replayParkedMessagesToStream(stream, GROUP, { stopAt: 1 });
    await until(stream, ({ stats }) => stats.parkedMessageCount === 1n);
    await restart(stream);
    expect(await second.ended()).toBeInstanceOf(PersistentSubscriptionDroppedError);
    await client.replayParkedMessagesToStream(stream, GROUP);
    const last = await Consumer.join(stream, 1);
    expect((await last.take(4)).map(numberOf).sort()).toEqual([3, 5, 6, 7]);
    await last.leave();
  });

  it('what is done but behind the last checkpoint comes again, and who began with the next event begins with the next', async () => {
    const stream = await shared(3, {
      checkPointLowerBound: 100,
      checkPointUpperBound: 1000,
      checkPointAfter: 60_000,
    });
    await client.createPersistentSubscriptionToStream(stream, 'next', settings({ startFrom: END }));
    const consumer = await Consumer.join(stream);
    await consumer.take(2);
    await until(stream, ({ stats }) => stats.totalInFlightMessages <= 1);
    await client.appendToStream(stream, numbered(3));
    expect((await info(stream)).stats.lastCheckpointedEventRevision).toBeUndefined();
    await restart(stream);
    const again = await Consumer.join(stream);
    expect((await again.take(4)).map(({ event, retryCount }) => [event!.revision, retryCount])).toEqual(
      upTo(4).map((revision) => [BigInt(revision), 0]),
    );
    const next = new Consumer(client.subscribeToPersistentSubscriptionToStream(stream, 'next'));
    await once(next.group, 'confirmation');
    await client.appendToStream(stream, numbered(4));
    expect((await next.take(1)).map(numberOf)).toEqual([4]);
    await Promise.all([again.leave(), next.leave()]);
  });

  (MEETS_STAND_IN ? it : it.skip)(
    'of the store, by whatever end, a group goes on in the same way',
    async () => {
      const stream = await shared(8, { maxRetryCount: 1 });
      const consumer = await Consumer.join(stream, 1);
      await consumer.take(3);
      await consumer.take(1, (given) => consumer.nack('park', given));
      await until(
        stream,
        ({ stats }) => stats.parkedMessageCount === 1n && stats.lastCheckpointedEventRevision === 3n,
      );
      await consumer.leave();

      for (const [signal, expected] of [
        ['SIGKILL', 4],
        ['SIGTERM', 5],
      ] as const) {
        const { folder, port, kill } = running.standIn!;
        // The checkpoint that was told of is written before this.
        await client.appendToStream(newStream(), numbered(0));
        await kill(signal);
        const standIn = await startEventStore({ folder, port });
        running = { ...standIn, standIn };
        await client.dispose();
        client = EventStoreDBClient.connectionString(running.url);
        expect(await info(stream)).toMatchObject({
          settings: { maxRetryCount: 1 },
          stats: { parkedMessageCount: 1n },
        });
        const next = await Consumer.join(stream, 1);
        expect((await next.take(1)).map(numberOf)).toEqual([expected]);
        await until(stream, ({ stats }) => stats.lastCheckpointedEventRevision === BigInt(expected));
        await next.leave();
      }
      await client.replayParkedMessagesToStream(stream, GROUP);
      const last = await Consumer.join(stream, 1);
      expect((await last.take(3)).map(numberOf).sort()).toEqual([3, 6, 7]);
      await last.leave();
    },
  );
});
