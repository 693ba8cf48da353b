/**
 * What the ledger relies on in EventStoreDB, shown with the unmodified client. Runs against the stand-in of
 * `local/`, or against a real EventStoreDB (insecure, one node) named by EVENTSTORE_URL or in a container:
 * one suite, so that neither can drift from the other. Streams have names of their own in each test and
 * nothing assumes an empty store.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import {
  ANY,
  BACKWARDS,
  DeadlineExceededError,
  END,
  EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  binaryEvent,
  FORWARDS,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  StreamDeletedError,
  StreamNotFoundError,
  streamNameFilter,
  WrongExpectedVersionError,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type Credentials,
  type Position,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  collect,
  follow,
  takeThroughDrops,
  newStream,
  numbered,
  numbersOf,
  positionOf,
  rejection,
  revisionsOf,
  several,
  take,
  upTo,
} from './eventstore-client.js';
import { MEETS_STAND_IN, storeToCompare, type ComparedStore } from './eventstore-process.js';

const MEBIBYTE = 1024 * 1024;
/** In a container it takes its time. */
const STARTS_WITHIN_MS = 200_000;
// With credentials the client takes the classic Append call instead of the batch channel; without TLS it does
// not send them.
const CLASSIC: Credentials = { username: 'admin', password: 'changeit' };

let running: ComparedStore;
let url: string;
let client: EventStoreDBClient;

beforeAll(async () => {
  running = await storeToCompare();
  ({ url } = running);
  client = EventStoreDBClient.connectionString(url);
}, STARTS_WITHIN_MS);

afterAll(async () => {
  await client.dispose();
  await running.stop();
});

/** Streams of one test only, in order of $all. */
async function allOf(prefix: string, fromPosition: Position): Promise<AllStreamResolvedEvent[]> {
  const events: AllStreamResolvedEvent[] = [];
  for await (const event of client.readAll({ fromPosition }))
    if (event.event?.streamId.startsWith(prefix)) events.push(event);
  return events;
}

describe('a server', () => {
  it('tells its version in three parts, which all clients can read', async () => {
    class Asking extends EventStoreDBClient {
      async serverVersion(): Promise<string> {
        return (await this.capabilities).serverVersion;
      }
    }
    const asking = Asking.connectionString(url);
    expect(await Asking.prototype.serverVersion.call(asking)).toMatch(/^\d+\.\d+\.\d+$/);
    await asking.dispose();
  });

  it('says over plain HTTP that it can be used', async () => {
    const { host } = new URL(url.replace(/^esdb:/, 'http:'));
    const { status } = await fetch(`http://${host}/health/live`);
    expect(status).toBe(204);
  });
});

