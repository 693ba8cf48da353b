/**
 * What was tried and is still to be done, in Redis: how often, and when it may be tried again. Losing it (a
 * flush) costs an early try, never a payment: what is to be done is in the log.
 */
import type { Redis } from 'ioredis';
import { backOffMs, type Waits } from '../jobs/back-off.js';

/** The part of Redis that is used. */
export type AttemptStore = Pick<Redis, 'get' | 'mget' | 'set'>;

const DONE = 'done';
/** Longer than anything keeps its name: a payment is looked at every twelve hours at least. */
const DONE_FOR_MS = 26 * 3_600_000;
/** Names that are asked of Redis at a time. */
const AT_ONCE = 1_000;

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

  /** Those of the names whose time it is, never tried or tried long enough ago, with how often they were. */
  async due(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const now = this.now();
    const due = new Map<string, number>();
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE);
      const notes = await this.redis.mget(some.map((name) => this.keyOf(name)));
      some.forEach((name, at) => {
        if (notes[at] === DONE) return;
        const { tries, againAtMs } = read(notes[at]);
        // A time so far ahead was noted by a clock that was wrong.
        if (againAtMs <= now || againAtMs > now + this.waits.longestMs) due.set(name, tries);
      });
    }
    return due;
  }

  /** Notes that nothing more is to be done under this name. */
  async done(name: string): Promise<void> {
    await this.redis.set(this.keyOf(name), DONE, 'PX', DONE_FOR_MS);
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
