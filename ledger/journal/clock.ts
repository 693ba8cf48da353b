/**
 * The journal's clock: this machine's, compared with the event store's. A machine whose clock is far ahead
 * records nothing, because an entry is never recorded before the one that it follows.
 */
import type { EventLog } from '#log/event-log';
import type { Tip } from '#log/record';

const MAX_LEAD_MS = 5 * 60_000;
const CHECK_MS = 10 * 60_000;

export class JournalClock {
  #storeLeadMs = 0;
  #readAt = -Infinity;
  #isDoubted = false;

  constructor(
    private readonly log: EventLog,
    private readonly now: () => Date,
  ) {}

  get nowMs(): number {
    return this.now().getTime();
  }

  /** The time by the store's clock, as this machine reckons it. */
  get storeNowMs(): number {
    return this.nowMs + this.#storeLeadMs;
  }

  /** Whether the store's clock was last read so long ago that it is to be read again. */
  get isCheckDue(): boolean {
    return performance.now() - this.#readAt > CHECK_MS;
  }

  /** Reads the store's clock. Throws LogUnavailable. */
  async read(): Promise<void> {
    this.#readAt = performance.now();
    this.#storeLeadMs = (await this.log.storeTime()).getTime() - this.nowMs;
  }

  /** Why nothing can be recorded after this tip, in a sentence; undefined where it can. */
  problem({ recordedAtMs }: Tip): string | undefined {
    const leadMs = Math.max(recordedAtMs - this.nowMs, 0) - this.#storeLeadMs;
    return leadMs > MAX_LEAD_MS
      ? `The clock is ${Math.round(leadMs / 60_000)} minutes ahead of the event store’s: nothing is recorded until they agree.`
      : undefined;
  }

  /**
   * Whether something may be recorded after this tip. A clock that was set while we ran looks the same as one
   * that is wrong, until the store's is read again: `read-again`.
   */
  check(tip: Tip): 'agrees' | 'read-again' | { readonly problem: string } {
    const problem = this.problem(tip);
    this.#isDoubted = problem !== undefined && !this.#isDoubted;
    if (problem === undefined) return 'agrees';
    return this.#isDoubted ? 'read-again' : { problem };
  }
}

/** By the global timers, which the simulator turns itself. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
