/**
 * The command that wraps every data key by the present master key, while everything runs:
 *
 *     ENCORE_MASTER_KEY_FILE=… ENCORE_PREVIOUS_MASTER_KEY_FILE=… node dist/processes/rewrap.js
 *
 * Interrupted, it goes on when it is run again; docs/how-to/rotate-keys.md has the order of steps. Exits 0,
 * or 2 when it cannot be done.
 */
import pg from 'pg';
import { rewrap } from '#log/rewrap';
import { runCommand, type Verdict } from './shell/command.js';
import { withTrail } from './operate/operator-trail.js';
import { readSettings } from './shell/settings.js';

async function run(): Promise<Verdict> {
  const settings = readSettings(['DATABASE_URL', 'ENCORE_MASTER_KEY', 'ENCORE_PREVIOUS_MASTER_KEY']);
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
  const count = await rewrap(pool, settings.ENCORE_MASTER_KEY, settings.ENCORE_PREVIOUS_MASTER_KEY);
  return {
    status: 0,
    lines: [`${count} data keys are wrapped by the present master key now. None is wrapped by another.`],
  };
}

await runCommand('The data keys could not be wrapped anew', () => withTrail('rewrap', {}, run));
