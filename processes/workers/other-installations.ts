/**
 * Whether workers of another installation use the same database of Redis. They would take each other's jobs
 * and lose each other's marks: each compares a month with the provider again and again, and never comes to
 * the end. An installation is known by its internal token, which no other has.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * Notes that this one is here, forgets those that were not seen for a minute, and answers how many there are.
 */
const NOTE = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60)
redis.call('EXPIRE', KEYS[1], 60)
return redis.call('ZCARD', KEYS[1])`;
const KEY = 'encore:installations';
/**
 * A token that is being changed makes two of one installation, for as long as its processes are started anew.
 */
const SURE_AFTER_MS = 5 * 60_000;

const SHARED =
  'Workers of another installation of Encore use the same Redis: each takes the jobs of the other. Give each a Redis, or a database of it, of its own in REDIS_URL.';

/** Watches whether another installation's workers use the same Redis. */
export class OtherInstallations {
  readonly #installation: string;
  #sharedSinceMs: number | undefined;

  constructor(
    private readonly redis: Pick<Redis, 'eval'>,
    token: string,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#installation = createHash('sha256').update(`workers of ${token}`).digest('hex').slice(0, 16);
  }

  /** To be called several times a minute. Throws where Redis does not answer. */
  async look(): Promise<void> {
    const count = Number(await this.redis.eval(NOTE, 1, KEY, this.#installation));
    this.#sharedSinceMs = count > 1 ? (this.#sharedSinceMs ?? this.nowMs()) : undefined;
  }

  /** What to do about it, in a sentence; undefined where it is nobody else's, as far as is known for sure. */
  get warning(): string | undefined {
    const since = this.#sharedSinceMs;
    return since !== undefined && this.nowMs() - since >= SURE_AFTER_MS ? SHARED : undefined;
  }
}
