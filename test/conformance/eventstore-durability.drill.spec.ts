/**
 * What the stand-in promises as a process: what it acknowledged is kept, whatever ends it; it says why it
 * cannot start; it stops in order. It is the stand-in that is started, killed and starved here, so
 * EVENTSTORE_URL has no say.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';

import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  UnavailableError,
  WrongExpectedVersionError,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { afterEach, describe, expect, it } from '@jest/globals';

import { startEventStore, type RunningEventStore } from './eventstore-process.js';

const running = new Set<RunningEventStore>();

afterEach(async () => {
  for (const store of running) await store.stop();
  running.clear();
});

async function start(options: Parameters<typeof startEventStore>[0] = {}): Promise<RunningEventStore> {
  const store = await startEventStore(options);
  running.add(store);
  return store;
}

function connect(store: RunningEventStore): EventStoreDBClient {
  return EventStoreDBClient.connectionString(store.url);
}

function numbered(number: number): ReturnType<typeof jsonEvent> {
  return jsonEvent({ type: 'Numbered', data: { number, filling: 'x'.repeat(300) } });
}

function several(count: number, from = 0): ReturnType<typeof jsonEvent>[] {
  return Array.from({ length: count }, (_, index) => numbered(from + index));
}

async function collect<E>(events: AsyncIterable<E>): Promise<E[]> {
  const all: E[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function numbersOf(events: readonly ResolvedEvent[]): number[] {
  return events.map(({ event }) => (event!.data as unknown as { number: number }).number);
}

interface Load {
  readonly stream: string;
  /** How many events have been acknowledged: numbers 0 to this, less one. */
  acknowledged: number;
}

/**
 * Writes to several streams, several appends under way in each, until the store is gone. The end of its
 * process counts too: the client never answers an append that it hands to a connection just breaking.
 */
async function loadUntilGone(
  store: RunningEventStore,
  client: EventStoreDBClient,
  loads: readonly Load[],
): Promise<void> {
  const gone = store.ended.then(() => {
    throw new Error('The store is gone');
  });
  await Promise.all(
    loads.map(async (load, index) => {
      let sent = load.acknowledged;
      const write = async (): Promise<void> => {
        const from = sent;
        const count = 1 + ((from + index) % 50);
        sent += count;
        const expectedRevision = from === 0 ? NO_STREAM : BigInt(from - 1);
        await Promise.race([
          gone,
          client.appendToStream(load.stream, several(count, from), { expectedRevision }),
        ]);
        load.acknowledged = Math.max(load.acknowledged, from + count);
      };
      const writeOn = async (): Promise<void> => {
        for (;;) await write();
      };
      // The client keeps the order of appends under way only once its channel is open.
      await write();
      for (const outcome of await Promise.allSettled([writeOn(), writeOn(), writeOn()])) {
        expect(outcome.status === 'rejected' && outcome.reason).not.toBeInstanceOf(WrongExpectedVersionError);
      }
    }),
  );
}

/**
 * Every acknowledged event is there, in order, and whatever else is there is whole; answers what there is.
 */
async function expectKept(client: EventStoreDBClient, loads: readonly Load[]): Promise<void> {
  let total = 0;
  for (const load of loads) {
    const events = await collect(client.readStream(load.stream));
    expect(events.length).toBeGreaterThanOrEqual(load.acknowledged);
    expect(numbersOf(events)).toEqual(events.map((_, index) => index));
    load.acknowledged = events.length;
    total += events.length;
  }
  const ours = (await collect(client.readAll())).filter(({ event }) => !event!.streamId.startsWith('$'));
  const positions = ours.map(({ event }) => event!.position!.commit);
  expect(positions).toHaveLength(total);
  for (let i = 1; i < positions.length; i++) expect(positions[i]).toBeGreaterThan(positions[i - 1]!);
}

