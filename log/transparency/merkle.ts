/**
 * The tree of RFC 6962, section 2.1: what its hashes are, and how the proofs of a leaf and of growth are made
 * and checked. Pure; whoever proves brings a reader of the hashes of complete subtrees.
 */
import { createHash } from 'node:crypto';

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** The hash of a leaf that holds these bytes. */
export const leafHash = (entry: Uint8Array): Buffer =>
  createHash('sha256').update(LEAF).update(entry).digest();

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(NODE).update(left).update(right).digest();

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = createHash('sha256').digest();

/** Reads the hash of the complete subtree of `2 ** level` leaves that begins at leaf `index * 2 ** level`. */
export type HashReader = (level: number, index: number) => Promise<Buffer>;

/** The proof does not lead to the root, or no such proof can be. */
export class ProofRefused extends Error {
  override readonly name = 'ProofRefused';
}

/** The largest power of two below `n`, which is at least 2. */
function splitOf(n: number): number {
  let split = 1;
  while (split * 2 < n) split *= 2;
  return split;
}

/** Of which power of two a number is; undefined for one that is none. (Math.log2 rounds large ones.) */
function exponentOf(n: number): number | undefined {
  let exponent = 0;
  while (2 ** exponent < n) exponent += 1;
  return 2 ** exponent === n ? exponent : undefined;
}

/** The hash of the leaves from `start` to before `end`, a range that a proof may name. */
async function rangeHash(read: HashReader, start: number, end: number): Promise<Buffer> {
  const width = end - start;
  const level = exponentOf(width);
  if (level !== undefined && start % width === 0) return read(level, start / width);
  const split = splitOf(width);
  return nodeHash(await rangeHash(read, start, start + split), await rangeHash(read, start + split, end));
}

/** The root of the tree of the first `size` leaves. */
export const rootOf = async (read: HashReader, size: number): Promise<Buffer> =>
  size === 0 ? EMPTY_ROOT : rangeHash(read, 0, size);

/** The hashes beside the way from leaf `index` to the root of the first `size` leaves, from below. */
export async function inclusionProof(read: HashReader, index: number, size: number): Promise<Buffer[]> {
  if (index < 0 || index >= size) throw new RangeError(`A tree of ${size} leaves has no leaf ${index}.`);
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      path.unshift(await rangeHash(read, middle, end));
      end = middle;
    } else {
      path.unshift(await rangeHash(read, start, middle));
      start = middle;
    }
  }
  return path;
}

/**
 * What shows that the tree of `size` leaves begins with that of `oldSize`; empty where either has nothing to
 * show.
 */
export async function consistencyProof(read: HashReader, oldSize: number, size: number): Promise<Buffer[]> {
  if (oldSize < 0 || oldSize > size)
    throw new RangeError(`A tree of ${size} leaves cannot extend one of ${oldSize}.`);
  if (oldSize === 0 || oldSize === size) return [];
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  while (oldSize !== end) {
    const middle = start + splitOf(end - start);
    if (oldSize <= middle) {
      path.unshift(await rangeHash(read, middle, end));
      end = middle;
    } else {
      path.unshift(await rangeHash(read, start, middle));
      start = middle;
    }
  }
  // The old tree itself is known to whoever checks.
  if (start > 0) path.unshift(await rangeHash(read, start, end));
  return path;
}

const half = (n: number): number => Math.floor(n / 2);
const isOdd = (n: number): boolean => n % 2 === 1;

/** The root to which a path leads from a leaf (RFC 9162, section 2.1.3.2). Throws {@link ProofRefused}. */
export function rootFromInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Buffer {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size)
    throw new ProofRefused(`A tree of ${size} leaves has no leaf ${index}.`);
  let [place, last] = [index, size - 1];
  let hash: Buffer = Buffer.from(leaf);
  for (const beside of path) {
    if (last === 0) throw new ProofRefused('The path is longer than the way to the root.');
    if (isOdd(place) || place === last) {
      hash = nodeHash(beside, hash);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else hash = nodeHash(hash, beside);
    [place, last] = [half(place), half(last)];
  }
  if (last !== 0) throw new ProofRefused('The path ends before the root.');
  return hash;
}

export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** Holds where the new head extends the old one (RFC 9162, section 2.1.4.2). Throws {@link ProofRefused}. */
export function checkConsistency(old: TreeHead, now: TreeHead, path: readonly Uint8Array[]): void {
  if (old.size > now.size)
    throw new ProofRefused(`A tree of ${now.size} leaves cannot extend one of ${old.size}.`);
  if (old.size === 0 || old.size === now.size) {
    if (path.length > 0) throw new ProofRefused('There is nothing to prove, and yet there is a proof.');
    if (old.size > 0 && !old.root.equals(now.root)) throw new ProofRefused('Two roots of one size.');
    return;
  }
  const hashes = [...path];
  // A complete old tree is the first node of the proof itself.
  if (exponentOf(old.size) !== undefined) hashes.unshift(old.root);
  const [first, ...others] = hashes;
  if (first === undefined) throw new ProofRefused('The proof is empty.');
  let [place, last] = [old.size - 1, now.size - 1];
  while (isOdd(place)) [place, last] = [half(place), half(last)];
  let [oldRoot, root]: [Buffer, Buffer] = [Buffer.from(first), Buffer.from(first)];
  for (const beside of others) {
    if (last === 0) throw new ProofRefused('The proof is longer than the way to the root.');
    if (isOdd(place) || place === last) {
      oldRoot = nodeHash(beside, oldRoot);
      root = nodeHash(beside, root);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else root = nodeHash(root, beside);
    [place, last] = [half(place), half(last)];
  }
  if (last !== 0) throw new ProofRefused('The proof ends before the root.');
  if (!oldRoot.equals(old.root)) throw new ProofRefused('The proof does not lead to the old root.');
  if (!root.equals(now.root)) throw new ProofRefused('The proof does not lead to the new root.');
}
