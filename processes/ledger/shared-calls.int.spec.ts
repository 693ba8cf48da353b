/** The card provider's calls, counted in a Redis whose clock was set back. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { useStack } from '#test/support/stack';
import { SharedCallCounter } from './shared-calls.js';

const stack = useStack(['redis']);
const HOUR_MS = 3_600_000;
const BUCKETS = [{ name: 'all', perSecond: 25 }];
let redis: Redis;
let counter: SharedCallCounter;

beforeAll(async () => {
  redis = new Redis(stack().env.REDIS_URL!);
  counter = new SharedCallCounter(stack().env.REDIS_URL!, 'ledger-1', pino({ level: 'silent' }));
  // Counted in Redis, and not by itself, from here on.
  while ((await redis.zcard('encore:provider-calls:ledgers')) === 0) await counter.take(BUCKETS);
});
afterAll(async () => {
  counter.close();
  await redis.quit();
});

it('waits for no time that a clock of before has noted for hours ahead', async () => {
  await redis.set('encore:provider-calls:all', String(Date.now() + HOUR_MS));
  expect(await counter.take(BUCKETS)).toBe(0);
});

it('is held no longer than the provider was ever given, and as long as it is asked to', async () => {
  await counter.hold(5_000);
  expect(await counter.take(BUCKETS)).toBeGreaterThan(4_000);
  await redis.set('encore:provider-calls:hold', 'refused', 'PX', HOUR_MS);
  expect(await counter.take(BUCKETS)).toBe(0);
});
