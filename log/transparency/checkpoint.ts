/**
 * What is signed: the head of the tree (C2SP tlog-checkpoint), and beside it a note of where the journal
 * ended, which a starting ledger compares with the log.
 */
import { NoteRefused, openNote, signedNote, type Signer, type Verifier } from './note.js';
import { HASH_BYTES } from './tiles.js';
import type { TreeHead } from './merkle.js';

/** A head as its text says it. */
export interface Checkpoint extends TreeHead {
  /** Which tree it is. */
  readonly origin: string;
}

const decimal = /^(?:0|[1-9]\d{0,15})$/;

const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** Reads the text of a checkpoint. Throws {@link NoteRefused}. */
export function checkpointFrom(text: string): Checkpoint {
  const [origin = '', size = '', root64 = ''] = text.split('\n');
  const root = Buffer.from(root64, 'base64');
  if (
    origin === '' ||
    !decimal.test(size) ||
    root.length !== HASH_BYTES ||
    root.toString('base64') !== root64
  )
    throw new NoteRefused('This is not a checkpoint: it begins with the tree’s name, its size and its root.');
  return { origin, size: Number(size), root };
}

export const signCheckpoint = (head: Checkpoint, signer: Signer): string =>
  signedNote(checkpointText(head), signer);

/** The head that a signed checkpoint says. Throws {@link NoteRefused}. */
export const openCheckpoint = (note: string, by: Verifier): Checkpoint =>
  checkpointFrom(openNote(note, by).text);

/** Where the journal ended when a head was signed. */
export interface JournalNote {
  readonly origin: string;
  /** The size of the tree beside which it stands. */
  readonly size: number;
  readonly signedAt: Date;
  /** The journal's last entry; undefined for an empty journal. */
  readonly journal: { readonly revision: number; readonly hash: string } | undefined;
}

const JOURNAL_NOTE =
  /^(\S+)\/journal\ntree (\d{1,16})\nsigned (\S+)\n(?:revision (\d{1,16})\nhash ([A-Za-z0-9_-]{43})\n)?$/;

export function signJournalNote({ origin, size, signedAt, journal }: JournalNote, signer: Signer): string {
  const end = journal ? `revision ${journal.revision}\nhash ${journal.hash}\n` : '';
  return signedNote(`${origin}/journal\ntree ${size}\nsigned ${signedAt.toISOString()}\n${end}`, signer);
}

/** Reads a signed note of the journal's end. Throws {@link NoteRefused}. */
export function openJournalNote(note: string, by: Verifier): JournalNote {
  const match = JOURNAL_NOTE.exec(openNote(note, by).text);
  if (!match || Number.isNaN(Date.parse(match[3]!)))
    throw new NoteRefused('This is not a note of where the journal ended.');
  const [, origin = '', size, signedAt = '', revision, hash] = match;
  return {
    origin,
    size: Number(size),
    signedAt: new Date(signedAt),
    journal: revision === undefined || hash === undefined ? undefined : { revision: Number(revision), hash },
  };
}