describe('appending', () => {
  for (const [way, options] of [
    ['in the batch channel', {}],
    ['by the classic call', { credentials: CLASSIC }],
  ] as const) {
    describe(way, () => {
      it('answers the revision and the position of the last event', async () => {
        const stream = newStream();
        const first = await client.appendToStream(stream, several(3), {
          ...options,
          expectedRevision: NO_STREAM,
        });
        const second = await client.appendToStream(stream, numbered(3), { ...options, expectedRevision: 2n });
        expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
        expect(second).toMatchObject({ success: true, nextExpectedRevision: 3n });
        const stored = await collect(client.readStream(stream));
        expect(positionOf(stored[2]!)).toEqual(first.position);
        expect(positionOf(stored[3]!)).toEqual(second.position);
        expect(second.position!.commit).toBeGreaterThan(first.position!.commit);
        expect(first.position!.commit).toBeGreaterThan(0n);
      });

      it('refuses another revision than the present one and names both', async () => {
        const stream = newStream();
        await client.appendToStream(stream, several(3), options);
        for (const [expectedRevision, expected] of [
          [0n, 0n],
          [7n, 7n],
          [NO_STREAM, NO_STREAM],
        ] as const) {
          const error = await rejection(
            client.appendToStream(stream, numbered(9), { ...options, expectedRevision }),
          );
          expect(error).toBeInstanceOf(WrongExpectedVersionError);
          expect(error).toMatchObject({
            type: 'wrong-expected-version',
            streamName: stream,
            expectedVersion: expected,
            actualVersion: 2n,
          });
        }
        expect(await collect(client.readStream(stream))).toHaveLength(3);
      });

      it('refuses a revision, and "stream exists", of a stream that does not exist', async () => {
        const stream = newStream();
        for (const expectedRevision of [4n, STREAM_EXISTS] as const) {
          const error = await rejection(
            client.appendToStream(stream, numbered(0), { ...options, expectedRevision }),
          );
          expect(error).toBeInstanceOf(WrongExpectedVersionError);
          expect(error).toMatchObject({
            streamName: stream,
            expectedVersion: expectedRevision,
            actualVersion: NO_STREAM,
          });
        }
        expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
      });

      it('takes "any" and "stream exists" at whatever revision the stream is', async () => {
        const stream = newStream();
        expect(
          await client.appendToStream(stream, numbered(0), { ...options, expectedRevision: ANY }),
        ).toMatchObject({
          nextExpectedRevision: 0n,
        });
        expect(
          await client.appendToStream(stream, numbered(1), { ...options, expectedRevision: STREAM_EXISTS }),
        ).toMatchObject({
          nextExpectedRevision: 1n,
        });
        expect(
          await client.appendToStream(stream, numbered(2), { ...options, expectedRevision: ANY }),
        ).toMatchObject({
          nextExpectedRevision: 2n,
        });
      });

      const bytes = (count: number, metadata = 0): ReturnType<typeof binaryEvent> =>
        binaryEvent({
          type: 'Half',
          data: Buffer.alloc(count, 1),
          ...(metadata > 0 && { metadata: Buffer.alloc(metadata, 2) }),
        });

      it('refuses an append above one mebibyte and takes one just below', async () => {
        const stream = newStream();
        const error = await rejection(
          client.appendToStream(stream, [bytes(MEBIBYTE / 2), bytes(MEBIBYTE / 2 + 1)], options),
        );
        expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
        expect(error).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: MEBIBYTE });
        expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
        // KurrentDB counts the name of the type, two bytes a letter; EventStoreDB 23.10 the data alone.
        const typeBytes = 2 * 2 * 'Half'.length;
        await client.appendToStream(stream, [bytes(MEBIBYTE / 2), bytes(MEBIBYTE / 2 - typeBytes)], options);
        expect(await collect(client.readStream(stream))).toHaveLength(2);
      });

      it('counts data and metadata together where the servers differ: what it takes, all take but for names', async () => {
        for (const [event, isTaken] of [
          [bytes(MEBIBYTE), true],
          [bytes(MEBIBYTE / 2, MEBIBYTE / 2), true],
          [bytes(MEBIBYTE / 2, MEBIBYTE / 2 + 1), false],
        ] as const) {
          const stream = newStream();
          const outcome = await client
            .appendToStream(stream, event, options)
            .catch((error: unknown) => error);
          if (MEETS_STAND_IN) expect('success' in (outcome as object)).toBe(isTaken);
          // 23.10.1 takes all three, 25.0.0 none of them.
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(MaxAppendSizeExceededError);
          else expect(await collect(client.readStream(stream))).toHaveLength(1);
        }
      });
    });
  }

  it('answers each of the appends that one channel has under way, of any size', async () => {
    const large = binaryEvent({ type: 'Large', data: Buffer.alloc(600_000, 7) });
    const streams = upTo(20).map(() => newStream());
    const answers = await Promise.all(
      streams.map((stream, index) =>
        client.appendToStream(stream, index % 4 === 0 ? large : numbered(index)),
      ),
    );
    expect(answers.map((answer) => answer.nextExpectedRevision)).toEqual(streams.map(() => 0n));
  });

  it('gives an append of many parts its one answer', async () => {
    const stream = newStream();
    const answer = await client.appendToStream(stream, several(300), { batchAppendSize: 2_000 });
    expect(answer.nextExpectedRevision).toBe(299n);
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual(upTo(300));
    const tooLarge = upTo(40).map(() => binaryEvent({ type: 'Part', data: Buffer.alloc(100_000) }));
    expect(
      await rejection(client.appendToStream(stream, tooLarge, { batchAppendSize: 200_000 })),
    ).toBeInstanceOf(MaxAppendSizeExceededError);
    expect((await client.appendToStream(stream, numbered(300))).nextExpectedRevision).toBe(300n);
  });

  it('takes appends to one stream that are sent without waiting, each at the revision the one before leaves', async () => {
    const stream = newStream();
    const answers = await Promise.all(
      upTo(60).map((number) =>
        client.appendToStream(stream, numbered(number), {
          expectedRevision: number === 0 ? NO_STREAM : BigInt(number - 1),
        }),
      ),
    );
    expect(answers.map((answer) => answer.nextExpectedRevision)).toEqual(upTo(60).map(BigInt));
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual(upTo(60));
  });

  it('lets exactly one of several writers have each revision', async () => {
    const stream = newStream();
    const writers = upTo(6).map(() => EventStoreDBClient.connectionString(url));
    let last: bigint | typeof NO_STREAM = NO_STREAM;
    for (const round of upTo(15)) {
      const outcomes = await Promise.allSettled(
        writers.map((writer, index) =>
          writer.appendToStream(stream, numbered(round * 100 + index), { expectedRevision: last }),
        ),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
      expect(refused.every(({ reason }) => reason instanceof WrongExpectedVersionError)).toBe(true);
      last = BigInt(round);
    }
    expect(await collect(client.readStream(stream))).toHaveLength(15);
    await Promise.all(writers.map((writer) => writer.dispose()));
  });

  it('times an append out whose deadline has passed, and writes nothing', async () => {
    const stream = newStream();
    const error = await rejection(client.appendToStream(stream, numbered(0), { deadline: 0 }));
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
  });

  it('tells a client that does not want errors thrown that the append failed', async () => {
    const quiet = EventStoreDBClient.connectionString(
      `${url}${url.includes('?') ? '&' : '?'}throwOnAppendFailure=false`,
    );
    const stream = newStream();
    await quiet.appendToStream(stream, several(2));
    expect(await quiet.appendToStream(stream, numbered(2), { expectedRevision: 0n })).toMatchObject({
      success: false,
    });
    await quiet.dispose();
  });
});