describe('what was acknowledged', () => {
  it('is there after a restart, with its revisions, positions and deletions', async () => {
    const first = await start();
    const before = connect(first);
    const [kept, deleted, gone] = ['kept', 'deleted', 'gone'];
    await before.appendToStream(kept, several(500));
    await before.appendToStream(deleted, several(3));
    await before.deleteStream(deleted);
    await before.appendToStream(gone, several(3));
    await before.tombstoneStream(gone);
    const events = await collect(before.readAll());
    const repeated = several(2, 500);
    const answer = await before.appendToStream(kept, repeated);
    await before.dispose();
    await first.kill('SIGTERM');

    const second = await start({ folder: first.folder });
    const after = connect(second);
    expect((await collect(after.readAll())).slice(0, events.length)).toEqual(events);
    expect(numbersOf(await collect(after.readStream(kept)))).toEqual(
      Array.from({ length: 502 }, (_, index) => index),
    );
    await expect(collect(after.readStream(deleted))).rejects.toThrow('not found');
    await expect(after.appendToStream(gone, numbered(1))).rejects.toMatchObject({ type: 'stream-deleted' });
    expect(await after.appendToStream(kept, repeated)).toEqual(answer);
    expect(await after.appendToStream(kept, repeated, { expectedRevision: 499n })).toEqual(answer);
    expect((await after.appendToStream(deleted, numbered(3))).nextExpectedRevision).toBe(3n);
    expect((await after.appendToStream('new', numbered(0))).nextExpectedRevision).toBe(0n);
    await after.dispose();
  });

  it('is there after kill -9 under load, again and again', async () => {
    const loads: Load[] = Array.from({ length: 5 }, () => ({
      stream: `load-${randomUUID()}`,
      acknowledged: 0,
    }));
    let store = await start();
    for (const threshold of [500, 3_000, 6_000]) {
      const client = connect(store);
      const loading = loadUntilGone(store, client, loads);
      // Killed in the middle of it: the moment is when so much has been acknowledged, never the same place in
      // a commit.
      while (loads.reduce((sum, load) => sum + load.acknowledged, 0) < threshold) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      await store.kill('SIGKILL');
      await loading;
      store = await start({ folder: store.folder });
      const survivor = connect(store);
      await expectKept(survivor, loads);
      await survivor.dispose();
    }
  });

  it('is known again when its answer was lost: the same append is written once', async () => {
    const first = await start();
    const client = connect(first);
    const events = several(20);
    const sent = client
      .appendToStream('s', events, { expectedRevision: NO_STREAM })
      .catch((error: unknown) => error);
    await Promise.race([sent, new Promise((resolve) => setImmediate(resolve))]);
    await first.kill('SIGKILL');
    await sent;
    const second = await start({ folder: first.folder });
    const again = connect(second);
    for (const _ of [1, 2]) {
      const answer = await again.appendToStream('s', events, { expectedRevision: NO_STREAM });
      expect(answer.nextExpectedRevision).toBe(19n);
    }
    expect(await collect(again.readStream('s'))).toHaveLength(20);
    await again.dispose();
  });

  it('is there when the disk has no room left: the store stops before it is full, and says so', async () => {
    const store = await start();
    const client = connect(store);
    await client.appendToStream('s', several(10));
    await client.dispose();
    await store.kill('SIGTERM');
    const cramped = await start({ folder: store.folder, flags: ['--keep-free', String(1e15)] });
    const refused = connect(cramped);
    expect(await collect(refused.readStream('s'))).toHaveLength(10);
    refused.appendToStream('s', numbered(10)).catch(() => undefined);
    const { code, stderr } = await cramped.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^eventstore: A commit to .* failed \(its disk has only \d+ MB left\).*\n$/);
    const roomy = await start({ folder: store.folder });
    const after = connect(roomy);
    expect(await collect(after.readStream('s'))).toHaveLength(10);
    await after.dispose();
  });

  it('is there when a commit fails half-way', async () => {
    const folderOf = await start();
    await folderOf.kill('SIGTERM');
    const KILOBYTES = 3_000;
    const store = await start({
      folder: folderOf.folder,
      wrap: ['bash', '-c', `ulimit -f ${KILOBYTES}; exec "$@"`, 'bash'],
    });
    const client = connect(store);
    const loads: Load[] = [{ stream: 'full', acknowledged: 0 }];
    await loadUntilGone(store, client, loads);
    // LMDB 3.5 may overrun a buffer of its own while it puts this failure into words; then the system ends
    // the process.
    const { code, signal, stderr } = await store.ended;
    expect(code === 1 || signal === 'SIGABRT').toBe(true);
    expect(stderr).toMatch(/File too large|commit to .* failed/);
    expect(loads[0]!.acknowledged).toBeGreaterThan(0);
    const roomy = await start({ folder: store.folder });
    const after = connect(roomy);
    await expectKept(after, loads);
    await after.appendToStream('full', numbered(loads[0]!.acknowledged));
    await after.dispose();
  });
});

