/**
 * `make restore FROM=folder`: brings a backup back into a data folder whose stack is stopped. The event store's
 * data of before are set aside, not removed; Redis, an alarm clock, begins anew.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AlreadyRuns, refuseIfRunning } from './launch/lock.js';
import { ProgramFailed, repositoryRoot } from './launch/program.js';
import { forgetRestore, noteRestore, restoreUnderWay } from './restore-note.js';
import { BadLocalSetting, localSettings } from './settings.js';
import { operateAsItIs, operateOnStopped } from './stores.js';

async function restore(): Promise<number> {
  const root = repositoryRoot();
  const settings = localSettings(process.env, root);
  const { dataFolder } = settings;
  const { FROM } = process.env;
  if (!FROM) throw new BadLocalSetting('Say which backup: make restore FROM=folder');
  const from = resolve(root, FROM);
  if (!existsSync(join(from, 'backup.json')))
    throw new BadLocalSetting(`${from} is no backup, or one that was interrupted: it has no backup.json.`);
  refuseIfRunning(dataFolder);
  const before = restoreUnderWay(dataFolder);
  if (before && before.from !== from)
    throw new BadLocalSetting(
      `A restore from ${before.from} was interrupted: finish it first (make restore FROM=${before.from}).`,
    );
  // All that can be said against the backup, before anything is changed.
  const checked = await operateAsItIs(settings, ['restore', '--check', from]);
  if (checked !== 0) return checked;
  const code = await operateOnStopped(settings, ['restore', from], {
    prepare() {
      setAside(dataFolder, from);
      rmSync(join(dataFolder, 'redis'), { recursive: true, force: true });
    },
  });
  if (code !== 0) return code;
  const setAsideTo = restoreUnderWay(dataFolder)?.setAside;
  forgetRestore(dataFolder);
  if (setAsideTo !== undefined)
    console.log(`The event store’s data of before are in ${setAsideTo}: remove them when you are sure.`);
  return 0;
}

/** The event store begins anew, and the data of before stay beside it. */
function setAside(dataFolder: string, from: string): void {
  const folder = join(dataFolder, 'eventstore');
  const before = restoreUnderWay(dataFolder);
  const to = before?.setAside ?? `${folder}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const isThere = existsSync(folder);
  if (!before) noteRestore(dataFolder, isThere ? { from, setAside: to } : { from });
  // Done already, where a restore that was interrupted goes on.
  if (isThere && !existsSync(to) && (!before || before.setAside)) renameSync(folder, to);
}

try {
  process.exitCode = await restore();
} catch (failure) {
  const known = [BadLocalSetting, AlreadyRuns, ProgramFailed].some((kind) => failure instanceof kind);
  if (!known) throw failure;
  console.error((failure as Error).message);
  process.exit(1);
}
