/**
 * The calls of the card provider that all ledgers make, counted in Redis: the provider counts an account's
 * calls, not a process's, and Redis is the one store that is asked and answers in less than a millisecond
 * without a write to disk. It holds no truth here: losing it costs a second's count. While it is away each
 * process takes its part of the published limits by itself, as many parts as there were ledgers when it was
 * last there.
 */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import {
  AT_ONCE,
  LONGEST_HOLD_MS,
  OwnCallCounter,
  STEADY,
  type Bucket,
  type CallCounter,
} from '#ledger/stripe/call-limiter';
import { redisOptions } from '../shell/redis-connection.js';

/** A bucket's next turn is kept for so long. It is further ahead only where the clock was set back since. */
const KEPT_MS = 10_000;
/**
 * Taken from all or from none: answers how long to wait in ms, and how many ledgers have asked lately. What
 * was noted by a clock that was ahead keeps nobody from the provider until Redis' own has come so far.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - 60000)
redis.call('PEXPIRE', KEYS[2], 60000)
local processes = redis.call('ZCARD', KEYS[2])
local held = redis.call('PTTL', KEYS[1])
if held > ${LONGEST_HOLD_MS} then
  redis.call('DEL', KEYS[1])
  held = 0
end
local wait = math.max(held, 0)
local nexts = {}
for n = 3, #KEYS do
  local every = tonumber(ARGV[2 * n - 4])
  local ahead = tonumber(ARGV[2 * n - 3])
  local at = math.max(tonumber(redis.call('GET', KEYS[n]) or '0'), now)
  if at - now > ${KEPT_MS} then at = now end
  wait = math.max(wait, at - ahead - now)
  nexts[n] = at + every
end
if wait > 0 then return { math.ceil(wait), processes } end
for n = 3, #KEYS do redis.call('SET', KEYS[n], string.format('%.3f', nexts[n]), 'PX', ${KEPT_MS}) end
return { 0, processes }
`;
const ANSWERS_WITHIN_MS = 250;
/** After Redis was away it is asked again no sooner. */
const LEFT_ALONE_MS = 1_000;
/** Before Redis was ever there: another ledger is assumed beside this one. */
const LEDGERS_UNTIL_KNOWN = 2;
const keyOf = (name: string): string => `encore:provider-calls:${name}`;

export class SharedCallCounter implements CallCounter {
  readonly #redis: Redis;
  readonly #own: OwnCallCounter;
  #ledgers = LEDGERS_UNTIL_KNOWN;
  #awayUntil = 0;

  constructor(
    redisUrl: string,
    private readonly processId: string,
    private readonly log: Logger,
  ) {
    this.#own = new OwnCallCounter(() => 1 / this.#ledgers);
    this.#redis = new Redis(redisUrl, {
      ...redisOptions(),
      maxRetriesPerRequest: 0,
      commandTimeout: ANSWERS_WITHIN_MS,
      enableOfflineQueue: false,
    });
    this.#redis.on('error', () => undefined);
  }

  async take(buckets: readonly Bucket[]): Promise<number> {
    const args = buckets.flatMap(({ perSecond }) => {
      const everyMs = 1_000 / (perSecond * STEADY);
      return [everyMs, everyMs * (Math.max(1, perSecond * AT_ONCE) - 1)];
    });
    const keys = ['hold', 'ledgers', ...buckets.map(({ name }) => name)].map(keyOf);
    const answer = await this.#asked(() =>
      this.#redis.eval(TAKE, keys.length, ...keys, this.processId, ...args),
    );
    if (!Array.isArray(answer)) return this.#own.take(buckets);
    const [waitMs, ledgers] = answer.map(Number);
    this.#ledgers = Math.max(ledgers ?? 1, 1);
    return waitMs ?? 0;
  }

  async hold(ms: number): Promise<void> {
    await this.#own.hold(ms);
    await this.#asked(() => this.#redis.set(keyOf('hold'), 'refused', 'PX', ms));
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** Undefined while Redis is away. */
  async #asked(work: () => Promise<unknown>): Promise<unknown> {
    if (performance.now() < this.#awayUntil) return undefined;
    try {
      const answer = await work();
      if (this.#awayUntil > 0) this.log.info('Redis counts the calls of the card provider again');
      this.#awayUntil = 0;
      return answer;
    } catch (error) {
      if (this.#awayUntil === 0)
        this.log.warn(
          { err: error, ledgers: this.#ledgers },
          'Redis does not count the calls of the card provider: each ledger takes its part of them',
        );
      this.#awayUntil = performance.now() + LEFT_ALONE_MS;
      return undefined;
    }
  }
}
