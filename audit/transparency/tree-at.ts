/** A published tree that is read over the web, as a witness or an auditor reads it. */
import { NoteRefused } from '#log/transparency/note';
import { HASH_BYTES, TILE_WIDTH, tilePath } from '#log/transparency/tiles';
import type { TreeSource } from '#log/transparency/tree-source';

const WITHIN_MS = 10_000;
const LARGEST_BYTES = 64 * 1024;

/** A tree that is published at an address, such as https://encore.example/transparency. */
export function treeAt(address: string): TreeSource {
  const base = address.replace(/\/+$/, '');
  const get = async (name: string): Promise<Buffer | undefined> => {
    const answer = await fetch(`${base}/${name}`, {
      signal: AbortSignal.timeout(WITHIN_MS),
      redirect: 'error',
    });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new RangeError(`${base}/${name} was answered with ${answer.status}.`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (bytes.length > LARGEST_BYTES)
      throw new NoteRefused(`${base}/${name} is larger than anything that is published.`);
    return bytes;
  };
  const text = async (name: string): Promise<string | undefined> => (await get(name))?.toString('utf8');
  return {
    checkpoint: () => text('checkpoint'),
    journalNote: () => text('journal'),
    verifierKey: () => text('verifier-key'),
    async tile(tile) {
      const found = (await get(tilePath(tile))) ?? (await get(tilePath({ ...tile, width: TILE_WIDTH })));
      if (!found) throw new RangeError(`${base} has no ${tilePath(tile)}.`);
      return found.subarray(0, tile.width * HASH_BYTES);
    },
  };
}