describe('repeating an append', () => {
  for (const [way, options] of [
    ['in the batch channel', {}],
    ['by the classic call', { credentials: CLASSIC }],
  ] as const) {
    for (const expectedRevision of [1n, NO_STREAM, ANY, STREAM_EXISTS] as const) {
      it(`at ${expectedRevision} ${way} gives the same answer and writes nothing`, async () => {
        const stream = newStream();
        if (expectedRevision !== NO_STREAM) await client.appendToStream(stream, several(2), options);
        const events = several(3, 10);
        const first = await client.appendToStream(stream, events, { ...options, expectedRevision });
        await client.appendToStream(stream, numbered(20), options);
        const before = await collect(client.readStream(stream));
        const again = await client.appendToStream(stream, events, { ...options, expectedRevision });
        expect(again.nextExpectedRevision).toBe(first.nextExpectedRevision);
        expect(again.position).toEqual(first.position);
        expect(await collect(client.readStream(stream))).toEqual(before);
      });
    }
  }

  for (const [way, options] of [
    ['in the batch channel', {}],
    ['by the classic call', { credentials: CLASSIC }],
  ] as const) {
    it(`${way} while the first is still under way is not answered in time, and stored once`, async () => {
      /** Repeats of one append at once; how many came while it was under way. */
      const repeated = async (expectedRevision: typeof NO_STREAM | typeof ANY): Promise<number> => {
        const stream = newStream();
        const events = several(5);
        const append = () => client.appendToStream(stream, events, { ...options, expectedRevision });
        const outcomes = await Promise.allSettled(upTo(8).map(append));
        const refused = outcomes.flatMap((outcome) =>
          outcome.status === 'rejected' ? [outcome.reason as Error & { code?: number }] : [],
        );
        for (const outcome of outcomes)
          if (outcome.status === 'fulfilled') expect(outcome.value.nextExpectedRevision).toBe(4n);
        expect(refused.length).toBeLessThan(8);
        for (const error of refused) {
          if (way === 'in the batch channel') expect(error).toBeInstanceOf(DeadlineExceededError);
          else {
            expect(error.code).toBe(10);
            expect(error.message).toContain('Commit phase timeout');
          }
        }
        expect((await append()).nextExpectedRevision).toBe(4n);
        expect(await collect(client.readStream(stream))).toHaveLength(5);
        return refused.length;
      };
      await Promise.all(
        ([NO_STREAM, ANY] as const).map(async (expectedRevision) => {
          // All of them come too late where the first was committed at once.
          let met = await repeated(expectedRevision);
          for (let again = 0; MEETS_STAND_IN && met === 0 && again < 20; again += 1)
            met = await repeated(expectedRevision);
          if (MEETS_STAND_IN) expect(met).toBeGreaterThan(0);
        }),
      );
    });
  }

  it('with fewer of its events answers the revision of the last of them', async () => {
    const stream = newStream();
    const events = several(4);
    await client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    for (const expectedRevision of [NO_STREAM, ANY] as const) {
      const again = await client.appendToStream(stream, events.slice(0, 2), { expectedRevision });
      expect(again.nextExpectedRevision).toBe(1n);
    }
    expect(await collect(client.readStream(stream))).toHaveLength(4);
  });

  it('with a new event behind the known ones is a conflict', async () => {
    const stream = newStream();
    const events = several(2);
    await client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    for (const expectedRevision of [NO_STREAM, ANY, STREAM_EXISTS] as const) {
      const error = await rejection(
        client.appendToStream(stream, [...events, numbered(9)], { expectedRevision }),
      );
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ expectedVersion: expectedRevision, actualVersion: 1n });
    }
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  it('with a new event first is a new append where any revision will do', async () => {
    const stream = newStream();
    const known = numbered(0);
    await client.appendToStream(stream, known);
    const answer = await client.appendToStream(stream, [numbered(1), known], { expectedRevision: ANY });
    expect(answer.nextExpectedRevision).toBe(2n);
  });

  it('to another stream is a new append', async () => {
    const [one, other] = [newStream(), newStream()];
    const event = numbered(0);
    await client.appendToStream(one, event);
    expect((await client.appendToStream(other, event)).nextExpectedRevision).toBe(0n);
    expect(await collect(client.readStream(other))).toHaveLength(1);
  });
});

describe('an event', () => {
  it('comes back as it was written', async () => {
    const stream = `${newStream()}-Käse-日本`;
    const json = jsonEvent({
      id: randomUUID().toUpperCase(),
      type: 'Größe',
      data: { text: 'žluťoučký 🐎', list: [1, null, { deep: true }] },
      metadata: { by: 'ü' },
    });
    const binary = binaryEvent({
      type: 'Bytes',
      data: Buffer.from([0, 255, 128]),
      metadata: Buffer.from([9, 8, 7]),
    });
    const bare = jsonEvent({ type: 'Bare', data: {} });
    const before = Date.now();
    await client.appendToStream(stream, [json, binary, bare]);
    const [first, second, third] = await collect(client.readStream(stream));
    expect(first!.event).toMatchObject({
      streamId: stream,
      id: json.id.toLowerCase(),
      revision: 0n,
      type: 'Größe',
      data: json.data,
      metadata: json.metadata,
      isJson: true,
    });
    expect(Math.abs(first!.event!.created.getTime() - before)).toBeLessThan(60_000);
    expect(second!.event).toMatchObject({ type: 'Bytes', isJson: false });
    expect(Buffer.from(second!.event!.data as Uint8Array)).toEqual(Buffer.from([0, 255, 128]));
    expect(Buffer.from(second!.event!.metadata as Uint8Array)).toEqual(Buffer.from([9, 8, 7]));
    expect(third!.event).toMatchObject({ type: 'Bare', data: {}, metadata: undefined });
  });

  it('has the same position in its stream and in $all, and positions only rise', async () => {
    const prefix = newStream();
    for (const round of upTo(4)) await client.appendToStream(`${prefix}-${round % 2}`, several(3, round * 3));
    const fromStream = await collect(client.readStream(`${prefix}-1`));
    const [first] = await collect(client.readStream(`${prefix}-0`));
    const fromAll = await allOf(prefix, positionOf(first!));
    expect(numbersOf(fromAll)).toEqual(upTo(12));
    const positions = fromAll.map((event) => positionOf(event).commit);
    for (let i = 1; i < positions.length; i++) expect(positions[i]).toBeGreaterThan(positions[i - 1]!);
    expect(fromStream.map(positionOf)).toEqual(
      fromAll.filter(({ event }) => event!.streamId === `${prefix}-1`).map(positionOf),
    );
  });
});

