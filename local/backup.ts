/** `make backup BACKUP=folder`: what has to be kept of a data folder, also while its stack runs. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { runLocalCommand } from './command.js';
import { repositoryRoot } from './launch/program.js';
import { refuseHalfRestored } from './restore-note.js';
import { BadLocalSetting, localSettings } from './settings.js';
import { isRunning, operateAsItIs, operateOnStopped } from './stores.js';

async function backup(): Promise<number> {
  const root = repositoryRoot();
  const settings = localSettings(process.env, root);
  const { BACKUP: folder } = process.env;
  if (!folder) throw new BadLocalSetting('Say where the backup goes: make backup BACKUP=folder');
  if (!existsSync(settings.dataFolder))
    throw new BadLocalSetting(`There is no data in ${settings.dataFolder} to back up.`);
  refuseHalfRestored(settings.dataFolder);
  const words = ['backup', resolve(root, folder)];
  const code = await (isRunning(settings) ? operateAsItIs : operateOnStopped)(settings, words);
  if (code === 0 && !process.env.ENCORE_MASTER_KEY && !process.env.ENCORE_MASTER_KEY_FILE)
    console.log(`The master key is in ${settings.dataFolder}/secrets.json.`);
  return code;
}

await runLocalCommand(backup);
