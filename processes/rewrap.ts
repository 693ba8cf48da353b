/**
 * The command that puts another master key in the place of the old one:
 *
 *     ENCORE_NEW_MASTER_KEY_FILE=… node dist/processes/rewrap.js
 *
 * Wraps every data key by the new one, all or none; docs/how-to/rotate-keys.md has the order of steps. Exits
 * 0, or 2 when it cannot be done.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { BadSetting, configurationFrom } from '#contracts/configuration';
import { NotWrappedByIt, rewrap } from '#log/vault';

async function main(): Promise<void> {
  const settings = configurationFrom(
    ['DATABASE_URL', 'ENCORE_MASTER_KEY', 'ENCORE_NEW_MASTER_KEY'],
    process.env,
    (path) => readFileSync(path, 'utf8'),
  );
  if (settings.ENCORE_NEW_MASTER_KEY === undefined)
    throw new BadSetting('ENCORE_NEW_MASTER_KEY is not set: the key to come.');
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
  try {
    const count = await rewrap(pool, settings.ENCORE_MASTER_KEY, settings.ENCORE_NEW_MASTER_KEY);
    process.stdout.write(
      `${count} data keys are wrapped by the new master key now. Start the processes with it.\n`,
    );
  } finally {
    await pool.end();
  }
}

main().catch((error: unknown) => {
  const known = error instanceof BadSetting || error instanceof NotWrappedByIt;
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(known ? `${words}\n` : `The data keys could not be wrapped anew: ${words}\n`);
  process.exitCode = 2;
});
