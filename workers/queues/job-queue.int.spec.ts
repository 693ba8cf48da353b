/**
 * A queue whose Redis takes nothing for a while, as it is full or cannot write to its disk; and one that
 * nobody works.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { inTime } from '#contracts/plain/in-time';
import { useStack } from '#test/support/stack';
import { JobQueue, RepeatedQueue } from './job-queue.js';

const stack = useStack(['redis']);
const REFUSED_MS = 100;
const HOUR_MS = 3_600_000;

describe('a full Redis', () => {
  let redis: Redis;
  let queue: RepeatedQueue;
  let troubles: string[];
  let onPass: (() => void) | undefined;
  const pass = (): Promise<void> => new Promise((resolve) => (onPass = resolve));
  const haveRoom = (room: boolean) => redis.config('SET', 'maxmemory', room ? '0' : '1');

  async function open(everyMs: number): Promise<void> {
    queue = new RepeatedQueue(
      'find-due-schedules',
      everyMs,
      () => {
        onPass?.();
        return Promise.resolve('done');
      },
      () => 'failed',
      {
        connection: { host: '127.0.0.1', port: stack().ports.redis!, maxRetriesPerRequest: null },
        onEnd: () => undefined,
        onTrouble: ({ message }) => void troubles.push(message),
      },
      REFUSED_MS,
    );
    const first = pass();
    await queue.start();
    await first;
  }

  beforeEach(async () => {
    redis = new Redis({ port: stack().ports.redis! });
    await redis.flushall();
    troubles = [];
  });
  afterEach(async () => {
    await haveRoom(true);
    await queue.close();
    await redis.quit();
  });

  it('is asked for a job now and then, not without end', async () => {
    await open(200);
    await haveRoom(false);
    const began = performance.now();
    const refusals = () => troubles.filter((message) => message.startsWith('OOM')).length;
    while (refusals() < 6) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(performance.now() - began).toBeGreaterThan(4 * REFUSED_MS);
  });

  it('that had no room for the next alarm gets it set again', async () => {
    await open(HOUR_MS);
    const waits = () => queue.queue.getJobCounts('delayed', 'waiting', 'active');
    while (JSON.stringify(await waits()) !== '{"delayed":1,"waiting":0,"active":0}')
      await queue.keepScheduled();
    // As if there had been no room for it.
    await redis.del('bull:encore-find-due-schedules:delayed');
    const next = pass();
    const keeper = setInterval(() => void queue.keepScheduled(), 100);
    await next;
    clearInterval(keeper);
    expect(await queue.queue.getDelayedCount()).toBe(1);
  });
});

describe('a pass that is asked for again and again, while none is made', () => {
  it('is made once', async () => {
    const redis = new Redis({ port: stack().ports.redis! });
    await redis.flushall();
    const idle = new RepeatedQueue(
      'find-due-schedules',
      HOUR_MS,
      () => Promise.resolve('done'),
      () => 'failed',
      {
        connection: { host: '127.0.0.1', port: stack().ports.redis! },
        onEnd: () => undefined,
        onTrouble: () => undefined,
      },
    );
    // Such as at each start of workers that die at once, or as the ledger comes and goes.
    for (let start = 0; start < 5; start++) await idle.passNow();
    expect(await idle.queue.getWaitingCount()).toBe(1);
    await idle.close();
    await redis.quit();
  });
});

describe('a queue whose Redis is away', () => {
  const SOON_MS = 5_000;
  let front: Server;
  const sockets = new Set<Socket>();
  let goOn: () => void;
  let began: Promise<void>;
  let jobEnded: boolean;
  let queue: JobQueue;

  const leave = (): Promise<unknown> => {
    const left = new Promise((closed) => front.close(closed));
    for (const socket of sockets) socket.destroy();
    return left;
  };

  beforeEach(async () => {
    front = createServer((near) => {
      const far = connect(stack().ports.redis!, '127.0.0.1');
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((listens) => front.listen(0, '127.0.0.1', listens));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    jobEnded = false;
    began = new Promise((hasBegun) => {
      const shape = {
        name: 'encore-away-spec',
        run: async () => {
          hasBegun();
          await held;
          jobEnded = true;
        },
        kept: { removeOnComplete: true, removeOnFail: true },
        worker: { concurrency: 1, runRetryDelay: 50 },
      };
      const connection = { port: (front.address() as AddressInfo).port, maxRetriesPerRequest: null };
      queue = new JobQueue(shape, { connection, onEnd: () => undefined, onTrouble: () => undefined });
    });
    await queue.start();
    await queue.queue.waitUntilReady();
  });
  afterEach(leave);

  const closed = (): Promise<string> => queue.close().then(() => 'closed');

  it('is closed all the same', async () => {
    await leave();
    expect(await inTime(SOON_MS, closed(), 'open')).toBe('closed');
  });

  it('is closed once the job that runs has ended', async () => {
    await queue.queue.add('one', {});
    await began;
    await leave();
    const end = closed();
    expect(await inTime(2_000, end, 'open')).toBe('open');
    goOn();
    expect(await inTime(SOON_MS, end, 'open')).toBe('closed');
    expect(jobEnded).toBe(true);
  });
});
