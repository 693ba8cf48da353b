/**
 * The published tree as files of one folder, which one process writes and any may read: `checkpoint`,
 * `journal` (the note of where the journal ended), `verifier-key`, `tile/…` and `journal-leaves`. All but the
 * last is public as it lies there.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownHead, TreeSource } from './tree-source.js';
import { openCheckpoint, openJournalNote } from './checkpoint.js';
import { inclusionProof, leafHash, rootFromInclusion } from './merkle.js';
import { verifierFrom } from './note.js';
import { HASH_BYTES, hashesFromTiles, TILE_WIDTH, tilePath, type Tile } from './tiles.js';

export const CHECKPOINT_FILE = 'checkpoint';
export const JOURNAL_NOTE_FILE = 'journal';
export const VERIFIER_KEY_FILE = 'verifier-key';
/**
 * Of each entry of the journal, by revision: its leaf's place in the tree as 8 bytes, big-endian, and its
 * hash.
 */
export const JOURNAL_LEAVES_FILE = 'journal-leaves';
export const JOURNAL_LEAF_BYTES = 8 + HASH_BYTES;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** A file's bytes; undefined where there is none. */
export async function bytesIn(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const textIn = async (folder: string, name: string): Promise<string | undefined> =>
  (await bytesIn(folder, name))?.toString('utf8');

/** What a folder publishes. */
export class TreeFolder implements TreeSource {
  constructor(private readonly folder: string) {}

  checkpoint(): Promise<string | undefined> {
    return textIn(this.folder, CHECKPOINT_FILE);
  }

  journalNote(): Promise<string | undefined> {
    return textIn(this.folder, JOURNAL_NOTE_FILE);
  }

  verifierKey(): Promise<string | undefined> {
    return textIn(this.folder, VERIFIER_KEY_FILE);
  }

  /** A tile that was full meanwhile stands for any part of it. Throws RangeError where there is none. */
  async tile(tile: Tile): Promise<Buffer> {
    const found =
      (await bytesIn(this.folder, tilePath(tile))) ??
      (await bytesIn(this.folder, tilePath({ ...tile, width: TILE_WIDTH })));
    if (!found) throw new RangeError(`The tile ${tilePath(tile)} is missing in ${this.folder}.`);
    return found.subarray(0, tile.width * HASH_BYTES);
  }

  /**
   * The head that was signed last, and the note beside it; undefined before the first. Throws {@link
   * NoteRefused} for one that its key has not signed.
   */
  async head(): Promise<KnownHead | undefined> {
    const [key, checkpoint, note] = await Promise.all([
      this.verifierKey(),
      this.checkpoint(),
      this.journalNote(),
    ]);
    if (key === undefined || checkpoint === undefined || note === undefined) return undefined;
    const verifier = verifierFrom(key);
    return {
      ...openCheckpoint(checkpoint, verifier),
      checkpoint,
      verifierKey: verifier.text,
      note: openJournalNote(note, verifier),
    };
  }

  /** Where an entry of the journal stands in the tree; undefined for one that is not in it yet. */
  async journalLeaf(
    revision: number,
  ): Promise<{ readonly index: number; readonly leaf: Buffer } | undefined> {
    let file;
    try {
      file = await open(join(this.folder, JOURNAL_LEAVES_FILE), 'r');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const bytes = Buffer.alloc(JOURNAL_LEAF_BYTES);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, revision * bytes.length);
      if (bytesRead < bytes.length) return undefined;
      return { index: Number(bytes.readBigUInt64BE()), leaf: bytes.subarray(8) };
    } finally {
      await file.close();
    }
  }
}

/** Proves that an entry stands in the published tree. */
export interface JournalProof extends KnownHead {
  /** The entry's hash in its chain: what the leaf holds. */
  readonly leaf: Buffer;
  readonly index: number;
  readonly path: readonly Buffer[];
}

/**
 * The proof of an entry of the journal; `pending` while it is in no signed head, `none` where there is no
 * tree. Throws {@link NoteRefused} or {@link ProofRefused} where what lies in the folder does not hold.
 */
export async function proofOf(folder: string, revision: number): Promise<JournalProof | 'pending' | 'none'> {
  const tree = new TreeFolder(folder);
  // The head first: what is known of a leaf only grows.
  const head = await tree.head();
  if (head === undefined) return (await tree.verifierKey()) === undefined ? 'none' : 'pending';
  const known = await tree.journalLeaf(revision);
  if (known === undefined || known.index >= head.size) return 'pending';
  const { index, leaf } = known;
  const path = await inclusionProof(
    hashesFromTiles((tile) => tree.tile(tile), head.size),
    index,
    head.size,
  );
  const root = rootFromInclusion(leafHash(leaf), index, head.size, path);
  if (!root.equals(head.root)) throw new RangeError(`The tiles in ${folder} do not lead to the signed root.`);
  return { ...head, leaf, index, path };
}
