/**
 * How a process follows the log for as long as it lives: one life of its connection after the other. An
 * outage is waited for, and so is a log that ends before what is known of it, since the node that was asked
 * may lag. What is found to be wrong stops it, loudly, and it looks from time to time whether that was
 * mended.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from '#contracts/outage';
import { plainMessage } from '#projections/engine/database';

const RETRY_MS = { first: 100, most: 1_000 } as const;
/** Between two looks whether what stopped it was mended; each may read all of the log. */
const LOOK_AGAIN_MS = { first: 5_000, most: 300_000 } as const;
/** What a node of the store does not know of may come yet. */
const LOST_AFTER_MS = 30_000;

/** `Reading` is what it is called while the log is read and its end is not reached. */
export type FollowerState<Reading extends string> =
  | { readonly status: 'starting' | Reading }
  /** All that the log had when it was last asked is dealt with. */
  | { readonly status: 'live' }
  /** `waiting`: the store is away, or the disk takes nothing; it is tried again. */
  | { readonly status: 'waiting' | 'stopped'; readonly why: string };

export interface FollowerLoopOptions<Reading extends string> {
  readonly onState?: ((state: FollowerState<Reading>) => void) | undefined;
  readonly lostAfterMs?: number | undefined;
  readonly lookAgainMs?: number | undefined;
  /** Milliseconds that only rise; the machine's unless told. */
  readonly clock?: (() => number) | undefined;
}

interface FollowerLoopParts {
  /** What is written, as the subject of a sentence. */
  readonly what: string;
  /** One life of the connection: it ends with an error unless the process ends. */
  readonly live: (signal: AbortSignal) => Promise<void>;
  /**
   * Whether an error is no fault of a store or a disk: the log, or what lies on the disk, is not what it
   * should be.
   */
  readonly isFinding: (error: unknown) => boolean;
  /** Whether the log ends before what is known of it: a finding only once that has lasted. */
  readonly endsBefore: (error: unknown) => boolean;
  /** What is to be done before the next life; `stops`: what was found is held for true. */
  readonly failed?: (error: unknown, stops: boolean) => Promise<void>;
}

export class FollowerLoop<Reading extends string> {
  #state: FollowerState<Reading> = { status: 'starting' };
  #endsBeforeSinceMs: number | undefined;
  #retryMs: number = RETRY_MS.first;
  #againMs: number;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    private readonly parts: FollowerLoopParts,
    private readonly options: FollowerLoopOptions<Reading>,
  ) {
    this.#againMs = this.#firstLookMs;
  }

  get state(): FollowerState<Reading> {
    return this.#state;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends after what is in hand. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  /**
   * The store has given something. What has stopped it stands until something is done about the log again.
   */
  reads(status: Reading): void {
    if (this.#state.status !== 'stopped') this.#become({ status });
  }

  /** The log has all that is known of it. */
  foundWhole(): void {
    this.#endsBeforeSinceMs = undefined;
  }

  /** What came from the log was dealt with: the next failure is the first one again. */
  progressed(): void {
    this.#retryMs = RETRY_MS.first;
    this.#againMs = this.#firstLookMs;
  }

  becomeLive(): void {
    this.#become({ status: 'live' });
  }

  get #firstLookMs(): number {
    return this.options.lookAgainMs ?? LOOK_AGAIN_MS.first;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.parts.live(signal);
      } catch (error) {
        if (signal.aborted) return;
        const stops = this.parts.isFinding(error) && !this.#mayComeYet(error);
        await this.parts.failed?.(error, stops);
        this.#become({ status: stops ? 'stopped' : 'waiting', why: this.#whyOf(error) });
        await pause(stops ? this.#againMs : this.#retryMs, undefined, { signal }).catch(() => undefined);
        if (stops) this.#againMs = Math.min(this.#againMs * 2, LOOK_AGAIN_MS.most);
        else this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
      }
    }
  }

  #mayComeYet(error: unknown): boolean {
    if (!this.parts.endsBefore(error)) return false;
    const { clock = () => performance.now(), lostAfterMs = LOST_AFTER_MS } = this.options;
    this.#endsBeforeSinceMs ??= clock();
    return clock() - this.#endsBeforeSinceMs < lostAfterMs;
  }

  #whyOf(error: unknown): string {
    const why = plainMessage(error);
    if (isOutage(error) || this.parts.isFinding(error)) return why;
    return `${this.parts.what} cannot be written: ${why.replace(/\.$/, '')}. It is tried again; look for room and rights on its disk.`;
  }

  #become(state: FollowerState<Reading>): void {
    const said = (one: FollowerState<Reading>): string => `${one.status} ${'why' in one ? one.why : ''}`;
    const before = this.#state;
    this.#state = state;
    if (said(before) !== said(state)) this.options.onState?.(state);
  }
}
