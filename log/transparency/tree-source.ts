/** A published tree, wherever it is read: a folder, or an address of the web. */
import type { Checkpoint, JournalNote } from './checkpoint.js';
import type { Tile } from './tiles.js';

export interface TreeSource {
  /** The signed checkpoint; undefined before the first. */
  checkpoint(): Promise<string | undefined>;
  /** The signed note of where the journal ended. */
  journalNote(): Promise<string | undefined>;
  verifierKey(): Promise<string | undefined>;
  tile(tile: Tile): Promise<Buffer>;
}

/** The head that was signed last, checked. */
export interface KnownHead extends Checkpoint {
  /** As signed. */
  readonly checkpoint: string;
  readonly verifierKey: string;
  readonly note: JournalNote;
}
