/**
 * The clock that says when something was recorded: this machine's, compared with the event store's. A machine
 * whose clock is far ahead records nothing, because an event is never recorded before the one that it
 * follows.
 */
import type { EventLog } from '#log/event-log';
import type { Tip } from '#log/record';

const MAX_LEAD_MS = 5 * 60_000;
const CHECK_MS = 10 * 60_000;
/** A clock that went by so much more or less than time did was set, or this machine slept. */
const JUMP_MS = 60_000;

export class RecordingClock {
  #storeLeadMs = 0;
  #readAt = -Infinity;
  /** What our own clock showed then. */
  #shownMs = 0;
  #isDoubted = false;
  #reading: Promise<void> | undefined;

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

  /** Reads the store's clock, once for all who ask meanwhile. Throws LogUnavailable. */
  read(): Promise<void> {
    this.#reading ??= this.#compare().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #compare(): Promise<void> {
    const storeMs = (await this.log.storeTime()).getTime();
    this.#readAt = performance.now();
    this.#shownMs = this.nowMs;
    this.#storeLeadMs = storeMs - this.#shownMs;
  }

  /** Why nothing can be recorded by this machine's clock, in a sentence; undefined where it can. */
  get leadProblem(): string | undefined {
    const aheadMs = -this.#storeLeadMs;
    return aheadMs > MAX_LEAD_MS
      ? `The clock is ${minutes(aheadMs)} minutes ahead of the event store’s: nothing is recorded until they agree. Set it right.`
      : undefined;
  }

  /** Why nothing can be recorded after this tip, in a sentence; undefined where it can. */
  problem({ recordedAtMs }: Tip): string | undefined {
    if (this.leadProblem !== undefined) return this.leadProblem;
    const backMs = recordedAtMs - this.storeNowMs;
    if (backMs > MAX_LEAD_MS)
      return (
        `The last event was recorded ${minutes(backMs)} minutes after the time that the event store’s clock shows: that clock ` +
        'was set back. Nothing is recorded until it has reached that time. Set it right.'
      );
    return undefined;
  }

  /**
   * Whether something may be recorded after this tip. A clock that was set while we ran looks the same as one
   * that is wrong, until the store's is read again: `read-again`.
   */
  check(tip: Tip): 'agrees' | 'read-again' | { readonly problem: string } {
    if (this.#wasSet) return 'read-again';
    const problem = this.problem(tip);
    this.#isDoubted = problem !== undefined && !this.#isDoubted;
    if (problem === undefined) return 'agrees';
    return this.#isDoubted ? 'read-again' : { problem };
  }

  /** Reads the store's clock where that is due, or this machine's was set. Throws LogUnavailable. */
  async readIfDue(): Promise<void> {
    if (this.isCheckDue || this.#wasSet) await this.read();
  }

  get #wasSet(): boolean {
    const passedMs = performance.now() - this.#readAt;
    return Number.isFinite(passedMs) && Math.abs(this.nowMs - this.#shownMs - passedMs) > JUMP_MS;
  }
}

const minutes = (ms: number): number => Math.round(ms / 60_000);

/** By the global timers, which the simulator turns itself. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
