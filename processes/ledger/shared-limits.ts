/**
 * Requests and declines, counted by all ledgers together in Redis. It holds no truth: losing it lets
 * everybody begin anew. While it is away each process counts by itself, against half of each limit: as if
 * there were another ledger.
 */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { LIMIT_NAMES, withinMsOf, type LimitName } from '#contracts/limits';
import { OwnCounter, type Count, type Counter } from '#ledger/limits/counter';
import type { StartedFrom } from '#ledger/limits/declines';
import { redisOptions } from '../shell/redis-connection.js';

const ANSWERS_WITHIN_MS = 250;
/** After Redis was away it is asked again no sooner. */
const LEFT_ALONE_MS = 1_000;
/** A payment that nobody completes is canceled after a day. */
const OPEN_FOR_MS = 2 * 24 * 3_600_000;
const placeOf = (paymentId: string): string => `encore:limits:started-from:${paymentId}`;
/** Of each limit, what a process that counts alone may use. */
const SHARE_ALONE = 0.5;

export class SharedCounter implements Counter {
  readonly #redis: Redis;
  readonly #shared = new Map<LimitName, RateLimiterRedis>();
  readonly #own = new OwnCounter(SHARE_ALONE);
  #awayUntil = 0;

  constructor(
    redisUrl: string,
    private readonly log: Logger,
    private readonly answersWithinMs = ANSWERS_WITHIN_MS,
  ) {
    this.#redis = new Redis(redisUrl, {
      ...redisOptions(),
      maxRetriesPerRequest: 0,
      commandTimeout: answersWithinMs,
      enableOfflineQueue: false,
    });
    this.#redis.on('error', () => undefined);
    for (const limit of LIMIT_NAMES) {
      const withinMs = withinMsOf(limit);
      if (withinMs === undefined) continue;
      this.#shared.set(
        limit,
        new RateLimiterRedis({
          storeClient: this.#redis,
          keyPrefix: `encore:limits:${limit}`,
          // How many there may be is the ledger's to judge: here they are only counted.
          points: Number.MAX_SAFE_INTEGER,
          duration: withinMs / 1000,
        }),
      );
    }
  }

  /** Waits until Redis is there, a moment at most: the first callers are counted as all others. */
  async ready(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.answersWithinMs);
      this.#redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Whether each process counts by itself right now. */
  get isAway(): boolean {
    return this.#awayUntil > 0;
  }

  add(limit: LimitName, key: string): Promise<Count> {
    return this.#asked(
      async () => (await this.#limiter(limit).penalty(key, 1)) ?? null,
      () => this.#own.add(limit, key),
    );
  }

  look(limit: LimitName, key: string): Promise<Count> {
    return this.#asked(
      () => this.#limiter(limit).get(key),
      () => this.#own.look(limit, key),
    );
  }

  /** Where payments were started. Away, it is not known: then an address is held against nobody. */
  readonly startedFrom: StartedFrom = {
    keep: async (paymentId, network) => {
      const before = this.#redis.set(placeOf(paymentId), network, 'PX', OPEN_FOR_MS, 'GET');
      return (await before.catch(() => undefined)) === null;
    },
    of: async (paymentId) => (await this.#redis.get(placeOf(paymentId)).catch(() => null)) ?? undefined,
  };

  close(): void {
    this.#redis.disconnect();
  }

  #limiter(limit: LimitName): RateLimiterRedis {
    const limiter = this.#shared.get(limit);
    if (!limiter) throw new Error(`${limit} is not counted in Redis`);
    return limiter;
  }

  async #asked(
    shared: () => Promise<{ readonly consumedPoints: number; readonly msBeforeNext: number } | null>,
    own: () => Promise<Count>,
  ): Promise<Count> {
    if (performance.now() < this.#awayUntil) return own();
    try {
      const found = await shared();
      if (this.#awayUntil > 0) this.log.info('Redis counts requests again, for all ledgers together');
      this.#awayUntil = 0;
      return { count: found?.consumedPoints ?? 0, endsInMs: Math.max(found?.msBeforeNext ?? 0, 0), share: 1 };
    } catch (error) {
      if (this.#awayUntil === 0)
        this.log.warn(
          { err: error },
          'Redis does not count requests: each ledger counts by itself, and lets half as many through',
        );
      this.#awayUntil = performance.now() + LEFT_ALONE_MS;
      return own();
    }
  }
}
