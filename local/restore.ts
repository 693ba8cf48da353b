/**
 * `make restore FROM=folder`: brings a backup back into a data folder whose stack is stopped. The event
 * store's data of before are set aside, not removed; Redis, an alarm clock, begins anew. `BACK=1` gives up a
 * restore that was interrupted.
 */
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runLocalCommand } from './command.js';
import { claimFolder, endOrphans, refuseIfRunning, removeLock } from './launch/lock.js';
import { repositoryRoot } from './launch/program.js';
import {
  forgetRestore,
  goBack,
  interruptedRestore,
  restoreUnderWay,
  setAside,
  waysOn,
  type RestoreNote,
} from './restore-note.js';
import { BadLocalSetting, localSettings, type LocalSettings } from './settings.js';
import { operateAsItIs, operateOnStopped } from './stores.js';

async function restore(): Promise<number> {
  const root = repositoryRoot();
  const settings = localSettings(process.env, root);
  const { dataFolder, publicUrl } = settings;
  const { FROM, BACK } = process.env;
  if (BACK) return giveUp(dataFolder, publicUrl);
  if (!FROM) throw new BadLocalSetting('Say which backup: make restore FROM=folder');
  const from = resolve(root, FROM);
  assertIsBackup(from, dataFolder);
  refuseIfRunning(dataFolder);
  const code = await bringBack(settings, from);
  const left = restoreUnderWay(dataFolder);
  if (code !== 0) {
    if (left) console.error(unfinished(dataFolder, left));
    return code;
  }
  forgetRestore(dataFolder);
  if (left?.setAside !== undefined)
    console.log(`The event store’s data of before are in ${left.setAside}: remove them when you are sure.`);
  return 0;
}

const unfinished = (dataFolder: string, note: RestoreNote): string =>
  `A restore of ${dataFolder} is not finished. ${waysOn(note)}`;

/** Throws BadLocalSetting; where a restore was interrupted, with what can be done about that. */
function assertIsBackup(from: string, dataFolder: string): void {
  if (existsSync(join(from, 'backup.json'))) return;
  const left = restoreUnderWay(dataFolder);
  throw new BadLocalSetting(
    `${from} is no backup, or one that was interrupted: it has no backup.json.` +
      (left ? `\n${unfinished(dataFolder, left)}` : ''),
  );
}

async function bringBack(settings: LocalSettings, from: string): Promise<number> {
  const { dataFolder } = settings;
  // All that can be said against the backup, before anything is changed.
  const checked = await operateAsItIs(settings, ['restore', '--check', from]);
  if (checked !== 0) return checked;
  return operateOnStopped(settings, ['restore', from], {
    prepare() {
      setAside(dataFolder, from);
      forgetAlarms(dataFolder);
    },
  });
}

function forgetAlarms(dataFolder: string): void {
  rmSync(join(dataFolder, 'redis'), { recursive: true, force: true });
}

/**
 * `make restore BACK=1`: the event store's data of before an interrupted restore are in their place again.
 */
async function giveUp(dataFolder: string, publicUrl: string): Promise<number> {
  refuseIfRunning(dataFolder);
  interruptedRestore(dataFolder);
  // It may have left an event store behind that still writes.
  await endOrphans(dataFolder, console.error);
  claimFolder(dataFolder, publicUrl);
  try {
    // It may have been interrupted in the middle of that.
    forgetAlarms(dataFolder);
    goBack(dataFolder);
  } finally {
    removeLock(dataFolder);
  }
  console.log(
    'The event store has the data of before the restore again. What the restore had brought back into Postgres already stays there. ' +
      'Where the next start says that the log is in recovery, stop it and run: make recover',
  );
  return 0;
}

await runLocalCommand(restore);