describe('reading a stream', () => {
  let stream: string;
  beforeAll(async () => {
    stream = newStream();
    for (const round of upTo(10))
      await client.appendToStream(stream, several(round % 3 === 0 ? 1 : 5, round * 10));
  });
  const LAST = 33;

  it('says by name which stream does not exist', async () => {
    const missing = newStream();
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const error = await rejection(
        collect(
          client.readStream(missing, { direction, fromRevision: direction === BACKWARDS ? END : START }),
        ),
      );
      expect(error).toBeInstanceOf(StreamNotFoundError);
      expect(error).toMatchObject({ type: 'stream-not-found', streamName: missing });
    }
  });

  it('goes from the start, from a revision or from the end, forwards and backwards', async () => {
    const cases = [
      [{}, upTo(LAST + 1)],
      [{ fromRevision: 30n }, upTo(4, 30)],
      [{ fromRevision: BigInt(LAST) }, [LAST]],
      [{ fromRevision: BigInt(LAST + 5) }, []],
      [{ direction: BACKWARDS, fromRevision: END }, upTo(LAST + 1).reverse()],
      [{ direction: BACKWARDS, fromRevision: 7n }, upTo(8).reverse()],
      [{ direction: BACKWARDS, fromRevision: START }, [0]],
    ] as const;
    for (const [options, expected] of cases) {
      expect(revisionsOf(await collect(client.readStream(stream, options)))).toEqual(expected.map(BigInt));
    }
  });

  it('refuses to go forwards from the end, whether there is such a stream or not', async () => {
    for (const name of [stream, newStream()])
      expect(await rejection(collect(client.readStream(name, { fromRevision: END })))).toMatchObject({
        code: 2,
        message: expect.stringContaining('Unexpected ReadStreamResult: Error'),
      });
  });

  it('stops at a limit', async () => {
    for (const maxCount of [1, 2, 6, 7, LAST, 1000]) {
      const forwards = await collect(client.readStream(stream, { fromRevision: 3n, maxCount }));
      expect(revisionsOf(forwards)).toEqual(upTo(Math.min(maxCount, LAST - 2), 3).map(BigInt));
      const backwards = await collect(
        client.readStream(stream, { direction: BACKWARDS, fromRevision: 20n, maxCount }),
      );
      expect(revisionsOf(backwards)).toEqual(upTo(21).reverse().slice(0, maxCount).map(BigInt));
    }
  });

  it('goes through all pages backwards', async () => {
    const seen: bigint[] = [];
    let from: bigint | typeof END = END;
    for (;;) {
      const page: ResolvedEvent[] = await collect(
        client.readStream(stream, { direction: BACKWARDS, fromRevision: from, maxCount: 7 }),
      );
      for (const { event } of page) seen.push(event!.revision);
      const lowest = page.at(-1)!.event!.revision;
      if (lowest === 0n) break;
      from = lowest - 1n;
    }
    expect(seen).toEqual(
      upTo(LAST + 1)
        .reverse()
        .map(BigInt),
    );
  });

  it('delivers long streams whole and in order', async () => {
    const long = newStream();
    for (const round of upTo(20)) await client.appendToStream(long, several(500, round * 500));
    expect(numbersOf(await collect(client.readStream(long)))).toEqual(upTo(10_000));
    const backwards = await collect(client.readStream(long, { direction: BACKWARDS, fromRevision: END }));
    expect(numbersOf(backwards)).toEqual(upTo(10_000).reverse());
  });

  it('can be given up half-way without harm', async () => {
    const long = newStream();
    for (const round of upTo(10)) await client.appendToStream(long, several(500, round * 500));
    for (const _ of upTo(10)) expect(await take(client.readStream(long), 3)).toHaveLength(3);
    expect(await collect(client.readStream(long, { maxCount: 5 }))).toHaveLength(5);
  });
});

describe('reading $all', () => {
  it('begins with what the server wrote for itself into a new log', async () => {
    const first = await collect(client.readAll({ maxCount: 30 }));
    const streams = first.map(({ event }) => event!.streamId);
    // Who leaves out what has a dollar before its type leaves all of it out.
    if (MEETS_STAND_IN)
      for (const { event } of first.filter((it) => it.event!.streamId.startsWith('$')))
        expect(event!.type).toMatch(/^\$/);
    expect(streams.filter((stream) => stream.startsWith('$'))).not.toEqual([]);
    if (MEETS_STAND_IN)
      expect(streams).toEqual(
        expect.arrayContaining(['$$$settings', '$settings', '$$$scavenges', '$$$users', '$users']),
      );
  });

  it('includes the position it starts from forwards and excludes it backwards', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(3));
    const [first, second, third] = await collect(client.readStream(stream));
    const forwards = await take(client.readAll({ fromPosition: positionOf(second!) }), 2);
    expect(forwards.map(({ event }) => event!.id)).toEqual([second!.event!.id, third!.event!.id]);
    const backwards = await collect(
      client.readAll({ direction: BACKWARDS, fromPosition: positionOf(second!), maxCount: 1 }),
    );
    expect(backwards.map(({ event }) => event!.id)).toEqual([first!.event!.id]);
  });

  it('starts at the start and at the end, and stops at a limit', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(5));
    expect(await collect(client.readAll({ fromPosition: START, maxCount: 4 }))).toHaveLength(4);
    expect(await collect(client.readAll({ direction: BACKWARDS, fromPosition: START }))).toHaveLength(0);
    const latest = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 200 }));
    expect(numbersOf(latest.filter(({ event }) => event?.streamId === stream))).toEqual(upTo(5).reverse());
  });

  it('goes through all pages backwards without missing or repeating one', async () => {
    const prefix = newStream();
    for (const round of upTo(12))
      await client.appendToStream(`${prefix}-${round % 3}`, several(4, round * 4));
    const [first] = await collect(client.readStream(`${prefix}-0`, { maxCount: 1 }));
    const seen: number[] = [];
    let from: Position | typeof END = END;
    for (;;) {
      const page: AllStreamResolvedEvent[] = await collect(
        client.readAll({ direction: BACKWARDS, fromPosition: from, maxCount: 5 }),
      );
      seen.push(...numbersOf(page.filter(({ event }) => event?.streamId.startsWith(prefix))));
      from = positionOf(page.at(-1)!);
      if (from.commit <= positionOf(first!).commit) break;
    }
    expect(seen).toEqual(upTo(48).reverse());
  });
});

