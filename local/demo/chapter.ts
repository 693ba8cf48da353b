/** What the demo's chapters work with. */
import { createHash } from 'node:crypto';
import { PEOPLE, type DemoName } from './people.js';
import { Till, type TillSettings } from './till.js';
import { Visitor } from './visitor.js';

const DAY_MS = 86_400_000;
const AT_ONCE = 4;

/**
 * A part of the demo, done through the app as people do it. Done again it must change nothing: each command
 * goes out under the key of its step, or is one that may be repeated. A start that is cut short is then
 * completed by the next one.
 */
export interface Chapter {
  readonly name: string;
  readonly run: (demo: Demo) => Promise<void>;
}

export class Demo {
  readonly till: Till;
  readonly #people = new Map<DemoName, Promise<Visitor>>();

  constructor(
    /** Where browsers find the app. */
    readonly url: string,
    /** When the demo was begun, also when that was at an earlier start: keys and dates derive from it. */
    readonly begunAt: Date,
    till: Omit<TillSettings, 'returnUrl' | 'signal'>,
    readonly signal: AbortSignal,
  ) {
    this.till = new Till({ ...till, returnUrl: `${url}/payment-success`, signal });
  }

  /** A person of the demo, signed in. */
  person(name: DemoName): Promise<Visitor> {
    const known = this.#people.get(name);
    if (known) return known;
    const visitor = new Visitor(this.url, PEOPLE[name], this.signal);
    const arrived = visitor.arrive().then(() => visitor);
    this.#people.set(name, arrived);
    return arrived;
  }

  /** So many days, with their parts, before the demo was begun. */
  daysAgo(days: number): Date {
    return new Date(this.begunAt.getTime() - days * DAY_MS);
  }

  /**
   * The idempotency key of a step: a UUIDv7 made when the demo was begun, the same whenever the step is done.
   */
  keyOf(step: string): string {
    const digest = createHash('sha256').update(`encore demo ${step}`).digest('hex');
    const time = this.begunAt.getTime().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-8${digest.slice(3, 6)}-${digest.slice(6, 18)}`;
  }

  /** Does the work for each, a few at once; the first failure ends it. */
  async forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const waiting = [...items];
    const next = async (): Promise<void> => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
        this.signal.throwIfAborted();
        await work(item).catch((failure: unknown) => {
          waiting.length = 0;
          throw failure;
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }
}
