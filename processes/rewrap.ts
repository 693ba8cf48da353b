/**
 * The command that puts another master key in the place of the old one:
 *
 *     ENCORE_NEW_MASTER_KEY_FILE=… node dist/processes/rewrap.js
 *
 * Wraps every data key by the new one, all or none; docs/how-to/rotate-keys.md has the order of steps. Exits
 * 0, or 2 when it cannot be done.
 */
import pg from 'pg';
import { BadSetting } from '#contracts/configuration';
import { rewrap } from '#log/rewrap';
import { runCommand, type Verdict } from './shell/command.js';
import { readSettings } from './shell/settings.js';

async function run(): Promise<Verdict> {
  const settings = readSettings(['DATABASE_URL', 'ENCORE_MASTER_KEY', 'ENCORE_NEW_MASTER_KEY']);
  if (settings.ENCORE_NEW_MASTER_KEY === undefined)
    throw new BadSetting('ENCORE_NEW_MASTER_KEY is not set: the key to come.');
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
  const count = await rewrap(pool, settings.ENCORE_MASTER_KEY, settings.ENCORE_NEW_MASTER_KEY);
  return {
    status: 0,
    lines: [`${count} data keys are wrapped by the new master key now. Start the processes with it.`],
  };
}

await runCommand('The data keys could not be wrapped anew', run);
