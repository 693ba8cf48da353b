/**
 * A map with a draft on top: reads fall through, writes stay in the draft until it is absorbed or thrown
 * away. It lets the writer decide a batch on the state that the batch before it will leave, before that one
 * is durable.
 */
export class Layer<K, V> {
  readonly #own = new Map<K, V | undefined>();

  constructor(private below?: Layer<K, V>) {}

  get(key: K): V | undefined {
    const own = this.#own.get(key);
    if (own !== undefined || !this.below || this.#own.has(key)) return own;
    return this.below.get(key);
  }

  set(key: K, value: V): void {
    this.#own.set(key, value);
  }

  delete(key: K): void {
    if (this.below) this.#own.set(key, undefined);
    else this.#own.delete(key);
  }

  /** Takes over what a draft on top of this layer has written. */
  absorb(draft: Layer<K, V>): void {
    for (const [key, value] of draft.#own) {
      if (value === undefined) this.delete(key);
      else this.#own.set(key, value);
    }
  }

  /** Puts this draft on another layer: on the lowest one, when that has absorbed the one between. */
  rebase(below: Layer<K, V>): void {
    this.below = below;
  }

  /** How many entries this layer itself holds; on the lowest layer, all of them. */
  get size(): number {
    return this.#own.size;
  }

  /** What this layer and those below it hold together. It looks at every entry: for what is rarely asked. */
  *all(): IterableIterator<[K, V]> {
    for (const [key, value] of this.#own) if (value !== undefined) yield [key, value];
    for (const [key, value] of this.below?.all() ?? []) if (!this.#own.has(key)) yield [key, value];
  }

  /** The entries of the lowest layer. */
  entries(): IterableIterator<[K, V]> {
    if (this.below) throw new Error('Only the lowest layer can be listed');
    return this.#own.entries() as IterableIterator<[K, V]>;
  }
}
