/** `make reset`: forgets the data folder, unless a stack runs on it. */
import { existsSync, rmSync } from 'node:fs';
import { runLocalCommand } from './command.js';
import { endOrphans, isOurs, refuseIfRunning } from './launch/lock.js';
import { repositoryRoot } from './launch/program.js';
import { BadLocalSetting, localSettings } from './settings.js';

async function reset(): Promise<void> {
  const { dataFolder } = localSettings(process.env, repositoryRoot());
  if (!existsSync(dataFolder)) {
    console.log(`There is no data in ${dataFolder}.`);
    return;
  }
  refuseIfRunning(dataFolder);
  if (!isOurs(dataFolder))
    throw new BadLocalSetting(`${dataFolder} was not made by Encore, so it is left as it is.`);
  await endOrphans(dataFolder, console.error);
  rmSync(dataFolder, { recursive: true, force: true });
  console.log(`All data in ${dataFolder} is gone.`);
}

await runLocalCommand(reset);
