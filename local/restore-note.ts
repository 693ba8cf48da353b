/**
 * A restore that was begun and not finished: nothing is started on what it left half-way, and there is a way
 * back.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BadLocalSetting } from './settings.js';

export interface RestoreNote {
  /** The backup's folder, absolute. */
  readonly from: string;
  /** Where the event store's data of before are; absent where there were none. */
  readonly setAside?: string;
  /** They are there: what stands in their place is the restore's. A note of before does not say. */
  readonly isMoved?: boolean;
}

const fileOf = (dataFolder: string): string => join(dataFolder, 'restore.json');

/** The restore under way; undefined where there is none. */
export function restoreUnderWay(dataFolder: string): RestoreNote | undefined {
  const file = fileOf(dataFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RestoreNote) : undefined;
}

/** What can be done about a restore that was interrupted. */
export const waysOn = ({ from }: RestoreNote): string =>
  `Run it again: make restore FROM=${from}. Or restore another backup in its place; or give it up, and have the data of before again: make restore BACK=1`;

/** Throws {@link BadLocalSetting} while a restore is under way. */
export function refuseHalfRestored(dataFolder: string): void {
  const note = restoreUnderWay(dataFolder);
  if (note)
    throw new BadLocalSetting(
      `A restore of ${dataFolder} was interrupted, and half of it is no ledger. ${waysOn(note)}`,
    );
}

const storeOf = (dataFolder: string): string => join(dataFolder, 'eventstore');

/**
 * The event store begins anew, and the data of before stay beside it. Of an interrupted restore of the same
 * backup what is there goes on; what that of another one has left makes room.
 */
export function setAside(dataFolder: string, from: string): void {
  const store = storeOf(dataFolder);
  const before = restoreUnderWay(dataFolder);
  const note = before ?? (existsSync(store) ? { from, setAside: asideName(store) } : { from });
  if (!before) noteRestore(dataFolder, note);
  if (isStillInPlace(note)) {
    if (existsSync(store)) renameSync(store, note.setAside);
  } else if (note.from !== from) rmSync(store, { recursive: true, force: true });
  // Last: until then the half of another backup is known as that.
  noteRestore(dataFolder, { ...note, from, ...(note.setAside !== undefined && { isMoved: true }) });
}

const asideName = (store: string): string =>
  `${store}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;

/** Whether the restore got no further than its note: the data of before were not set aside yet. */
const isStillInPlace = (note: RestoreNote): note is RestoreNote & { readonly setAside: string } =>
  note.setAside !== undefined && !note.isMoved && !existsSync(note.setAside);

/** The restore that can be given up. Throws {@link BadLocalSetting} where there is none. */
export function interruptedRestore(dataFolder: string): RestoreNote {
  const note = restoreUnderWay(dataFolder);
  if (note) return note;
  throw new BadLocalSetting(`No restore of ${dataFolder} was interrupted: there is nothing to go back from.`);
}

/**
 * Gives an interrupted restore up: the data of before are in their place again. Throws {@link
 * BadLocalSetting} where there are none any more.
 */
export function goBack(dataFolder: string): void {
  putBack(dataFolder);
  forgetRestore(dataFolder);
}

/** {@link goBack} up to its last step: the restore is still noted, as one that has not set anything aside. */
export function putBack(dataFolder: string): void {
  const store = storeOf(dataFolder);
  const note = interruptedRestore(dataFolder);
  if (isStillInPlace(note)) return;
  const { isMoved: _, ...asInPlace } = note;
  const { setAside: aside } = note;
  if (aside !== undefined && !existsSync(aside))
    throw new BadLocalSetting(
      `The data of before, ${aside}, are not there any more: restore a backup (make restore FROM=folder).`,
    );
  rmSync(store, { recursive: true, force: true });
  if (aside === undefined) return;
  // Before the rename: killed right after it, the data of before would otherwise pass for the restore's, to
  // be removed.
  noteRestore(dataFolder, asInPlace);
  renameSync(aside, store);
}

export function noteRestore(dataFolder: string, note: RestoreNote): void {
  const file = fileOf(dataFolder);
  writeFileSync(`${file}.unfinished`, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.unfinished`, file);
}

export function forgetRestore(dataFolder: string): void {
  rmSync(fileOf(dataFolder), { force: true });
}
