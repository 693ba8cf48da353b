/**
 * What was tried and is still to be done, in Redis: how often, and when it may be tried again. Losing it (a
 * flush) costs an early try, never a payment: what is to be done is in the log.
 */
import type { Redis } from 'ioredis';
import { backOffMs, type Waits } from '../jobs/back-off.js';

/** The part of Redis that is used. */
export type AttemptStore = Pick<Redis, 'get' | 'mget' | 'set'>;

/** How often something was tried, and when it is tried again. */
interface AttemptCount {
  readonly tries: number;
  readonly againAt: Date;
}

export class Attempts {
  /** `kind` keeps the names of one job apart from those of another. */
  constructor(
    private readonly redis: AttemptStore,
    private readonly kind: string,
    private readonly waits: Waits,
    private readonly now: () => number = Date.now,
  ) {}

  /** Those of the names whose time it is: never tried, or tried long enough ago. */
  async due(names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const notes = await this.redis.mget(names.map((name) => this.keyOf(name)));
    const now = this.now();
    return new Set(
      names.filter((_, at) => {
        const { againAtMs } = read(notes[at]);
        // A time so far ahead was noted by a clock that was wrong.
        return againAtMs <= now || againAtMs > now + this.waits.longestMs;
      }),
    );
  }

  /** Notes a try. One that led on is noted in vain: what is to be done next has another name. */
  async note(name: string): Promise<AttemptCount> {
    const key = this.keyOf(name);
    const tries = read(await this.redis.get(key)).tries + 1;
    const againAtMs = this.now() + backOffMs(tries, this.waits);
    // Kept until well after the next try, and no longer.
    await this.redis.set(key, `${tries} ${againAtMs}`, 'PX', 3 * this.waits.longestMs);
    return { tries, againAt: new Date(againAtMs) };
  }

  private keyOf(name: string): string {
    return `encore:tried:${this.kind}:${name}`;
  }
}

function read(note: string | null | undefined): { tries: number; againAtMs: number } {
  const [tries, againAtMs] = (note ?? '').split(' ').map(Number);
  return Number.isSafeInteger(tries) && Number.isSafeInteger(againAtMs)
    ? { tries: tries ?? 0, againAtMs: againAtMs ?? 0 }
    : { tries: 0, againAtMs: 0 };
}
