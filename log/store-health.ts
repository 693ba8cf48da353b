/**
 * How the event store is, as this process's own calls find it: one place per log, told by whatever reads and
 * appends, and by a question each second where nothing else is asked. Times are milliseconds of a steady
 * clock (`performance.now()`).
 */

export class StoreHealth {
  #awaySince: number | undefined;
  #writesClosedSince: number | undefined;
  /** When an append last succeeded: what was sent before and broke off says nothing of the present. */
  #appendedAt = -Infinity;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Since when the store answers nothing; undefined while it answers. It may answer reads and take no append.
   */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /**
   * Since when nothing can be appended, or it is not known whether anything can; undefined while appends
   * succeed. Only an append that succeeded ends it: a store that answers again may still refuse to write.
   */
  get writesClosedSince(): number | undefined {
    return this.#writesClosedSince;
  }

  /** For how long nothing could be appended, in milliseconds; 0 while appends succeed. */
  get writesClosedForMs(): number {
    return this.#writesClosedSince === undefined ? 0 : this.now() - this.#writesClosedSince;
  }

  /**
   * Calls when the store goes away, answers again, or when writes close or open. Answers how to stop that.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A call that began at `since` was not answered, by no fault of its own. */
  unanswered(since = this.now()): void {
    if (since < this.#appendedAt) return;
    this.#become(this.#awaySince ?? since, this.#writesClosedSince ?? since);
  }

  /** The store has answered a read. */
  answered(): void {
    this.#become(undefined, this.#writesClosedSince);
  }

  /** An append that began at `since` may not have been written. */
  appendUnanswered(since = this.now()): void {
    if (since < this.#appendedAt) return;
    this.#become(this.#awaySince, this.#writesClosedSince ?? since);
  }

  /** The store has written what it was given. */
  appended(): void {
    this.#appendedAt = this.now();
    if (this.#awaySince !== undefined || this.#writesClosedSince !== undefined)
      this.#become(undefined, undefined);
  }

  #become(awaySince: number | undefined, writesClosedSince: number | undefined): void {
    const isChange =
      (awaySince === undefined) !== (this.#awaySince === undefined) ||
      (writesClosedSince === undefined) !== (this.#writesClosedSince === undefined);
    this.#awaySince = awaySince;
    this.#writesClosedSince = writesClosedSince;
    if (isChange) for (const listener of this.#listeners) listener();
  }
}
