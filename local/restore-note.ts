/** A restore that was begun and not finished: nothing is started on what it left half-way. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BadLocalSetting } from './settings.js';

interface RestoreNote {
  /** The backup's folder, absolute. */
  readonly from: string;
  /** Where the event store's data of before are; absent where there were none. */
  readonly setAside?: string;
}

const fileOf = (dataFolder: string): string => join(dataFolder, 'restore.json');

/** The restore under way; undefined where there is none. */
export function restoreUnderWay(dataFolder: string): RestoreNote | undefined {
  const file = fileOf(dataFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RestoreNote) : undefined;
}

/** Throws {@link BadLocalSetting} while a restore is under way. */
export function refuseHalfRestored(dataFolder: string): void {
  const note = restoreUnderWay(dataFolder);
  if (note)
    throw new BadLocalSetting(
      `A restore of ${dataFolder} was interrupted, and half of it is no ledger. Run it again: make restore FROM=${note.from}`,
    );
}

export function noteRestore(dataFolder: string, note: RestoreNote): void {
  const file = fileOf(dataFolder);
  writeFileSync(`${file}.unfinished`, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.unfinished`, file);
}

export function forgetRestore(dataFolder: string): void {
  rmSync(fileOf(dataFolder), { force: true });
}