describe('deleting a stream', () => {
  it('hides its events, leaves them in $all, and lets it go on at the next revision', async () => {
    for (const expectedRevision of [NO_STREAM, ANY, 2n] as const) {
      const stream = newStream();
      await client.appendToStream(stream, several(3));
      const [first] = await collect(client.readStream(stream));
      const deleted = await client.deleteStream(stream, { expectedRevision: 2n });
      expect(deleted.position!.commit).toBeGreaterThan(positionOf(first!).commit);
      expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
      expect(
        await rejection(collect(client.readStream(stream, { direction: BACKWARDS, fromRevision: END }))),
      ).toBeInstanceOf(StreamNotFoundError);
      const again = await client.appendToStream(stream, several(2, 3), { expectedRevision });
      expect(again.nextExpectedRevision).toBe(4n);
      expect(numbersOf(await collect(client.readStream(stream)))).toEqual([3, 4]);
      expect(
        numbersOf(await collect(client.readStream(stream, { direction: BACKWARDS, fromRevision: END }))),
      ).toEqual([4, 3]);
      expect(numbersOf(await allOf(stream, positionOf(first!)))).toEqual(upTo(5));
    }
  });

  it('is written to the metadata of the stream', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(3));
    await client.setStreamMetadata(stream, { owner: 'somebody' });
    await client.deleteStream(stream);
    const [event] = await collect(
      client.readStream(`$$${stream}`, { direction: BACKWARDS, fromRevision: END, maxCount: 1 }),
    );
    expect(event!.event).toMatchObject({
      streamId: `$$${stream}`,
      type: '$metadata',
      revision: 1n,
      isJson: true,
    });
    expect((event!.event!.data as { $tb: number }).$tb).toBe(Number(2n ** 63n - 1n));
    await client.appendToStream(stream, numbered(3));
    expect((await client.getStreamMetadata(stream)).metadata).toMatchObject({ truncateBefore: 3 });
  });

  it('refuses "stream exists" afterwards', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(1));
    await client.deleteStream(stream);
    const error = await rejection(
      client.appendToStream(stream, numbered(1), { expectedRevision: STREAM_EXISTS }),
    );
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ type: 'stream-deleted', streamName: stream });
  });

  it('refuses another revision than the present one', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(3));
    const error = await rejection(client.deleteStream(stream, { expectedRevision: 1n }));
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({ streamName: stream, expectedVersion: 1n, actualVersion: 2n });
    expect(await collect(client.readStream(stream))).toHaveLength(3);
  });

  it('refuses a stream that never was, at whatever revision', async () => {
    for (const expectedRevision of [ANY, NO_STREAM] as const) {
      const stream = newStream();
      const error = await rejection(client.deleteStream(stream, { expectedRevision }));
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: stream });
      expect(await rejection(collect(client.readStream(`$$${stream}`)))).toBeInstanceOf(StreamNotFoundError);
    }
  });

  it('is refused in words that arrive as they were sent', async () => {
    const stream = `${newStream()}, 100% (a:b) c%41`;
    await client.appendToStream(stream, several(2));
    const { message } = (await rejection(client.deleteStream(stream, { expectedRevision: 0n }))) as Error;
    expect(message).toContain(`Stream: ${stream}, Expected version: 0, Actual version: 1`);
  });

  it('can be done again after it was written again', async () => {
    const stream = newStream();
    for (const round of upTo(3)) {
      await client.appendToStream(stream, several(2, round * 2));
      expect(numbersOf(await collect(client.readStream(stream)))).toEqual(upTo(2, round * 2));
      await client.deleteStream(stream);
    }
    expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
  });

  it('for good refuses every use of its name', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(3));
    const { position } = await client.tombstoneStream(stream, { expectedRevision: 2n });
    for (const use of [
      () => collect(client.readStream(stream)),
      () => client.appendToStream(stream, numbered(3)),
      () => client.appendToStream(stream, numbered(3), { credentials: CLASSIC }),
      () => client.appendToStream(stream, numbered(3), { expectedRevision: NO_STREAM }),
      () => client.deleteStream(stream),
      () => client.tombstoneStream(stream),
      () => take(client.subscribeToStream(stream), 1),
    ]) {
      const error = await rejection(use());
      expect(error).toBeInstanceOf(StreamDeletedError);
      expect(error).toMatchObject({ streamName: stream });
    }
    const [tombstone] = await take(client.readAll({ fromPosition: position! }), 1);
    expect(tombstone!.event).toMatchObject({
      streamId: stream,
      type: '$streamDeleted',
      revision: 2n ** 63n - 1n,
    });
  });

  it('for good refuses another revision than the present one, and takes one that was deleted before', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(3));
    const error = await rejection(client.tombstoneStream(stream, { expectedRevision: 1n }));
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({ streamName: stream, expectedVersion: 1n, actualVersion: 2n });
    await client.deleteStream(stream, { expectedRevision: 2n });
    await client.tombstoneStream(stream, { expectedRevision: 2n });
    expect(await rejection(client.getStreamMetadata(stream))).toBeInstanceOf(StreamDeletedError);
  });
});

