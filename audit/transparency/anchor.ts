/**
 * An anchor: a signed head of the tree and the note beside it, as somebody outside keeps them. It comes from
 * a file, from the folder of the published tree, or from its address.
 */
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import {
  openCheckpoint,
  openJournalNote,
  type Checkpoint,
  type JournalNote,
} from '#log/transparency/checkpoint';
import { NoteRefused, verifierFrom } from '#log/transparency/note';
import { TreeFolder } from '#log/transparency/tree-folder';
import type { TreeSource } from '#log/transparency/tree-source';
import { treeAt } from './tree-at.js';

export const AnchorFile = z.object({
  format: z.literal('encore-anchor/1'),
  checkpoint: z.string(),
  /** The note of where the journal ended. */
  journal: z.string(),
  verifierKey: z.string(),
});
export type AnchorFile = z.infer<typeof AnchorFile>;

/** An anchor whose signatures hold. */
export interface Anchor {
  readonly head: Checkpoint;
  readonly note: JournalNote;
  readonly file: AnchorFile;
}

/** There is no anchor at a place; the message says what was expected there. */
export class NoAnchor extends Error {
  override readonly name = 'NoAnchor';
}

const isAddress = (place: string): boolean => /^https?:\/\//.test(place);

/** The published tree at a folder or address. */
const treeSourceAt = (place: string): TreeSource =>
  isAddress(place) ? treeAt(place) : new TreeFolder(place);

async function publishedAt(place: string): Promise<AnchorFile> {
  const tree = treeSourceAt(place);
  const [checkpoint, journal, verifierKey] = await Promise.all([
    tree.checkpoint(),
    tree.journalNote(),
    tree.verifierKey(),
  ]);
  if (checkpoint === undefined || journal === undefined || verifierKey === undefined)
    throw new NoAnchor(`No head of a tree is published at ${place} yet.`);
  return { format: 'encore-anchor/1', checkpoint, journal, verifierKey: verifierKey.trim() };
}

async function keptIn(file: string): Promise<AnchorFile> {
  try {
    return AnchorFile.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    throw new NoAnchor(`${file} is no anchor: \`encore audit anchor --out FILE\` writes one.`);
  }
}

/**
 * Reads an anchor and checks its signatures: by `key` where that is given, else by the key that comes with
 * it, which shows nothing to whoever does not know it. Throws {@link NoAnchor} or {@link NoteRefused}.
 */
export async function anchorFrom(place: string, key?: string): Promise<Anchor> {
  const found = isAddress(place) ? undefined : await stat(place).catch(() => undefined);
  if (!isAddress(place) && found === undefined) throw new NoAnchor(`There is nothing at ${place}.`);
  const file = found?.isFile() === true ? await keptIn(place) : await publishedAt(place);
  const verifier = verifierFrom(key ?? file.verifierKey);
  const head = openCheckpoint(file.checkpoint, verifier);
  const note = openJournalNote(file.journal, verifier);
  if (note.origin !== head.origin) throw new NoteRefused('The head and the note beside it are of two trees.');
  return { head, note, file: { ...file, verifierKey: verifier.text } };
}
