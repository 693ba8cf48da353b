/**
 * Whether what is read from rows may be older than what happened: while the event store is away, after that until
 * the read models have caught up, and whenever they stay behind. Each answer to a GET carries it as a mark.
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

export class Freshness {
  #awaited: AwaitedEnd | undefined;
  /** There was an outage, and it is not known yet that the rows have all that was written since. */
  #isReturning = false;
  #told = false;
  readonly #listeners = new Set<(isStale: boolean) => void>();

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
    return this.#isStoreAway || this.#isReturning || this.isBehind;
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
  onChange(listener: (isStale: boolean) => void): () => void {
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
    const { isStale } = this;
    if (isStale === this.#told) return;
    this.#told = isStale;
    for (const listener of [...this.#listeners]) listener(isStale);
  }
}
