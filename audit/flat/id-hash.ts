/** Ids as numbers, for tables that do not keep the ids themselves. */
import { randomBytes } from 'node:crypto';

/** Other in every run, so that nobody can prepare two ids that meet. */
const [SEED_ONE, SEED_OTHER] = [randomBytes(4).readUInt32LE(), randomBytes(4).readUInt32LE()];
const pair: [number, number] = [0, 0];

/**
 * Two unsigned 32-bit hashes of an id, the same ones throughout a run (cyrb53 by bryc, with both halves). The
 * array is used again by the next call.
 */
export function hashPair(id: string): readonly [number, number] {
  let one = 0xdeadbeef ^ SEED_ONE;
  let other = 0x41c6ce57 ^ SEED_OTHER;
  for (let at = 0; at < id.length; at += 1) {
    const code = id.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  pair[0] = one >>> 0;
  pair[1] = other >>> 0;
  return pair;
}

/**
 * 52 bits of an id's hash as a number above zero, the same one throughout a run: for columns in which zero is
 * none.
 */
export function hashNumber(id: string): number {
  const [one, other] = hashPair(id);
  return one * 2 ** 20 + (other & 0xfffff) || 1;
}
