/**
 * A set of many ids in little memory: five bytes an id. What it says to be new is new. What it says to have
 * been there was there, or, about once in a million ids, only looks like one that was: who needs to know
 * looks again.
 */
import { hashPair } from './id-hash.js';

const BUCKET_BITS = 14;
const BUCKETS = 1 << BUCKET_BITS;
const FIRST_ROOM = 4;

export class IdSet {
  readonly #buckets: (Uint32Array | undefined)[] = Array.from({ length: BUCKETS });
  readonly #counts = new Uint32Array(BUCKETS);
  #size = 0;

  /** How many ids are in it. */
  get size(): number {
    return this.#size;
  }

  /** Adds an id. False where it may have been there. */
  add(id: string): boolean {
    const [mark, place] = hashPair(id);
    const at = place & (BUCKETS - 1);
    const count = this.#counts[at]!;
    let bucket = this.#buckets[at] ?? new Uint32Array(FIRST_ROOM);
    const found = bucket.indexOf(mark);
    if (found !== -1 && found < count) return false;
    if (count === bucket.length) {
      const larger = new Uint32Array(count + Math.max(FIRST_ROOM, count >> 3));
      larger.set(bucket);
      bucket = larger;
    }
    bucket[count] = mark;
    this.#buckets[at] = bucket;
    this.#counts[at] = count + 1;
    this.#size += 1;
    return true;
  }
}
