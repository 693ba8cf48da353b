/**
 * Reading by our own decoding, judged by the event store's own client over the same store, with a certificate
 * and a password: the same events, the same bytes, the same failures.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { positionText, START, type Position } from '#contracts/log';
import { startEventStore, type RunningEventStore } from '#test/conformance/eventstore-process';
import { EsdbLog, type EsdbLogOptions } from '../esdb.js';
import {
  LogUnavailable,
  NO_STREAM,
  type SubscriptionItem,
  type NewEvent,
  type RawEvent,
} from '../event-log.js';
import { ClientReading } from './client-reading.js';
import { LeanReading } from './lean-reading.js';

const folder = mkdtempSync(join(tmpdir(), 'reading-'));
const certificate = join(folder, 'certificate');
const authority = encodeURIComponent(join(certificate, 'authority.pem'));
const PASSWORD = 'hush-hush';
const WAYS = ['lean', 'client'] as const;
const UNWATCHED = { heard: () => undefined, failed: () => undefined, leftBecause: () => undefined };

const start = (place: { folder?: string; port?: number } = {}): Promise<RunningEventStore> =>
  startEventStore({
    ...place,
    flags: ['--development-certificate', certificate],
    env: { STAND_IN_USERS_FILE: join(folder, 'users') },
  });

let store: RunningEventStore;
const opened: EsdbLog[] = [];
const urlFor = (port: number, password = PASSWORD): string =>
  `esdb://ledger:${password}@localhost:${port}?tls=true&tlsCAFile=${authority}`;
function connect(options: EsdbLogOptions, url = urlFor(store.port)): EsdbLog {
  const log = EsdbLog.connect(url, 'EVENTSTORE_URL', options);
  opened.push(log);
  return log;
}

beforeAll(async () => {
  writeFileSync(join(folder, 'users'), `ledger:${PASSWORD}\n`);
  store = await start();
});
afterEach(() => Promise.all(opened.splice(0).map((log) => log.close())));
afterAll(async () => {
  await store.stop();
  rmSync(folder, { recursive: true });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Everything about an event, so that a difference shows. */
const describeEvent = (event: RawEvent) => ({
  ...event,
  position: positionText(event.position),
  data: event.data.value,
  dataBytes: event.data.bytes.toString('hex'),
  metadata: event.metadata.value,
  metadataBytes: event.metadata.bytes.toString('hex'),
});
const describeItem = (item: SubscriptionItem) =>
  item.kind === 'event'
    ? describeEvent(item.event)
    : 'position' in item
      ? positionText(item.position)
      : item.kind;

/** The error of a read that must fail. */
const failure = (reading: AsyncIterable<unknown>): Promise<unknown> =>
  all(reading).then(
    () => {
      throw new Error('This read should have failed');
    },
    (error: unknown) => error,
  );
/** What an error says; of an outage without the addresses that were tried, in whatever order. */
const words = (error: unknown): string => (error as Error).message.replace(/(UNAVAILABLE).*/s, '$1');
const noted = (n: number, text = ''): NewEvent => ({
  id: randomUUID(),
  type: 'Noted',
  data: { n, text },
  metadata: { version: 1 },
});

