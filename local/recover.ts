/**
 * `make recover`: wins back what the log of a data folder has lost, from its archive and the card provider.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runLocalCommand } from './command.js';
import { refuseIfRunning } from './launch/lock.js';
import { repositoryRoot } from './launch/program.js';
import { refuseHalfRestored } from './restore-note.js';
import { BadLocalSetting, localSettings } from './settings.js';
import { operateOnStopped, STORES } from './stores.js';

async function recover(): Promise<number> {
  const settings = localSettings(process.env, repositoryRoot());
  const { dataFolder } = settings;
  if (!existsSync(dataFolder)) throw new BadLocalSetting(`There is no data in ${dataFolder}.`);
  refuseIfRunning(dataFolder);
  refuseHalfRestored(dataFolder);
  const report = join(dataFolder, `recovery-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.txt`);
  return operateOnStopped(settings, ['recover', '--report', report], { parts: [...STORES, 'stripe'] });
}

await runLocalCommand(recover);
