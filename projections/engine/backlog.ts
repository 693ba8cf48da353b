/**
 * What the log has given the projector and is not projected yet, and since when the projector may lack events
 * that it was not given: before it has caught up, and after the store has dropped it.
 */

interface Waiting {
  /** By the clock of whoever wrote it, in milliseconds since 1970. */
  readonly recordedAtMs: number;
  /** By our own clock. */
  readonly receivedMs: number;
}

export class Backlog {
  #waiting: Waiting[] = [];
  /** Everything older than this has been given to us; undefined when that is everything. */
  #lacksSinceMs: number | undefined = Number.NEGATIVE_INFINITY;
  #subscribedMs = 0;
  #progressed = false;
  #lastRecordedAtMs: number | undefined;

  /** `clock` is milliseconds that only rise: the log's writers may have other ideas of the time. */
  constructor(private readonly clock: () => number) {}

  /** A new subscription behind the checkpoint: what was read ahead by the one before is gone. */
  subscribed(): void {
    this.#waiting = [];
    this.#begin();
    this.unsubscribed();
  }

  /** The connection to the log or to the rows broke. */
  unsubscribed(): void {
    this.#lacksSinceMs ??= this.clock();
  }

  received(recordedAtMs: number): void {
    this.#progressed = true;
    this.#waiting.push({ recordedAtMs, receivedMs: this.clock() });
  }

  /** The oldest so many that were received are projected. */
  projected(count: number): void {
    const done = this.#waiting.splice(0, count);
    this.#lastRecordedAtMs = done.at(-1)?.recordedAtMs ?? this.#lastRecordedAtMs;
  }

  caughtUp(): void {
    this.#lacksSinceMs = undefined;
  }

  /**
   * Only a subscription that has read up to the end is dropped, so everything from before its beginning was
   * given: under load one is dropped after the other, and none of them says that it has caught up.
   */
  dropped(): void {
    const before = this.#subscribedMs;
    const progressed = this.#progressed;
    this.#begin();
    if (this.#lacksSinceMs === undefined) this.#lacksSinceMs = this.#subscribedMs;
    else if (progressed) this.#lacksSinceMs = Math.max(this.#lacksSinceMs, before);
  }

  /** For how long something has waited to be given or projected; 0 for nothing. */
  lateMs(): number {
    const since = Math.min(
      this.#waiting[0]?.receivedMs ?? Number.POSITIVE_INFINITY,
      this.#lacksSinceMs ?? Number.POSITIVE_INFINITY,
    );
    return Math.max(0, this.clock() - since);
  }

  /**
   * How old the oldest event is that is not projected, at most; 0 when there is none. `nowMs` is in
   * milliseconds since 1970.
   */
  ageMs(nowMs: number): number {
    const [oldest] = this.#waiting;
    if (oldest) return Math.max(0, nowMs - oldest.recordedAtMs);
    if (this.#lacksSinceMs === undefined || this.#lastRecordedAtMs === undefined) return 0;
    // What we lack is younger than the last event that we have, and than the time when we lacked nothing.
    return Math.max(0, Math.min(nowMs - this.#lastRecordedAtMs, this.clock() - this.#lacksSinceMs));
  }

  #begin(): void {
    this.#subscribedMs = this.clock();
    this.#progressed = false;
  }
}
