/**
 * Leaving the event store a hundred times, over the wire: what is left behind, and what is known of what was
 * asked.
 */
import { randomUUID } from 'node:crypto';
import { connect as connectSocket, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEventStore, type RunningEventStore } from '#test/conformance/eventstore-process';
import { EsdbLog } from '../esdb.js';
import { NO_STREAM, OutcomeUnknown, type NewEvent } from '../event-log.js';

const OUTAGES = 100;
/** What the first outages leave behind is code that was compiled and pools that were filled. */
const FIRST = 20;
/** A client with its channel that is not let go is some 100 KiB. */
const LEVEL_BYTES = 3 * 1024 * 1024;

let store: RunningEventStore;
let line: Line;
beforeAll(async () => {
  store = await startEventStore({});
  line = await Line.to(store.port);
});
afterAll(async () => {
  line.end();
  await store.stop();
});

/** The network between a process and its store. */
class Line {
  readonly sockets = new Set<Socket>();
  #isHeld = false;
  #server: Server | undefined;

  static async to(port: number): Promise<Line> {
    const made = new Line();
    const server = createServer((near) => {
      const far = connectSocket(port, '127.0.0.1');
      made.sockets.add(near);
      near.on('data', (bytes) => void (made.#isHeld || far.write(bytes)));
      far.on('data', (bytes) => void (made.#isHeld || near.write(bytes)));
      const gone = (): void => {
        made.sockets.delete(near);
        near.destroy();
        far.destroy();
      };
      for (const socket of [near, far]) socket.on('close', gone).on('error', gone);
    });
    made.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    return `esdb://127.0.0.1:${(this.#server!.address() as AddressInfo).port}?tls=false`;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** From here on nothing comes through on what is open, and nobody is told. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  end(): void {
    this.cut();
    this.#server?.close();
  }
}

const event = (): NewEvent => ({ id: randomUUID(), type: 'Counted', data: {}, metadata: { version: 1 } });

/** Sends an append unchanged until it is answered. */
async function appendStubbornly(log: EsdbLog, stream: string, revision: number): Promise<void> {
  for (const events = [event()]; ;)
    try {
      await log.append(stream, events, revision, 5_000);
      return;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
}

/** Bytes in use when what is not needed has been let go. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

it('leaves one connection after a hundred outages and memory level, and every append is there once', async () => {
  const log = EsdbLog.connect(line.url);
  const stream = `spec-${randomUUID()}`;
  let revision = NO_STREAM;
  let before = 0;
  for (let n = 0; n < OUTAGES; n++) {
    if (n === FIRST) before = memory();
    await appendStubbornly(log, stream, revision++);
    const cutAt = n % 2;
    if (cutAt === 0) line.cut();
    const append = appendStubbornly(log, stream, revision++);
    if (cutAt === 1) line.cut();
    await append;
  }
  const grown = memory() - before;
  if (process.env['TELL']) process.stdout.write(`${grown} bytes more\n`);
  expect(grown).toBeLessThan(LEVEL_BYTES);
  expect(line.sockets.size).toBe(1);
  expect((await log.lastOf(stream))?.revision).toBe(2 * OUTAGES - 1);
  expect([log.health.awaySince, log.health.writesClosedForMs]).toEqual([undefined, 0]);
  await log.close();
  while (line.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
});

it('does not know what became of an append that was under way when a silent store was left', async () => {
  const log = EsdbLog.connect(line.url);
  const stream = `spec-${randomUUID()}`;
  await log.append(stream, [event()], NO_STREAM, 5_000);
  line.hold(true);
  const began = performance.now();
  const events = [event()];
  await expect(log.append(stream, events, 0, 30_000)).rejects.toThrow(/answered nothing for 5 seconds/);
  expect(performance.now() - began).toBeGreaterThan(4_000);
  expect(log.health.awaySince).toBeDefined();
  line.hold(false);
  line.cut();
  let appended;
  while (!appended)
    appended = await log.append(stream, events, 0, 5_000).catch((error: unknown) => {
      expect(error).toBeInstanceOf(OutcomeUnknown);
      return undefined;
    });
  expect(appended.revision).toBe(1);
  await log.close();
});

it('leaves no connection where a log is closed within milliseconds of its first question', async () => {
  const asked: Promise<unknown>[] = [];
  for (let n = 0; n < 40; n++) {
    const log = EsdbLog.connect(line.url);
    asked.push(log.lastOf('journal').catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, n % 10));
    await log.close();
  }
  await Promise.all(asked);
  while (line.sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
});
