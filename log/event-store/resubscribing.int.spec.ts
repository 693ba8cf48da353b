/**
 * What a follower meets when the store drops it: over the wire, from a server that does as it is told, in
 * both ways of reading.
 */
import { randomUUID } from 'node:crypto';
import { Server, ServerCredentials, status, type ServerWritableStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { positionText, START, type Position } from '#contracts/log';
import { startEventStore } from '#test/conformance/eventstore-process';
import { EsdbLog } from '../esdb.js';
import { FollowerDropped, LogUnavailable, type RawEvent, type SubscriptionItem } from '../event-log.js';
import { StoredContent } from '../stored-content.js';
import { followThroughDrops } from './resubscribing.js';
import { followMessage } from './read-messages.js';
import { field, numberField } from './wire.js';

const TOO_SLOW =
  'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';
const TOO_SLOW_ON_THE_WAY =
  'Operation timed out: Consumer too slow to handle event while transitioning to live. Client resubscription required.';
const PREFIX = 'journal';
/** The first field of what a read asks for, where that is a stream. */
const OF_STREAM = 0x0a;

const confirmation = field(2, field(1, 'subscription'));
const caughtUp = field(8);
const placeOf = (n: number): Position => ({ commit: BigInt(n) * 64n, prepare: BigInt(n) * 64n });

/** The event of revision `n` as the server sends it. */
const eventMessage = (n: number): Buffer =>
  field(
    1,
    field(
      1,
      field(1, field(2, `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)),
      field(2, field(3, PREFIX)),
      numberField(3, n),
      numberField(4, placeOf(n).prepare),
      numberField(5, placeOf(n).commit),
      ...Object.entries({
        type: 'Noted',
        'content-type': 'application/json',
        created: '17000000000000000',
      }).map(([key, value]) => field(6, field(1, key), field(2, value))),
      field(7, '{"version":1}'),
      field(8, `{"n":${n}}`),
    ),
  );
const events = (from: number, to: number): Buffer[] =>
  Array.from({ length: to - from + 1 }, (_, n) => eventMessage(from + n));

/** What the server does at one subscription: sends these, then ends it with this error or leaves it open. */
interface Scene {
  readonly sends: readonly Buffer[];
  readonly ends?: { readonly code: number; readonly details: string };
}

const running: { end(): Promise<void> }[] = [];
afterEach(() => Promise.all(running.splice(0).map((it) => it.end())));

/** A server that plays one scene for each subscription, and keeps what it was asked. */
async function serverOf(...scenes: readonly Scene[]) {
  const requests: string[] = [];
  const server = new Server();
  const raw = (bytes: Buffer): Buffer => bytes;
  server.addService(
    {
      read: {
        path: '/event_store.client.streams.Streams/Read',
        requestStream: false,
        responseStream: true,
        requestSerialize: raw,
        requestDeserialize: raw,
        responseSerialize: raw,
        responseDeserialize: raw,
      },
    },
    {
      read: (call: ServerWritableStream<Buffer, Buffer>) => {
        // A read of a stream: the log looks each second whether the server answers.
        if (call.request[2] === OF_STREAM) return call.end();
        const scene = scenes[requests.length] ?? { sends: [] };
        requests.push(call.request.toString('hex'));
        for (const message of [confirmation, ...scene.sends]) call.write(message);
        if (scene.ends) call.emit('error', scene.ends);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const logs: EsdbLog[] = [];
  running.push({
    async end() {
      await Promise.all(logs.map((log) => log.close()));
      server.forceShutdown();
    },
  });
  return {
    requests,
    log(reading: 'lean' | 'client'): EsdbLog {
      const log = EsdbLog.connect(`esdb://127.0.0.1:${port}?tls=false`, 'EVENTSTORE_URL', { reading });
      logs.push(log);
      return log;
    },
  };
}

async function* nothing(): AsyncGenerator<RawEvent> {}

const describeItem = (item: SubscriptionItem): string =>
  item.kind === 'event' ? `${item.event.revision}` : item.kind === 'dropped' ? item.why : item.kind;

/** The items up to the first `caught-up` behind this revision. */
async function upTo(items: AsyncIterable<SubscriptionItem>, revision: number): Promise<string[]> {
  const list: string[] = [];
  let reached = -1;
  for await (const item of items) {
    list.push(describeItem(item));
    if (item.kind === 'event') reached = item.event.revision;
    if (item.kind === 'caught-up' && reached >= revision) break;
  }
  return list;
}

describe.each(['lean', 'client'] as const)(
  'a follower that the store drops, in the %s way of reading',
  (reading) => {
    it('resumes after its last event, also when it is dropped again before it is live', async () => {
      const server = await serverOf(
        {
          sends: [...events(1, 3), caughtUp, ...events(4, 5)],
          ends: { code: status.ABORTED, details: TOO_SLOW },
        },
        { sends: events(6, 7), ends: { code: status.ABORTED, details: TOO_SLOW_ON_THE_WAY } },
        { sends: [...events(8, 9), caughtUp] },
      );
      const items = await upTo(server.log(reading).follow(START, [PREFIX], new AbortController().signal), 9);
      expect(items.filter((item) => /^\d+$/.test(item))).toEqual([
        '1',
        '2',
        '3',
        '4',
        '5',
        '6',
        '7',
        '8',
        '9',
      ]);
      const drops = items.filter((item) => item.includes('Consumer too slow'));
      expect(drops.map((why) => /while [\w ]+/.exec(why)![0])).toEqual([
        'while live',
        'while transitioning to live',
      ]);
      if (reading === 'lean')
        expect(server.requests).toEqual(
          [START, placeOf(5), placeOf(7)].map((after) => followMessage(after, [PREFIX]).toString('hex')),
        );
    });

    it('fails with an outage when the status ABORTED has another cause than a slow consumer', async () => {
      const server = await serverOf({
        sends: events(1, 2),
        ends: { code: status.ABORTED, details: 'Operation timed out: Commit phase timeout.' },
      });
      const following = upTo(server.log(reading).follow(START, [PREFIX], new AbortController().signal), 9);
      const error = await following.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(LogUnavailable);
      expect(error).not.toBeInstanceOf(FollowerDropped);
      expect(server.requests).toHaveLength(1);
    });
  },
);

it.each(['lean', 'client'] as const)(
  'is given each event once, in order, through the drops of a store that is written to in bursts (%s)',
  async (reading) => {
    const store = await startEventStore();
    const [writer, follower] = [0, 1].map(() => EsdbLog.connect(store.url, 'EVENTSTORE_URL', { reading }));
    running.push({
      async end() {
        await Promise.all([writer!.close(), follower!.close()]);
        await store.stop();
      },
    });
    const BURSTS = 5;
    const BURST = 1_000;
    const burst = async (n: number): Promise<void> => {
      const noted = Array.from({ length: BURST }, () => ({
        id: randomUUID(),
        type: 'Noted',
        data: {},
        metadata: {},
      }));
      await writer!.append(PREFIX, noted, n * BURST - 1, 10_000);
    };
    const revisions: number[] = [];
    let drops = 0;
    let written = 0;
    for await (const item of follower!.follow(START, [PREFIX], new AbortController().signal)) {
      if (item.kind === 'event') revisions.push(item.event.revision);
      if (item.kind === 'dropped') drops += 1;
      if (item.kind !== 'caught-up' || revisions.length < written * BURST) continue;
      if (written === BURSTS) break;
      await burst(written);
      written += 1;
    }
    expect(revisions).toEqual(Array.from({ length: BURSTS * BURST }, (_, n) => n));
    expect(drops).toBeGreaterThanOrEqual(BURSTS);
  },
  60_000,
);

describe('a follower that is dropped again and again', () => {
  const event = (n: number): RawEvent => ({
    id: `${n}`,
    stream: PREFIX,
    revision: n,
    position: placeOf(n),
    type: 'Noted',
    data: StoredContent.of({}),
    metadata: StoredContent.of({}),
    createdAt: new Date(0),
  });

  it('subscribes at once while it gets on, and pauses when it was given nothing', async () => {
    const asked: { after: string; atMs: number }[] = [];
    const reading = {
      read: nothing,
      async *follow(after: Position): AsyncGenerator<SubscriptionItem> {
        asked.push({ after: positionText(after), atMs: performance.now() });
        const given = asked.length <= 3 || asked.length === 8;
        if (given) yield { kind: 'event', event: event(asked.length) };
        if (asked.length === 8) yield { kind: 'caught-up' };
        throw new FollowerDropped(TOO_SLOW);
      },
    };
    const signal = new AbortController().signal;
    expect(await upTo(followThroughDrops(reading, START, [PREFIX], signal), 8)).toContain('8');
    const third = positionText(placeOf(3));
    expect(asked.map(({ after }) => after).slice(3)).toEqual([third, third, third, third, third]);
    // 10, 20, 40 and 80 ms after the first of the idle ones; timers may be a little early.
    expect(asked[7]!.atMs - asked[3]!.atMs).toBeGreaterThan(140);
  });

  it('ends with its signal also while it pauses', async () => {
    const leaving = new AbortController();
    let drops = 0;
    const reading = {
      read: nothing,
      // eslint-disable-next-line require-yield
      async *follow(): AsyncGenerator<SubscriptionItem> {
        if (leaving.signal.aborted) return;
        drops += 1;
        throw new FollowerDropped(TOO_SLOW);
      },
    };
    for await (const _ of followThroughDrops(reading, START, [PREFIX], leaving.signal))
      if (drops === 3) leaving.abort();
    expect(drops).toBe(3);
  });
});
