/**
 * Holds our calls of the card provider under what it publishes (https://docs.stripe.com/rate-limits): it
 * refuses a burst, it does not queue one. All ledgers share one account, so the calls are counted in one
 * place; a call waits its turn for a bounded time. Clicks go before what webhooks ask, and that before jobs:
 * each of these may use a part of all calls only, so that there is always room for a payer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type Urgency = 'click' | 'webhook' | 'job';

const urgency = new AsyncLocalStorage<Urgency>();

/**
 * Calls of the provider within this work are as urgent as that. Outside of any, somebody waits on a screen.
 */
export const asUrgent = <T>(how: Urgency, work: () => Promise<T>): Promise<T> => urgency.run(how, work);
export const urgencyNow = (): Urgency => urgency.getStore() ?? 'click';

/** What the provider takes in a second: of everything, and of one endpoint. */
export interface PublishedLimits {
  readonly total: number;
  readonly endpoint: number;
}

/** One thing of which so many calls a second may be made. */
export interface Bucket {
  readonly name: string;
  readonly perSecond: number;
}

/**
 * Who counts the calls: one call is taken from all buckets or from none. Answers 0, or in how many ms to ask
 * again.
 */
export interface CallCounter {
  take(buckets: readonly Bucket[]): Promise<number>;
  /** Nobody calls for so long. */
  hold(ms: number): Promise<void>;
}

/** Of all calls: what is asked by webhooks and jobs together, and by jobs alone. */
const WITHOUT_CLICKS = 0.8;
const JOBS = 0.4;

/** Everything that a call counts against. */
export function bucketsOf(
  endpoint: string,
  how: Urgency,
  { total, endpoint: each }: PublishedLimits,
): Bucket[] {
  const buckets = [
    { name: 'all', perSecond: total },
    { name: endpoint, perSecond: each },
  ];
  if (how !== 'click') buckets.push({ name: 'not-clicks', perSecond: total * WITHOUT_CLICKS });
  if (how === 'job') buckets.push({ name: 'jobs', perSecond: total * JOBS });
  return buckets;
}

/** Of the published limit: this steadily, and this at once. Together they stay under it in any second. */
export const STEADY = 0.8;
export const AT_ONCE = 0.1;

/**
 * For how long a call waits for its turn at most: a click's browser, and the provider's webhook, wait for
 * more.
 */
const WAITS_MS: Readonly<Record<Urgency, number>> = { click: 3_000, webhook: 8_000, job: 15_000 };

/**
 * No answer of the provider's keeps all ledgers from it for longer: a day in one would be a day without a
 * payment.
 */
export const LONGEST_HOLD_MS = 60_000;

/** Twice as long each time; by chance, so that not all come back at once. */
const backOffMs = (tries: number): number => Math.min(250 * 2 ** (tries - 1), 4_000) * (0.5 + Math.random());

interface Waiting {
  readonly untilMs: number;
  readonly go: (isAdmitted: boolean) => void;
}

export class CallLimiter {
  /** Calls of one urgency to one endpoint, first come first served. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(
    private readonly counter: CallCounter,
    private readonly limits: PublishedLimits,
    private readonly now: () => number = () => performance.now(),
    private readonly pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  /** Resolves when the call may be made: false where its turn did not come in time, and it must not be. */
  admit(endpoint: string, how: Urgency = urgencyNow()): Promise<boolean> {
    return new Promise((go) => {
      const name = `${how} ${endpoint}`;
      const queue = this.#queues.get(name) ?? [];
      queue.push({ untilMs: this.now() + WAITS_MS[how], go });
      if (queue.length > 1) return;
      this.#queues.set(name, queue);
      void this.#serve(name, queue, bucketsOf(endpoint, how, this.limits));
    });
  }

  /** The provider has refused a call as too many: nobody calls for a while. */
  async refused(tries: number, retryAfterMs: number | undefined): Promise<void> {
    const holdMs = Math.min(Math.max(backOffMs(tries), retryAfterMs ?? 0), LONGEST_HOLD_MS);
    await this.counter.hold(Math.ceil(holdMs));
  }

  /** The provider has refused a call because of the one object that it is about: only this call waits. */
  async locked(tries: number): Promise<void> {
    await this.pause(backOffMs(tries));
  }

  async #serve(name: string, queue: Waiting[], buckets: readonly Bucket[]): Promise<void> {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      const waitMs = await this.counter.take(buckets);
      const leftMs = first.untilMs - this.now();
      if (waitMs > 0 && leftMs > 0) {
        await this.pause(Math.min(waitMs, leftMs));
        continue;
      }
      queue.shift();
      first.go(waitMs <= 0);
    }
    this.#queues.delete(name);
  }
}

/** Counts the calls of one process. */
export class OwnCallCounter implements CallCounter {
  readonly #nextAt = new Map<string, number>();
  #heldUntil = 0;

  /** `share`: of the published limits, what this process may use. */
  constructor(
    private readonly share: () => number = () => 1,
    private readonly now: () => number = () => performance.now(),
  ) {}

  take(buckets: readonly Bucket[]): Promise<number> {
    const now = this.now();
    let waitMs = this.#heldUntil - now;
    const nexts = buckets.map(({ name, perSecond }) => {
      const perSecondHere = Math.max(perSecond * this.share(), 0.1);
      const everyMs = 1_000 / (perSecondHere * STEADY);
      const at = Math.max(this.#nextAt.get(name) ?? 0, now);
      waitMs = Math.max(waitMs, at - everyMs * (Math.max(1, perSecondHere * AT_ONCE) - 1) - now);
      return [name, at + everyMs] as const;
    });
    if (waitMs > 0) return Promise.resolve(Math.ceil(waitMs));
    for (const [name, next] of nexts) this.#nextAt.set(name, next);
    return Promise.resolve(0);
  }

  hold(ms: number): Promise<void> {
    this.#heldUntil = Math.max(this.#heldUntil, this.now() + ms);
    return Promise.resolve();
  }
}

/** An endpoint, whatever object it is asked about: `GET /v1/payment_intents/:id`. */
export function endpointOf(method: string, path: string): string {
  const segments = (path.split('?')[0] ?? '').split('/');
  return `${method} ${segments.map((segment) => (/^[a-z]+_(?=.*[0-9A-Z])/.test(segment) ? ':id' : segment)).join('/')}`;
}
