/**
 * The command that builds the read models anew from the log, beside the live ones, and puts them in their place:
 *
 *     node dist/projections/rebuild.js [--compare-only]
 *
 * Prints how each table compared. Exits 0; with `--compare-only` 1 when a live row differs from the log; 2 when it cannot run.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { configurationFrom } from '#contracts/configuration';
import { EsdbLog } from '#ledger/eventstore/esdb';
import { Vault } from '#ledger/vault/vault';
import { readCheckpoints } from './engine/checkpoints.js';
import { openReadPool, plainMessage } from './engine/database.js';
import { comparisonLines, isSame, placeText, rebuild } from './engine/rebuild.js';
import { readModels } from './read-models.js';

async function main(): Promise<number> {
  const unknown = process.argv.slice(2).find((word) => word !== '--compare-only');
  if (unknown !== undefined) {
    process.stderr.write(`"${unknown}" is not known. Usage: rebuild [--compare-only]\n`);
    return 2;
  }
  const compareOnly = process.argv.includes('--compare-only');
  const settings = configurationFrom(['EVENTSTORE_URL', 'DATABASE_URL', 'ENCORE_MASTER_KEY'], process.env, (path) =>
    readFileSync(path, 'utf8'),
  );
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const pool = openReadPool(settings.DATABASE_URL, 5);
  const keys = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 5 });
  keys.on('error', () => undefined);
  try {
    if ((await readCheckpoints(pool)).length === 0) {
      process.stderr.write('There are no read models yet: start the projections once.\n');
      return 2;
    }
    const vault = await Vault.open(keys, settings.ENCORE_MASTER_KEY);
    const began = Date.now();
    const report = await rebuild({
      databaseUrl: settings.DATABASE_URL,
      log,
      models: readModels(vault),
      compare: true,
      swap: !compareOnly,
    });
    const seconds = Math.max(0.001, (Date.now() - began) / 1000);
    process.stdout.write(
      [
        `Replayed ${report.events} events up to ${placeText(report.position)} in ${seconds.toFixed(1)} s.`,
        ...comparisonLines(report.tables),
        report.swapped ? 'The rebuilt read models are live.' : 'The live read models were left as they are.',
        '',
      ].join('\n'),
    );
    return compareOnly && !isSame(report.tables) ? 1 : 0;
  } finally {
    await Promise.all([pool.end(), keys.end(), log.close()]);
  }
}

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`The read models could not be rebuilt: ${plainMessage(error)}\n`);
    process.exitCode = 2;
  },
);
