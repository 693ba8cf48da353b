/**
 * The ids of events written lately, so that an append that expects no particular revision and is sent twice
 * is written once. Like EventStoreDB's own it remembers a bounded number; only an append at an explicit
 * revision is idempotent for ever. It is a table of numbers in fixed memory: one entry an event, and no
 * garbage.
 */
const BUCKETS = 1 << 16;
const WAYS = 4;
const WORDS = 4;

export class RecentIds {
  private readonly ids = new Uint32Array(BUCKETS * WAYS * WORDS);
  private readonly streams = new Uint32Array(BUCKETS * WAYS);
  private readonly revisions = new Float64Array(BUCKETS * WAYS);
  private readonly next = new Uint8Array(BUCKETS);
  private readonly words = new Uint32Array(WORDS);

  /** Remembers an event, in the place of the oldest of its bucket. Stream numbers start at 1. */
  add(id: Buffer, stream: number, revision: number): void {
    const bucket = this.hash(id);
    const way = this.next[bucket]!;
    this.next[bucket] = (way + 1) % WAYS;
    const slot = bucket * WAYS + way;
    this.ids.set(this.words, slot * WORDS);
    this.streams[slot] = stream;
    this.revisions[slot] = revision;
  }

  /** The revision at which an event was written to a stream, if that is remembered. */
  revisionOf(id: Buffer, stream: number): number | undefined {
    const bucket = this.hash(id);
    const [a, b, c, d] = this.words;
    for (let slot = bucket * WAYS; slot < (bucket + 1) * WAYS; slot++) {
      const at = slot * WORDS;
      if (this.streams[slot] !== stream) continue;
      if (this.ids[at] === a && this.ids[at + 1] === b && this.ids[at + 2] === c && this.ids[at + 3] === d) {
        return this.revisions[slot];
      }
    }
    return undefined;
  }

  /** Reads the text of a UUID into `words` and answers its bucket. */
  private hash(id: Buffer): number {
    let word = 0;
    let digits = 0;
    for (let i = 0; i < id.length; i++) {
      const byte = id[i]!;
      if (byte === 0x2d) continue;
      word = (word << 4) | (byte <= 0x39 ? byte - 0x30 : byte - 0x57);
      if (++digits % 8 === 0) this.words[digits / 8 - 1] = word;
    }
    const [a, b, c, d] = this.words;
    let mixed =
      Math.imul(a! ^ Math.imul(b!, 0x9e3779b1), 0x85ebca6b) ^
      Math.imul(c! ^ Math.imul(d!, 0xc2b2ae35), 0x27d4eb2f);
    mixed ^= mixed >>> 15;
    return mixed & (BUCKETS - 1);
  }
}
