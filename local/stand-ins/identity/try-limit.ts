/**
 * How often a sign-in may fail within a time. Kept in memory: forgetting it at a restart costs an attacker
 * more than us.
 */
export class TryLimit {
  readonly #most: number;
  readonly #withinMs: number;
  readonly #failures = new Map<string, number[]>();

  constructor(most: number, withinMs: number) {
    this.#most = most;
    this.#withinMs = withinMs;
  }

  /** Milliseconds until `key` may try again; 0 when it may now. */
  waitMs(key: string, now: number): number {
    const recent = this.#recent(key, now);
    return recent.length < this.#most ? 0 : (recent[0] ?? now) + this.#withinMs - now;
  }

  failed(key: string, now: number): void {
    this.#failures.set(key, [...this.#recent(key, now), now].slice(-this.#most));
    // Bounded: an attacker chooses the keys.
    if (this.#failures.size > 10_000) this.#failures.delete(this.#failures.keys().next().value ?? '');
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string, now: number): number[] {
    return (this.#failures.get(key) ?? []).filter((at) => at > now - this.#withinMs);
  }
}
