/** The way from an entry to the signed root, step by step in words. */
import { inclusionProof, rootOf } from '#log/transparency/merkle';
import type { Anchor } from '../transparency/anchor.js';
import type { LogTree } from '../transparency/log-tree.js';
import type { InclusionProof, ProofStep } from './report.js';
import { count } from './words.js';

/**
 * What proves the log's events by a signed head: given an event's place in the tree and its hash, its proof,
 * or undefined where the head was signed before it. Undefined where this is not the log over which the head
 * was signed: verify says so, and nothing can be proven by it.
 */
export async function proverOf(
  tree: LogTree,
  { head, note }: Anchor,
): Promise<((index: number, hash: string) => Promise<InclusionProof | undefined>) | undefined> {
  if (head.size > tree.size) return undefined;
  const hashes = tree.hashes(head.size);
  if (!(await rootOf(hashes, head.size)).equals(head.root)) return undefined;
  return async (index, hash) => {
    if (index >= head.size) return undefined;
    const path = await inclusionProof(hashes, index, head.size);
    return {
      leafHash: hash,
      steps: stepsOf({ index, size: head.size, path }),
      rootHash: head.root.toString('base64'),
      publishedAt: note.signedAt.toISOString(),
    };
  };
}

interface Way {
  readonly index: number;
  readonly size: number;
  readonly path: readonly Buffer[];
}

/** What each hash of a path covers: so many events before this one, or after it. */
export function stepsOf({ index, size, path }: Way): ProofStep[] {
  let [place, last, width] = [index, size - 1, 1];
  const up = (): void => {
    [place, last, width] = [Math.floor(place / 2), Math.floor(last / 2), width * 2];
  };
  return path.map((hash) => {
    // The last node of a level without a neighbour goes up as it is.
    while (place % 2 === 0 && place === last && place > 0) up();
    const isBefore = place % 2 === 1;
    const covered = isBefore ? width : Math.min(width, size - (place + 1) * width);
    up();
    return {
      with: `with ${covered === 1 ? 'the event' : `${count(covered)} events`} ${isBefore ? 'before' : 'after'}`,
      hash: hash.toString('base64'),
    };
  });
}
