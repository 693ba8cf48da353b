/**
 * A queue whose Redis takes nothing for a while, as it is full or cannot write to its disk; and one that
 * nobody works.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { useStack } from '#test/support/stack';
import { RepeatedQueue } from './job-queue.js';

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
