/** Who counts requests and declines, and how far a count is from its limit. */
import { createHmac } from 'node:crypto';
import { DEFAULT_LIMITS, withinMsOf, type LimitName, type Limits } from '#contracts/limits';

/** How many there were within a limit's time, of the ones that a key tells apart. */
export interface Count {
  readonly count: number;
  /** In how many milliseconds the count begins anew. */
  readonly endsInMs: number;
  /**
   * Of a limit, what this count may reach: all of it where all ledgers count together, less where one counts
   * alone.
   */
  readonly share: number;
}

export interface Counter {
  /** Counts one more. Never throws: while the shared store is away each process counts by itself. */
  add(limit: LimitName, key: string): Promise<Count>;
  /** The same without counting. */
  look(limit: LimitName, key: string): Promise<Count>;
}

/** Something that is limited, and whose: a user's id, a network, a card's fingerprint. */
export interface Counted {
  readonly limit: LimitName;
  readonly of: string;
}

/** A limit that is reached, and when to come again. */
export interface Reached {
  readonly limit: LimitName;
  readonly waitMs: number;
}

interface LimitOptions {
  readonly counter: Counter;
  readonly limits?: Limits;
  /** Keys of the shared store are made with it: whoever reads the store learns no address and no user. */
  readonly secret: Buffer;
  /** Told of each refusal, for metrics. */
  readonly refused?: (limit: LimitName) => void;
}

/** A store that counts within one process. For one process alone, and while the shared store is away. */
export class OwnCounter implements Counter {
  readonly #counts = new Map<string, { count: number; endsAtMs: number }>();
  #sweepAtMs = 0;

  /** `share`: of each limit, what this process may use. */
  constructor(
    private readonly share = 1,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(limit: LimitName, key: string): Promise<Count> {
    return Promise.resolve(this.#count(limit, key, 1));
  }

  look(limit: LimitName, key: string): Promise<Count> {
    return Promise.resolve(this.#count(limit, key, 0));
  }

  #count(limit: LimitName, key: string, by: number): Count {
    const now = this.now();
    this.#sweep(now);
    const place = `${limit} ${key}`;
    const kept = this.#counts.get(place);
    const isOver = !kept || kept.endsAtMs <= now;
    const count = {
      count: (isOver ? 0 : kept.count) + by,
      endsAtMs: isOver ? now + withinOf(limit) : kept.endsAtMs,
    };
    if (by > 0) this.#counts.set(place, count);
    return { count: count.count, endsInMs: count.endsAtMs - now, share: this.share };
  }

  /** Forgets what has ended, once a minute: a long list of addresses is no reason to grow. */
  #sweep(now: number): void {
    if (now < this.#sweepAtMs) return;
    this.#sweepAtMs = now + 60_000;
    for (const [place, { endsAtMs }] of this.#counts) if (endsAtMs <= now) this.#counts.delete(place);
  }
}

const withinOf = (limit: LimitName): number => {
  const withinMs = withinMsOf(limit);
  if (withinMs === undefined) throw new Error(`${limit} is not counted within a time`);
  return withinMs;
};

export class LimitCounts {
  constructor(private readonly options: LimitOptions) {}

  /** How many of a limit there may be, of this count: its share of it, and never none. */
  most({ limit }: Pick<Counted, 'limit'>, { share }: Pick<Count, 'share'>): number {
    return Math.max(1, Math.floor((this.options.limits ?? DEFAULT_LIMITS)[limit] * share));
  }

  add({ limit, of }: Counted): Promise<Count> {
    return this.options.counter.add(limit, this.#key(limit, of));
  }

  look({ limit, of }: Counted): Promise<Count> {
    return this.options.counter.look(limit, this.#key(limit, of));
  }

  /**
   * Counts one more of each. Answers the limit that is passed by it, the one to wait for longest; undefined
   * where there is room in all.
   */
  async take(all: readonly Counted[]): Promise<Reached | undefined> {
    // What is switched off is not counted either.
    const on = all.filter(({ limit }) => this.most({ limit }, { share: 1 }) !== Infinity);
    const counts = await Promise.all(on.map((counted) => this.add(counted)));
    let reached: Reached | undefined;
    counts.forEach((count, n) => {
      const { limit } = on[n]!;
      if (count.count <= this.most({ limit }, count)) return;
      if (reached === undefined || count.endsInMs > reached.waitMs)
        reached = { limit, waitMs: count.endsInMs };
    });
    if (reached !== undefined) this.refused(reached.limit);
    return reached;
  }

  /** What stands for a text of somebody's where it is kept: told apart, and of no use to whoever reads it. */
  hidden(text: string): string {
    return createHmac('sha256', this.options.secret).update(text).digest('base64url').slice(0, 22);
  }

  refused(limit: LimitName): void {
    this.options.refused?.(limit);
  }

  #key(limit: LimitName, of: string): string {
    return this.hidden(`${limit}\0${of}`);
  }
}
