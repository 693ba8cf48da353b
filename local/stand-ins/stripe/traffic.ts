/**
 * What reaches the API with the secret key: counted by route, and held to so many requests a second where the
 * switches say so. The provider refuses a burst, it does not queue one: https://docs.stripe.com/rate-limits.
 */

const WINDOW_MS = 1_000;
const HOUR_MS = 3_600_000;
/** One payment intent takes so many changes in an hour, whoever makes them. */
const CHANGES_AN_HOUR = 1_000;

/** How many requests a second are answered: of all, and of one route. 0 is as many as come. */
interface RateLimits {
  readonly total: number;
  readonly endpoint: number;
}

/** Why a request is refused, in the provider's word. */
export type LimitedReason = 'global-rate' | 'endpoint-rate' | 'resource-specific';

export class Traffic {
  readonly #calls = new Map<string, number>();
  readonly #recent = new Map<string, number[]>();
  readonly #changes = new Map<string, { readonly sinceMs: number; count: number }>();
  #refused = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Notes a request; answers why it is refused, if it is. One that is refused uses nothing up. */
  note(route: string, { total, endpoint }: RateLimits): LimitedReason | undefined {
    this.#calls.set(route, (this.#calls.get(route) ?? 0) + 1);
    const everything = this.#lately('');
    const same = this.#lately(route);
    const reason =
      total > 0 && everything.length >= total
        ? 'global-rate'
        : endpoint > 0 && same.length >= endpoint
          ? 'endpoint-rate'
          : undefined;
    if (reason !== undefined) {
      this.#refused += 1;
      return reason;
    }
    const now = this.nowMs();
    everything.push(now);
    same.push(now);
    return undefined;
  }

  /** Notes a change of one payment intent; answers why it is refused, if it is. */
  noteChange(intent: string): LimitedReason | undefined {
    const now = this.nowMs();
    const before = this.#changes.get(intent);
    if (!before || before.sinceMs <= now - HOUR_MS) {
      this.#changes.set(intent, { sinceMs: now, count: 1 });
      return undefined;
    }
    if (before.count >= CHANGES_AN_HOUR) return 'resource-specific';
    before.count += 1;
    return undefined;
  }

  /** How many requests came, each route by itself, and how many of them were refused. */
  get counts(): { calls: number; refused: number; routes: Record<string, number> } {
    const routes = Object.fromEntries([...this.#calls].sort(([a], [b]) => (a < b ? -1 : 1)));
    const calls = [...this.#calls.values()].reduce((sum, count) => sum + count, 0);
    return { calls, refused: this.#refused, routes };
  }

  forget(): void {
    this.#calls.clear();
    this.#refused = 0;
  }

  /** When requests were answered within the last second. */
  #lately(name: string): number[] {
    const times = this.#recent.get(name) ?? [];
    const since = this.nowMs() - WINDOW_MS;
    while (times[0] !== undefined && times[0] <= since) times.shift();
    this.#recent.set(name, times);
    return times;
  }
}