describe('starting', () => {
  it('is refused in one sentence while another process has the folder, and not by one that was killed', async () => {
    const store = await start();
    await expect(startEventStore({ folder: store.folder })).rejects.toThrow(
      new RegExp(
        `^The event store ended before it served \\(1\\): eventstore: The data folder .* is in use by another event store, process ${store.process.pid}\\. .*\\n$`,
      ),
    );
    await store.kill('SIGKILL');
    const next = await start({ folder: store.folder });
    const client = connect(next);
    expect((await client.appendToStream('s', numbered(0))).success).toBe(true);
    await client.dispose();
  });

  it('makes a store that a client finds by asking for the cluster, too', async () => {
    const store = await start();
    const client = EventStoreDBClient.connectionString(
      `esdb://127.0.0.1:${store.port},127.0.0.1:${store.port}?tls=false`,
    );
    expect((await client.appendToStream('s', numbered(0))).success).toBe(true);
    await client.dispose();
  });

  it('is refused in one sentence when the port is in use', async () => {
    const store = await start();
    const other = await start();
    await other.kill('SIGTERM');
    await expect(startEventStore({ folder: other.folder, port: store.port })).rejects.toThrow(
      new RegExp(`eventstore: Port ${store.port} is in use\\. .*\\n$`),
    );
  });
});

describe('stopping', () => {
  it('answers the appends that have arrived, breaks off what is open, and exits with 0', async () => {
    const store = await start();
    const client = connect(store);
    await client.appendToStream('s', numbered(0));
    const subscription = client.subscribeToStream('s');
    const failed = once(subscription, 'error');
    await once(subscription, 'caughtUp');
    const loads: Load[] = Array.from({ length: 4 }, (_, index) => ({
      stream: `drained-${index}`,
      acknowledged: 0,
    }));
    const loading = loadUntilGone(store, client, loads);
    while (loads.some((load) => load.acknowledged < 100))
      await new Promise((resolve) => setImmediate(resolve));
    subscription.resume();
    const ended = await store.kill('SIGTERM');
    await loading;
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect((await failed)[0]).toBeInstanceOf(UnavailableError);
    const next = await start({ folder: store.folder, port: store.port });
    // The same client finds the store again at its address.
    const found = await retried(() => client.appendToStream('s', numbered(1)));
    expect(found.nextExpectedRevision).toBe(1n);
    for (const load of loads) {
      const events = await collect(connect(next).readStream(load.stream));
      expect(events.length).toBeGreaterThanOrEqual(load.acknowledged);
    }
    await expect(client.appendToStream('s', numbered(2), { expectedRevision: 0n })).rejects.toBeInstanceOf(
      WrongExpectedVersionError,
    );
  });

  it('tells readers that have not read all that it is unavailable', async () => {
    const store = await start();
    const client = connect(store);
    for (let round = 0; round < 20; round++) await client.appendToStream('s', several(1_000, round * 1_000));
    const read = client.readStream('s')[Symbol.asyncIterator]();
    const subscription = client.subscribeToStream('s');
    const following = subscription[Symbol.asyncIterator]();
    await Promise.all([read.next(), following.next()]);
    expect(await store.kill('SIGTERM')).toMatchObject({ code: 0, signal: null });
    for (const left of [read, following]) {
      const error = await (async () => {
        while (!(await left.next()).done);
      })().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnavailableError);
    }
  });

  it('leaves nothing behind in its folder that hinders the next start', async () => {
    const store = await start();
    await store.kill('SIGTERM');
    const next = await start({ folder: store.folder });
    expect((await next.kill('SIGTERM')).code).toBe(0);
    await rm(store.folder, { recursive: true });
  });
});

/** A client notices a lost connection by a call that fails; the next ones go to a new one. */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}