/** Draws from a seed: the same seed, the same events. */
class Draw {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (Math.imul(this.state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((this.state / 0x8000_0000) * limit);
  }

  of<T>(...choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  text(): string {
    const piece = this.of('a', 'Zoë', '♫', '𝄞', '"\\\n', '\u0000', '\ud800', ' ', '{"', '9'.repeat(30));
    return piece.repeat(this.of(0, 1, 3, this.of(7, 7, 500)));
  }

  json(depth = 0): unknown {
    const leaf = this.of<() => unknown>(
      () => this.text(),
      () => this.below(2 ** 31),
      () => -this.below(1_000) / 7,
      () => Number.MAX_SAFE_INTEGER,
      () => this.of(null, true, false),
    );
    const branch = this.of<() => unknown>(
      () => Array.from({ length: this.below(4) }, () => this.json(depth + 1)),
      () => this.object(depth + 1),
    );
    return depth > 3 ? leaf() : this.of(leaf, leaf, branch)();
  }

  object(depth = 0): Record<string, unknown> {
    const names = Array.from({ length: this.below(5) }, () =>
      this.of('n', 'ünï', '7', '', 'hash', this.text()),
    );
    return Object.fromEntries(names.map((name) => [name, this.json(depth)]));
  }

  bytes(): Uint8Array {
    return Uint8Array.from({ length: 1 + this.below(400) }, () => this.below(256));
  }

  event(): NewEvent {
    const type = this.of('Counted', 'Ümläut ♫', 'X'.repeat(200));
    const data = this.of<object>(this.object(), this.object(), this.object(), this.bytes());
    return {
      id: randomUUID(),
      type,
      data,
      metadata: this.of<object>(this.object(), this.object(), this.bytes()),
    };
  }
}

describe('two ways of reading', () => {
  const seed = Number(process.env.SEED ?? randomInt(1_000_000));
  const draw = new Draw(seed);
  const run = `drawn-${randomUUID()}`;
  const streams = ['', '-ü', '-2', '-27'].map((end) => `${run}${end}`);
  let positions: Position[] = [];
  let lean: EsdbLog;
  let client: EsdbLog;

  beforeAll(async () => {
    const log = connect({});
    const revisions = new Map<string, number>();
    for (let n = 0; n < 150; n += 1) {
      const stream = draw.of(...streams);
      const events = Array.from({ length: 1 + draw.below(12) }, () => draw.event());
      const { revision, position } = await log.append(
        stream,
        events,
        revisions.get(stream) ?? NO_STREAM,
        10_000,
      );
      revisions.set(stream, revision);
      positions.push(position);
    }
    positions = [START, ...positions];
  });
  const both = <T>(read: (log: EsdbLog) => Promise<T>): Promise<[T, T]> => {
    [lean, client] = [connect({ reading: 'lean' }), connect({ reading: 'client' })];
    return Promise.all([read(lean), read(client)]);
  };

  it(`answer the same of each stream (seed ${seed})`, async () => {
    let count = 0;
    for (const stream of streams)
      for (const [from, limit] of [[0], [draw.below(60)], [draw.below(60), 1 + draw.below(60)], [100_000]]) {
        const [ours, theirs] = await both(async (log) =>
          (await all(log.readStream(stream, from!, limit))).map(describeEvent),
        );
        expect(ours).toEqual(theirs);
        count += ours.length;
      }
    expect(count).toBeGreaterThan(1_000);
  });

  it(`answer the same of the last event of a stream, and of a stream that is not there (seed ${seed})`, async () => {
    for (const stream of [...streams, `$$${run}`, 'nobody']) {
      const [ours, theirs] = await both(async (log) => (await all(log.readStream(stream, 0))).length);
      expect(ours).toBe(theirs);
      const [last, theirLast] = await both((log) => log.lastOf(stream));
      expect(last && describeEvent(last)).toEqual(theirLast && describeEvent(theirLast));
    }
  });

  it(`answer the same of $all, from any position and for any prefixes (seed ${seed})`, async () => {
    for (const prefixes of [[''], [run], [`${run}-2`, `${run}-ü`], ['nobody']]) {
      const from = draw.of(...positions);
      const [ours, theirs] = await both(async (log) =>
        (await all(log.readAll(from, prefixes))).map(describeEvent),
      );
      expect(ours).toEqual(theirs);
    }
  });

  it(`follow alike: events, progress and the end of the past, each in its place (seed ${seed})`, async () => {
    for (const prefixes of [[''], [`${run}-2`], ['nobody']]) {
      const from = draw.of(...positions);
      const [ours, theirs] = await both(async (log) => {
        const items: SubscriptionItem[] = [];
        for await (const item of log.follow(from, prefixes, new AbortController().signal)) {
          items.push(item);
          if (item.kind === 'caught-up') break;
        }
        return items.map(describeItem);
      });
      expect(ours).toEqual(theirs);
      expect(ours.at(-1)).toBe('caught-up');
    }
  });

  it('differ in bytes that nobody here writes: ours are as stored, the client’s written again', async () => {
    const stream = `spaced-${randomUUID()}`;
    const spaced = Buffer.from('{ "version": 1 }');
    const metadata = new Uint8Array(spaced);
    await connect({}).append(stream, [{ ...noted(0), metadata }], NO_STREAM, 10_000);
    const [ours, theirs] = await both((log) => log.lastOf(stream));
    expect(ours!.metadata.bytes.toString()).toBe('{ "version": 1 }');
    expect(theirs!.metadata.bytes.toString()).toBe('{"version":1}');
    expect(ours!.metadata.value).toEqual(theirs!.metadata.value);
  });

  it('fail alike where the password is wrong, nobody listens, or a stream is deleted for good', async () => {
    const deleted = `deleted-${randomUUID()}`;
    await connect({}).append(deleted, [noted(0)], NO_STREAM, 10_000);
    const raw = EventStoreDBClient.connectionString(urlFor(store.port));
    await raw.tombstoneStream(deleted);
    await raw.dispose();
    for (const [url, stream] of [
      [urlFor(store.port, 'wrong'), deleted],
      [urlFor(1), deleted],
      [urlFor(store.port), deleted],
    ] as const) {
      const errors = [];
      for (const reading of WAYS)
        for (const items of [
          connect({ reading }, url).readStream(stream, 0),
          ...(url === urlFor(store.port)
            ? []
            : [connect({ reading }, url).follow(START, [''], new AbortController().signal)]),
        ])
          errors.push(await failure(items));
      for (const error of errors) {
        expect(error).toBeInstanceOf(LogUnavailable);
        expect(words(error)).toBe(words(errors[0]));
        expect((error as Error).message).not.toContain('hush');
      }
    }
  });
});

describe.each(WAYS)('a reader in the %s way', (reading) => {
  const long = `long-${randomUUID()}`;
  const EVENTS = 2_000;
  beforeAll(async () => {
    const log = connect({});
    for (let n = 0; n < EVENTS; n += 100) {
      const events = Array.from({ length: 100 }, (_, m) => noted(n + m, 'x'.repeat(4_000)));
      await log.append(long, events, n - 1, 10_000);
    }
  });
  const tick = () => new Promise((resolve) => setImmediate(resolve));

  it('goes straight to the event store where the shell names a proxy for the web', async () => {
    process.env.http_proxy = 'http://127.0.0.1:1';
    try {
      const log = connect({ reading });
      const stream = `direct-${randomUUID()}`;
      await log.append(stream, [noted(0)], NO_STREAM, 10_000);
      expect(await all(log.readStream(stream, 0))).toHaveLength(1);
    } finally {
      delete process.env.http_proxy;
    }
  });

  it('may be slow, and gets every event in order', async () => {
    const revisions: number[] = [];
    for await (const { revision } of connect({ reading }).readStream(long, 0)) {
      revisions.push(revision);
      await tick();
    }
    expect(revisions).toEqual(Array.from({ length: EVENTS }, (_, n) => n));
  });

  it('holds back the store while it takes nothing, and is told when the store dies meanwhile', async () => {
    const log = connect({ reading });
    let count = 0;
    const read = async (): Promise<void> => {
      for await (const _ of log.readStream(long, 0)) {
        count += 1;
        if (count === 1) await store.kill('SIGKILL');
      }
    };
    await expect(read()).rejects.toBeInstanceOf(LogUnavailable);
    // 8 MB were to be read; what was under way is far less.
    expect(count).toBeLessThan(EVENTS / 2);
    const { folder: data, port } = store;
    store = await start({ folder: data, port });
    // The same log connects anew.
    let after: RawEvent | undefined;
    while (!after) after = await log.lastOf(long).catch(() => undefined);
    expect(after.revision).toBe(EVENTS - 1);
  });

  it('may leave early, and its call is cancelled', async () => {
    const client = EventStoreDBClient.connectionString(urlFor(store.port));
    const { disposableStreams: calls } = client as unknown as { disposableStreams: ReadonlySet<unknown> };
    const reader =
      reading === 'lean'
        ? LeanReading.over(client, 10_000, UNWATCHED)!
        : new ClientReading(client, 10_000, UNWATCHED);
    for await (const { revision } of reader.read({ stream: long, fromRevision: 0, limit: EVENTS }))
      if (revision === 3) break;
    // An answer that is complete when its reader leaves cannot be cancelled any more; the client’s own
    // reading keeps some of those.
    for (let n = 0; n < (reading === 'lean' ? 20 : 0); n++)
      for await (const _ of reader.read({ stream: long, fromRevision: 0, limit: 2 })) {
        if (n % 2 === 0) await tick();
        break;
      }
    for await (const _ of reader.follow(START, [long], new AbortController().signal)) {
      expect(calls.size).toBeGreaterThan(0);
      break;
    }
    while (calls.size > 0) await tick();
    await client.dispose();
  });

  it('ends quietly when its signal aborts: before it begins, in the past, and while it waits', async () => {
    const log = connect({ reading });
    expect(await all(log.follow(START, [long], AbortSignal.abort()))).toEqual([]);
    for (const at of ['event', 'caught-up'] as const) {
      const stop = new AbortController();
      const last = await all(
        (async function* () {
          for await (const item of log.follow(START, [long], stop.signal)) {
            if (item.kind === at) setImmediate(() => stop.abort());
            yield item.kind;
          }
        })(),
      );
      expect(last).toContain(at);
    }
  });

  it('gives a silent server up, for reads of any kind', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    const log = connect({ reading, readSilenceMs: 200 }, `esdb://127.0.0.1:${port}?tls=false`);
    for (const items of [log.readStream('any', 0), log.readAll(START, [''])])
      expect(await failure(items)).toEqual(new LogUnavailable('Nothing was read for 0.2 seconds'));
    await expect(log.lastOf('any')).rejects.toBeInstanceOf(LogUnavailable);
    await log.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

it('is left to the client where its channel cannot be had', () => {
  expect(LeanReading.over({} as EventStoreDBClient, 1_000, UNWATCHED)).toBeUndefined();
});

it('says that the log was closed under a reader, where the client would have a part pass for the whole', async () => {
  const log = connect({});
  const read = async (): Promise<void> => {
    for await (const _ of log.readAll(START, [''])) void log.close();
  };
  await expect(read()).rejects.toBeInstanceOf(LogUnavailable);
});