describe('the metadata of a stream', () => {
  it('is an event of its own stream and hides what it says is truncated', async () => {
    const stream = newStream();
    const created = await client.appendToStream(stream, several(6));
    expect(await client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    await client.setStreamMetadata(
      stream,
      { truncateBefore: 4, note: 'kept' },
      { expectedRevision: NO_STREAM },
    );
    expect((await client.getStreamMetadata(stream)).metadata).toEqual({ truncateBefore: 4, note: 'kept' });
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual([4, 5]);
    expect(
      numbersOf(await collect(client.readStream(stream, { direction: BACKWARDS, fromRevision: END }))),
    ).toEqual([5, 4]);
    expect(
      await rejection(client.setStreamMetadata(stream, {}, { expectedRevision: NO_STREAM })),
    ).toBeInstanceOf(WrongExpectedVersionError);
    await client.setStreamMetadata(stream, { maxCount: 3 }, { expectedRevision: 0n });
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual([3, 4, 5]);
    await client.appendToStream(stream, numbered(6));
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual([4, 5, 6]);
    expect(numbersOf(await take(client.subscribeToStream(stream), 3))).toEqual([4, 5, 6]);
    // What is hidden in its stream stays in the log.
    const metadata = await collect(client.readStream(`$$${stream}`));
    expect(numbersOf((await allOf(stream, positionOf(metadata[0]!))).slice(-1))).toEqual([6]);
    // So does metadata: its own stream shows the latest of it.
    const backwards = await collect(
      client.readStream(`$$${stream}`, { direction: BACKWARDS, fromRevision: END }),
    );
    expect([metadata, backwards].map(revisionsOf)).toEqual([[1n], [1n]]);
    const all = await allOf(`$$${stream}`, created.position!);
    expect(revisionsOf(all)).toEqual([0n, 1n]);
  });

  it('says nothing when one of its limits is no number', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(4));
    for (const [data, shown] of [
      [{ $tb: 2 }, [2, 3]],
      [{ $tb: 2, $maxCount: 'one' }, upTo(4)],
      [{ $tb: 2, mine: 'one' }, [2, 3]],
      [{ $tb: 2, $maxAge: null }, upTo(4)],
    ] as const) {
      await client.appendToStream(`$$${stream}`, jsonEvent({ type: '$metadata', data }));
      expect(numbersOf(await collect(client.readStream(stream)))).toEqual(shown);
    }
  });

  it('hides what is older than it says, as time passes', async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxAge: 1 });
    const { position } = await client.appendToStream(stream, several(5));
    expect(numbersOf(await collect(client.readStream(stream)))).toEqual(upTo(5));
    while ((await collect(client.readStream(stream))).length > 0);
    expect(await collect(client.readStream(stream, { direction: BACKWARDS, fromRevision: END }))).toEqual([]);
    await client.setStreamMetadata(stream, { maxAge: 3600 });
    expect(numbersOf(await collect(client.readStream(stream, { fromRevision: 2n })))).toEqual([2, 3, 4]);
    expect(numbersOf(await allOf(stream, position!))).toEqual([4]);
  });

  it('is kept whole: what readers are to know, who may do what, and what is the writer’s own', async () => {
    const stream = newStream();
    const metadata = {
      cacheControl: 15,
      maxAge: 3600,
      acl: { readRoles: ['$all'], writeRoles: ['ledger'] },
      mine: { deep: [1] },
    };
    await client.setStreamMetadata(stream, metadata);
    expect(await client.getStreamMetadata(stream)).toMatchObject({ streamName: stream, metadata });
    const [event] = await collect(client.readStream(`$$${stream}`));
    expect(event!.event!.data).toMatchObject({
      $cacheControl: 15,
      $maxAge: 3600,
      $acl: { $r: ['$all'], $w: ['ledger'] },
    });
  });
});

describe('links', () => {
  const linkTo = (revision: number | string, stream: string): ReturnType<typeof binaryEvent> =>
    binaryEvent({ type: '$>', data: Buffer.from(`${revision}@${stream}`) });
  let target: string;
  let links: string;
  let position: Position;
  beforeAll(async () => {
    [target, links] = [`${newStream()}@home`, newStream()];
    await client.appendToStream(target, several(5));
    await client.setStreamMetadata(target, { truncateBefore: 1 });
    const plain = await client.appendToStream(links, numbered(100));
    // The first can still be seen, the second is cut off, the third and fourth never were, and the fifth has
    // no number: it is taken for an event of its own.
    await client.appendToStream(links, [
      linkTo(3, target),
      linkTo(0, target),
      linkTo(9, target),
      linkTo(0, newStream()),
      binaryEvent({ type: '$>', data: Buffer.from('nonsense') }),
    ]);
    await client.appendToStream(links, [linkTo(4, target), linkTo(-1, target)]);
    position = plain.position!;
  });
  const told = (events: readonly ResolvedEvent[]): unknown[] =>
    events.map(({ event, link }) => [
      event && `${event.revision}@${event.streamId === target ? 'target' : 'links'}`,
      link && `${link.revision}@${link.streamId === links ? 'links' : '?'}`,
    ]);
  const RESOLVED = [
    ['0@links', undefined],
    ['3@target', '1@links'],
    ...upTo(3, 2).map((revision) => [undefined, `${revision}@links`]),
    ['5@links', undefined],
    ['4@target', '6@links'],
    // Minus one is the last.
    ['4@target', '7@links'],
  ];

  it('come as they are unless the reader asks for what they point at', async () => {
    const plain = await collect(client.readStream(links));
    expect(told(plain)).toEqual(upTo(8).map((revision) => [`${revision}@links`, undefined]));
    expect(plain[1]!.event).toMatchObject({ type: '$>' });
  });

  it('bring the event they point at, where it can be seen, and themselves', async () => {
    const resolved = await collect(client.readStream(links, { resolveLinkTos: true }));
    expect(told(resolved)).toEqual(RESOLVED);
    expect(resolved[1]!.event).toMatchObject({
      type: 'Numbered',
      data: { number: 3 },
      metadata: { version: 1 },
    });
    expect(resolved[1]!.link).toMatchObject({ type: '$>' });
    const backwards = { direction: BACKWARDS, fromRevision: END, resolveLinkTos: true } as const;
    expect(told(await collect(client.readStream(links, backwards)))).toEqual([...RESOLVED].reverse());
  });

  it('are resolved in $all, where the place is the link’s', async () => {
    const all = await take(client.readAll({ fromPosition: position, resolveLinkTos: true }), 8);
    expect(told(all)).toEqual(RESOLVED);
    const plain = await take(client.readAll({ fromPosition: position }), 8);
    expect(all.map(({ link, event }) => (link ?? event)!.position)).toEqual(
      plain.map((event) => positionOf(event)),
    );
  });

  it('are resolved in subscriptions, for what there is and for what comes', async () => {
    const filter = streamNameFilter({ prefixes: [links] });
    const subscriptions = [
      client.subscribeToStream(links, { resolveLinkTos: true }),
      client.subscribeToAll({ fromPosition: position, filter, resolveLinkTos: true }),
    ] as const;
    const [ofStream, ofAll] = subscriptions.map((subscription) => once(subscription, 'caughtUp'));
    const received = [take(subscriptions[0], 11), take(subscriptions[1], 10)] as const;
    await Promise.all([ofStream, ofAll]);
    await client.appendToStream(links, [linkTo(2, target), linkTo(-1, target), linkTo('none', target)]);
    // Live, a link without a number is a bare link.
    const live = [
      ['2@target', '8@links'],
      ['4@target', '9@links'],
      [undefined, '10@links'],
    ];
    expect(told(await received[0])).toEqual([...RESOLVED, ...live]);
    expect(told(await received[1])).toEqual([...RESOLVED.slice(1), ...live]);
  });
});

