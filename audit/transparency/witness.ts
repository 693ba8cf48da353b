/**
 * A witness: somebody else than whoever signs heads, who keeps the last one and signs only what extends it.
 * Its state is one file, written before it says that it has seen a head. Another tree, such as that of a new
 * epoch, is admitted by the witness' operator alone.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openCheckpoint, type Checkpoint } from '#log/transparency/checkpoint';
import { checkConsistency, consistencyProof, ProofRefused } from '#log/transparency/merkle';
import { cosignature, NoteRefused, parseNote, type Signer, type Verifier } from '#log/transparency/note';
import { hashesFromTiles } from '#log/transparency/tiles';
import type { TreeSource } from '#log/transparency/tree-source';

const SEEN_FILE = 'seen';

/** The head does not extend what was seen, or is of another tree; the message says which. */
export class HeadRefused extends Error {
  override readonly name = 'HeadRefused';
}

interface WitnessParts {
  /** What belongs to this witness alone. */
  readonly folder: string;
  readonly signer: Signer;
  /** The key of the tree, from elsewhere than the tree itself. */
  readonly treeKey: Verifier;
  readonly now?: () => Date;
}

interface SeenHead extends Checkpoint {
  /** The checkpoint with the witness' own signature. */
  readonly cosigned: string;
}

export class Witness {
  constructor(private readonly parts: WitnessParts) {}

  /** What was seen last; undefined before the first. Throws NoteRefused for a damaged state. */
  async seen(): Promise<SeenHead | undefined> {
    let cosigned: string;
    try {
      cosigned = await readFile(join(this.parts.folder, SEEN_FILE), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return { ...openCheckpoint(cosigned, this.parts.treeKey), cosigned };
  }

  /**
   * Looks at the head that is published, and signs it where it extends the one seen last. `admit`: the name
   * of a tree that its operator lets in in place of the one seen so far. Throws {@link HeadRefused}.
   */
  async look(tree: TreeSource, admit?: string): Promise<SeenHead> {
    const checkpoint = await tree.checkpoint();
    if (checkpoint === undefined) throw new HeadRefused('No head is published yet.');
    const head = this.#opened(checkpoint);
    const seen = await this.seen();
    const isNewTree = seen === undefined || (seen.origin !== head.origin && admit === head.origin);
    if (admit !== undefined && seen !== undefined && !isNewTree && seen.origin !== head.origin)
      throw new HeadRefused(`The published tree is ${head.origin} and not ${admit}.`);
    if (!isNewTree) await this.#assertExtends(tree, seen, head);
    // A head that is no larger is not signed again: what was said of it stands.
    if (!isNewTree && seen.size === head.size) return seen;
    return this.#keep(checkpoint, head);
  }

  #opened(checkpoint: string): Checkpoint {
    try {
      return openCheckpoint(checkpoint, this.parts.treeKey);
    } catch (error) {
      throw error instanceof NoteRefused
        ? new HeadRefused(`The published head is refused: ${error.message}`)
        : error;
    }
  }

  async #assertExtends(tree: TreeSource, seen: SeenHead, head: Checkpoint): Promise<void> {
    if (seen.origin !== head.origin)
      throw new HeadRefused(
        `The published tree is ${head.origin}, and ${seen.origin} was seen so far. If its operator has said why, admit it: --admit ${head.origin}`,
      );
    if (head.size < seen.size)
      throw new HeadRefused(
        `The published head has ${head.size} events, and ${seen.size} were seen: the past was cut off.`,
      );
    try {
      const hashes = hashesFromTiles((tile) => tree.tile(tile), head.size);
      checkConsistency(seen, head, await consistencyProof(hashes, seen.size, head.size));
    } catch (error) {
      if (!(error instanceof ProofRefused)) throw error;
      throw new HeadRefused(
        `The published head of ${head.size} events does not extend the one of ${seen.size} that was seen: the past was changed. ${error.message}`,
      );
    }
  }

  /** The state first: what was signed must never be forgotten. */
  async #keep(checkpoint: string, head: Checkpoint): Promise<SeenHead> {
    const { folder, signer, now = () => new Date() } = this.parts;
    const { text } = parseNote(checkpoint);
    const cosigned = checkpoint + cosignature(text, signer, Math.floor(now().getTime() / 1_000));
    await mkdir(folder, { recursive: true });
    const unfinished = join(folder, `${SEEN_FILE}.unfinished`);
    const file = await open(unfinished, 'w', 0o644);
    try {
      await file.writeFile(cosigned);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, SEEN_FILE));
    return { ...head, cosigned };
  }
}
