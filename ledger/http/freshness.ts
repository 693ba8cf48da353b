/**
 * Whether what is read from rows may be older than what happened: while the event store is away, after that
 * until the read models have caught up, and whenever they stay behind. Each answer to a GET carries it as a
 * mark.
 */
import { comparePositions, type Position } from '#contracts/log';
import type { StoreHealth } from '#log/store-health';
import type { ReadProgress } from './read-models.js';

/** Rows that lack for so long what the log holds are behind; less is the usual way from the log to a row. */
const BEHIND_AFTER_MS = 5_000;

/** An end of the log that the rows had not passed when it was seen. */
interface AwaitedEnd {
  readonly position: Position;
  readonly sinceMs: number;
}

/** Told whether what is read may be out of date, and whether nothing is written. */
type FreshnessListener = (isStale: boolean, isClosed: boolean) => void;

export class Freshness {
  #awaited: AwaitedEnd | undefined;
  /** There was an outage, and it is not known yet that the rows have all that was written since. */
  #isReturning = false;
  #isClosed = false;
  #told = '';
  readonly #listeners = new Set<FreshnessListener>();

  constructor(
    private readonly store: StoreHealth,
    private readonly readModels: Pick<ReadProgress, 'reached' | 'stoppedBecause'>,
    private readonly clock: () => number = () => performance.now(),
  ) {
    store.onChange(() => {
      if (this.#isStoreAway) this.#isReturning = true;
      this.#tell();
    });
  }

  get isStale(): boolean {
    return this.#isClosed || this.#isStoreAway || this.#isReturning || this.isBehind;
  }

  /** Nothing is written: the log has lost or hides something, and so may the rows. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  set isClosed(isClosed: boolean) {
    this.#isClosed = isClosed;
    this.#tell();
  }

  /** Why the read models have stopped, where that is known. */
  get stoppedBecause(): string | undefined {
    return this.readModels.stoppedBecause;
  }

  /** The read models stay behind the log, whatever the reason. */
  get isBehind(): boolean {
    if (this.stoppedBecause !== undefined) return true;
    return this.#lacks !== undefined && this.clock() - this.#lacks.sinceMs >= BEHIND_AFTER_MS;
  }

  /** The log was asked where it ends: there, or nowhere yet. */
  endSeen(end: Position | undefined): void {
    if (this.#lacks === undefined) {
      const isPassed = end === undefined || comparePositions(this.readModels.reached, end) >= 0;
      this.#awaited = isPassed ? undefined : { position: end, sinceMs: this.clock() };
    }
    if (!this.#isStoreAway && this.#awaited === undefined) this.#isReturning = false;
    this.#tell();
  }

  /** Tells of each change, at the latest when the log is asked next; returns how to leave. */
  onChange(listener: FreshnessListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get #isStoreAway(): boolean {
    return this.store.awaySince !== undefined || this.store.writesClosedSince !== undefined;
  }

  get #lacks(): AwaitedEnd | undefined {
    const awaited = this.#awaited;
    return awaited && comparePositions(this.readModels.reached, awaited.position) < 0 ? awaited : undefined;
  }

  #tell(): void {
    const { isStale, isClosed } = this;
    const told = isClosed ? 'closed' : isStale ? 'stale' : '';
    if (told === this.#told) return;
    this.#told = told;
    for (const listener of [...this.#listeners]) listener(isStale, isClosed);
  }
}