describe('subscribing to a stream', () => {
  it('delivers what there is, says once that it has caught up, and goes on with what comes', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(5));
    const subscription = client.subscribeToStream(stream);
    let caughtUp = 0;
    subscription.on('caughtUp', () => caughtUp++);
    const received: number[] = [];
    await follow(subscription, async (event) => {
      received.push(...numbersOf([event]));
      if (received.length >= 5 && received.length < 9)
        await client.appendToStream(stream, numbered(received.length));
      return received.length === 9;
    });
    expect(received).toEqual(upTo(9));
    if (MEETS_STAND_IN) expect(caughtUp).toBe(1);
  });

  it('starts behind a revision, or with the next event', async () => {
    const stream = newStream();
    await client.appendToStream(stream, several(5));
    const behind = client.subscribeToStream(stream, { fromRevision: 2n });
    const next = client.subscribeToStream(stream, { fromRevision: END });
    await Promise.all([once(behind, 'confirmation'), once(next, 'confirmation')]);
    await client.appendToStream(stream, several(2, 5));
    expect(numbersOf(await take(behind, 4))).toEqual([3, 4, 5, 6]);
    expect(numbersOf(await take(next, 2))).toEqual([5, 6]);
  });

  it('waits for a stream that does not exist yet', async () => {
    const stream = newStream();
    const subscription = client.subscribeToStream(stream);
    await once(subscription, 'confirmation');
    await client.appendToStream(stream, several(3));
    expect(numbersOf(await take(subscription, 3))).toEqual(upTo(3));
  });

  it('goes on when the stream is deleted and written again', async () => {
    const stream = newStream();
    await client.appendToStream(stream, numbered(0));
    const subscription = client.subscribeToStream(stream);
    const received: number[] = [];
    const following = follow(subscription, (event) => {
      received.push(...numbersOf([event]));
      return received.at(-1) === 3;
    });
    await once(subscription, 'caughtUp');
    await client.appendToStream(stream, numbered(1));
    await client.deleteStream(stream);
    await client.appendToStream(stream, several(2, 2));
    await following;
    expect(received).toEqual(upTo(4));
  });

  it('misses, repeats and reorders nothing while several writers write', async () => {
    const stream = newStream();
    const TOTAL = 6_000;
    await client.appendToStream(stream, several(500));
    const writers = upTo(3).map(() => EventStoreDBClient.connectionString(url));
    let written = 500;
    const writing = writers.map(async (writer) => {
      while (written < TOTAL) {
        const count = Math.min(1 + (written % 40), TOTAL - written);
        written += count;
        await writer.appendToStream(stream, several(count));
      }
    });
    // Each begins at another moment of the writing.
    const followers: Promise<{ events: ResolvedEvent[] }>[] = [];
    const subscribe = (last: ResolvedEvent | undefined): StreamSubscription =>
      client.subscribeToStream(stream, last ? { fromRevision: last.event!.revision } : {});
    for (const start of upTo(6)) {
      while (written < 500 + start * 800) await client.getStreamMetadata(stream);
      followers.push(takeThroughDrops(subscribe, TOTAL));
    }
    await Promise.all(writing);
    for (const follower of followers)
      expect(revisionsOf((await follower).events)).toEqual(upTo(TOTAL).map(BigInt));
    await Promise.all(writers.map((writer) => writer.dispose()));
  });
});

