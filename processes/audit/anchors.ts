/**
 * The anchors that a verb of the audit is told of, and that of the published tree where the settings name its
 * folder.
 */
import type { Command } from 'commander';
import { anchorFrom, NoAnchor, type Anchor } from '#audit/transparency/anchor';
import { ProofRefused } from '#log/transparency/merkle';
import { NoteRefused } from '#log/transparency/note';
import { TreeFolder } from '#log/transparency/tree-folder';
import { CannotRun } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

export interface AnchorOptions {
  readonly anchor?: string | undefined;
  readonly key?: string | undefined;
}

/** Adds `--anchor` and `--key`. */
export const takingAnchor = (command: Command): Command =>
  command
    .option(
      '--anchor <place>',
      'a signed head: a file of "audit anchor --out", or the folder or address of a published tree',
    )
    .option('--key <verifier-key>', 'the public key of the tree, from elsewhere than the tree itself');

const treeFolder = (): string | undefined => readSettings(['ENCORE_TRANSPARENCY']).ENCORE_TRANSPARENCY;

/**
 * The anchor that is named, or the one that is published; undefined where there is none. Throws CannotRun.
 */
export async function anchorIfAny({ anchor, key }: AnchorOptions): Promise<Anchor | undefined> {
  const folder = treeFolder();
  const published = folder !== undefined && (await new TreeFolder(folder).checkpoint()) !== undefined;
  const place = anchor ?? (published ? folder : undefined);
  return place === undefined ? undefined : plainly(anchorFrom(place, key));
}

/** The same, where there must be one. */
export async function anchorOf(options: AnchorOptions): Promise<Anchor> {
  const found = await anchorIfAny(options);
  if (!found)
    throw new CannotRun(
      'Name a signed head with --anchor: a file, or the folder or address of a published tree.',
    );
  return found;
}

/** What cannot be proven is told as a sentence. Throws CannotRun. */
export async function plainly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NoAnchor || error instanceof NoteRefused || error instanceof ProofRefused)
      throw new CannotRun(error.message);
    throw error;
  }
}
