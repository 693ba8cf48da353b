/**
 * The command that builds the read models anew from the log, beside the live ones, and puts them in their
 * place:
 *
 *     node dist/processes/rebuild.js [--compare-only]
 *
 * Prints how each table compared. Exits 0; with `--compare-only` 1 when a live row differs from the log; 2
 * when it cannot run.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { configurationFrom } from '#contracts/configuration';
import { EsdbLog } from '#log/esdb';
import { Vault } from '#log/vault';
import { readCheckpoints } from '#projections/engine/checkpoints';
import { openReadPool, plainMessage } from '#projections/engine/database';
import { comparisonLines, isSame, placeText, rebuild } from '#projections/engine/rebuild';
import { readModels } from '#projections/read-models';

// A rebuild that ends without its last word has not been done.
process.exitCode = 2;

/** Connections are not closed one by one: the last word is written, and the process ends. */
function end(status: number, to: NodeJS.WriteStream, lines: readonly string[]): void {
  to.write(`${lines.join('\n')}\n`, () => process.exit(status));
}

async function main(): Promise<void> {
  const unknown = process.argv.slice(2).find((word) => word !== '--compare-only');
  if (unknown !== undefined)
    return end(2, process.stderr, [`"${unknown}" is not known. Usage: rebuild [--compare-only]`]);
  const compareOnly = process.argv.includes('--compare-only');
  const settings = configurationFrom(
    ['EVENTSTORE_URL', 'DATABASE_URL', 'ENCORE_MASTER_KEY'],
    process.env,
    (path) => readFileSync(path, 'utf8'),
  );
  const databaseUrl = settings.DATABASE_URL;
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  if ((await readCheckpoints(openReadPool(databaseUrl, 1))).length === 0)
    return end(2, process.stderr, ['There are no read models yet: start the projections once.']);
  const keys = new pg.Pool({ connectionString: databaseUrl, max: 5 });
  keys.on('error', () => undefined);
  const models = readModels(await Vault.open(keys, settings.ENCORE_MASTER_KEY));
  const began = Date.now();
  const report = await rebuild({ databaseUrl, log, models, compare: true, swap: !compareOnly });
  end(compareOnly && !isSame(report.tables) ? 1 : 0, process.stdout, [
    `Replayed ${report.events} events up to ${placeText(report.position)} in ${((Date.now() - began) / 1000).toFixed(1)} s.`,
    ...comparisonLines(report.tables),
    report.swapped ? 'The rebuilt read models are live.' : 'The live read models were left as they are.',
  ]);
}

main().catch((error: unknown) => {
  end(2, process.stderr, [`The read models could not be rebuilt: ${plainMessage(error)}`]);
});