describe('subscribing to $all', () => {
  /** A subscription from the present on that has begun. */
  async function fromNow(
    options: Parameters<EventStoreDBClient['subscribeToAll']>[0],
  ): Promise<AllStreamSubscription> {
    const subscription = client.subscribeToAll({ ...options, fromPosition: END });
    await once(subscription, 'confirmation');
    return subscription;
  }

  it('delivers the events of all streams in the order of their positions', async () => {
    const prefix = newStream();
    const subscription = await fromNow({ filter: streamNameFilter({ prefixes: [prefix] }) });
    const answers = await Promise.all(
      upTo(50).map((number) => client.appendToStream(`${prefix}-${number % 7}`, numbered(number))),
    );
    const received = await take(subscription, 50);
    const positions = received.map((event) => positionOf(event).commit);
    expect([...positions].sort((a, b) => (a < b ? -1 : 1))).toEqual(positions);
    expect(new Set(positions)).toEqual(new Set(answers.map((answer) => answer.position!.commit)));
  });

  it('without a filter delivers everything behind a position, of any stream', async () => {
    const prefix = newStream();
    const { position } = await client.appendToStream(`${prefix}-0`, numbered(0));
    await client.appendToStream(`${prefix}-1`, several(3, 1));
    await client.setStreamMetadata(`${prefix}-1`, { note: 1 });
    const subscription = client.subscribeToAll({ fromPosition: position! });
    const received: (number | string)[] = [];
    await follow(subscription, ({ event }) => {
      if (event?.streamId.startsWith(prefix)) received.push((event.data as { number: number }).number);
      if (event?.streamId === `$$${prefix}-1`) received.push(event.type);
      if (received.length === 4) void client.appendToStream(`${prefix}-2`, numbered(4));
      return received.length === 5;
    });
    expect(received).toEqual([1, 2, 3, '$metadata', 4]);
  });

  it('goes on from the last position without missing or repeating one', async () => {
    const prefix = newStream();
    const { position } = await client.appendToStream(`${prefix}-0`, numbered(0));
    const filter = streamNameFilter({ prefixes: [prefix] });
    let writing = true;
    let written = 1;
    const writer = (async () => {
      while (writing) {
        await client.appendToStream(`${prefix}-${written % 5}`, numbered(written));
        written++;
      }
    })();
    const received: number[] = [];
    let from = position!;
    for (const _ of upTo(12)) {
      for (const event of await take(client.subscribeToAll({ fromPosition: from, filter }), 25)) {
        received.push(...numbersOf([event]));
        from = positionOf(event);
      }
    }
    writing = false;
    await writer;
    expect(received).toEqual(upTo(300, 1));
  });

  it('filters by the beginning of the name or of the type, by pattern, and without system events', async () => {
    const prefix = newStream();
    const type = `Type${randomUUID()}`;
    const subscriptions = await Promise.all([
      fromNow({ filter: streamNameFilter({ prefixes: [`${prefix}-a`, `${prefix}-b`] }) }),
      fromNow({ filter: streamNameFilter({ regex: `^${prefix}-[bc]$` }) }),
      fromNow({ filter: eventTypeFilter({ prefixes: [`${type}One`, `${type}Three`] }) }),
      fromNow({ filter: eventTypeFilter({ regex: `^${type}(Two|Three)$` }) }),
      fromNow({ filter: excludeSystemEvents() }),
    ]);
    await client.appendToStream(`${prefix}-a`, [numbered(1, `${type}One`), numbered(2, `${type}Two`)]);
    await client.setStreamMetadata(`${prefix}-a`, { note: 1 });
    await client.appendToStream(`${prefix}-b`, [numbered(3, `${type}Three`)]);
    await client.appendToStream(`${prefix}-c`, [numbered(4, `${type}One`), numbered(5, `${type}Three`)]);
    const expected = [
      [1, 2, 3],
      [3, 4, 5],
      [1, 3, 4, 5],
      [2, 3, 5],
      [1, 2, 3, 4, 5],
    ];
    for (const [index, subscription] of subscriptions.entries()) {
      const received: number[] = [];
      await follow(subscription, ({ event }) => {
        expect(event!.type.startsWith('$') && index === 4).toBe(false);
        if (event!.streamId.startsWith(prefix)) received.push((event!.data as { number: number }).number);
        return received.length === expected[index]!.length;
      });
      expect(received).toEqual(expected[index]);
    }
  });

  it('tells its progress through events that it does not deliver, from which it can go on', async () => {
    const [watched, other] = [newStream(), newStream()];
    type Told = (subscription: AllStreamSubscription, position: Position) => Promise<void>;
    const [prefixes, regex] = [[watched], `^${watched}$`];
    // A checkpoint comes after so many search windows, which are of 32 events unless told otherwise.
    for (const [filterTelling, atLeast] of [
      [
        (checkpointReached: Told) => streamNameFilter({ prefixes, checkpointInterval: 1, checkpointReached }),
        12,
      ],
      [
        (checkpointReached: Told) => streamNameFilter({ prefixes, checkpointInterval: 4, checkpointReached }),
        3,
      ],
      [
        (checkpointReached: Told) => streamNameFilter({ regex, checkpointInterval: 1, checkpointReached }),
        12,
      ],
      [
        (checkpointReached: Told) =>
          streamNameFilter({ regex, checkpointInterval: 2, maxSearchWindow: 5, checkpointReached }),
        39,
      ],
    ] as const) {
      const start = (await client.appendToStream(watched, numbered(0))).position!;
      await client.appendToStream(other, several(400));
      const reached: Position[] = [];
      const subscription = client.subscribeToAll({
        fromPosition: start,
        filter: filterTelling((_, position) => {
          reached.push(position);
          if (reached.length === atLeast) subscription.emit('enough');
          return Promise.resolve();
        }),
      });
      subscription.resume();
      await once(subscription, 'enough');
      await subscription.unsubscribe();
      const positions = reached.map(({ commit }) => commit);
      for (let i = 1; i < positions.length; i++) expect(positions[i]).toBeGreaterThan(positions[i - 1]!);
      // KurrentDB may begin with the place that it was started from.
      expect(positions[0]).toBeGreaterThanOrEqual(start.commit);
      if (MEETS_STAND_IN) expect(positions[0]).toBeGreaterThan(start.commit);
      const { position } = await client.appendToStream(watched, numbered(1));
      const [next] = await take(
        client.subscribeToAll({
          fromPosition: reached.at(-1)!,
          filter: streamNameFilter({ prefixes: [watched] }),
        }),
        1,
      );
      expect(positionOf(next!)).toEqual(position);
    }
  });

  it('filters by patterns that say they do not mind capitals, or that are anywhere in the name', async () => {
    const prefix = newStream();
    const subscriptions = await Promise.all([
      fromNow({ filter: streamNameFilter({ regex: `(?i)^${prefix.toUpperCase()}-A` }) }),
      fromNow({ filter: eventTypeFilter({ regex: `${prefix}.*(Held|Settled)` }) }),
    ]);
    await client.appendToStream(`${prefix}-ab`, numbered(0, `${prefix}Opened`));
    await client.appendToStream(`${prefix}-ca`, [
      numbered(1, `Payment${prefix}WasHeld`),
      numbered(2, `${prefix}Posted`),
    ]);
    await client.appendToStream(`${prefix}-Ac`, numbered(3, `${prefix}Settled`));
    expect(numbersOf(await take(subscriptions[0]!, 2))).toEqual([0, 3]);
    expect(numbersOf(await take(subscriptions[1]!, 2))).toEqual([1, 3]);
  });

  it('ends with an error that says nothing for a pattern that is none', async () => {
    const filter = streamNameFilter({ regex: '(' });
    const error = await rejection(take(client.subscribeToAll({ filter }), 1));
    expect(error).toMatchObject({
      code: 2,
      message: expect.stringContaining('Exception was thrown by handler.'),
    });
  });

  it('ends quietly when the subscriber unsubscribes', async () => {
    const subscription = await fromNow({});
    const ended = once(subscription, 'end');
    subscription.resume();
    await subscription.unsubscribe();
    await ended;
  });
});
