/** Requests counted in Redis, by all ledgers together, and by each while Redis is away. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino, type Logger } from 'pino';
import { DEFAULT_LIMITS } from '#contracts/limits';
import { LimitCounts } from '#ledger/limits/counter';
import { useStack } from '#test/support/stack';
import { SharedCounter } from './shared-limits.js';

const stack = useStack(['redis']);
const lines: { msg: string }[] = [];
const log: Logger = pino(
  {},
  { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string }) },
);
let counters: SharedCounter[] = [];
let ledgers: LimitCounts[] = [];

beforeAll(async () => {
  const url = stack().env.REDIS_URL!;
  counters = [1, 2].map(() => new SharedCounter(url, log, 10_000));
  await Promise.all(counters.map((counter) => counter.ready()));
  const limits = { ...DEFAULT_LIMITS, 'pay-user': 10 };
  ledgers = counters.map((counter) => new LimitCounts({ counter, limits, secret: Buffer.alloc(32) }));
});
afterAll(() => counters.forEach((counter) => counter.close()));

const taken = async (of: string, times: number): Promise<number> => {
  let count = 0;
  for (let n = 0; n < times; n++)
    if ((await ledgers[n % 2]!.take([{ limit: 'pay-user', of }])) === undefined) count++;
  return count;
};

it('two ledgers let through together what one limit allows, and say how long to wait', async () => {
  expect(await taken('milo', 30)).toBe(10);
  const reached = await ledgers[0]!.take([{ limit: 'pay-user', of: 'milo' }]);
  expect(reached).toEqual({ limit: 'pay-user', waitMs: expect.any(Number) });
  expect(reached!.waitMs).toBeGreaterThan(0);
  expect(reached!.waitMs).toBeLessThanOrEqual(60_000);
  expect(await ledgers[1]!.look({ limit: 'pay-user', of: 'nobody' })).toMatchObject({ count: 0, share: 1 });
});

it('fifty at once are counted as fifty', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => ledgers[n % 2]!.take([{ limit: 'pay-user', of: 'racer' }])),
  );
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(10);
});

it('where a payment is started is new once, and is then known to both', async () => {
  const [one, other] = counters.map(({ startedFrom }) => startedFrom);
  expect(await one!.of('pay_1')).toBeUndefined();
  expect(await one!.keep('pay_1', 'here')).toBe(true);
  expect(await other!.keep('pay_1', 'there')).toBe(false);
  expect(await one!.of('pay_1')).toBe('there');
});

it('while Redis is away each lets half as many through, and says so once', async () => {
  await stack().part('redis').stop();
  expect(await taken('juno', 30)).toBe(10);
  expect(counters.map(({ isAway }) => isAway)).toEqual([true, true]);
  expect(lines.filter(({ msg }) => msg.startsWith('Redis does not count requests'))).toHaveLength(2);
  expect(await counters[0]!.startedFrom.keep('pay_2', 'here')).toBe(false);
});
