/**
 * The command that builds the read models anew from the log, beside the live ones, and puts them in their
 * place:
 *
 *     node dist/processes/rebuild.js [--compare-only]
 *
 * Prints how each table compared. It finds the stack of `make start` by itself, as `encore` does. Exits 0;
 * with `--compare-only` 1 when a live row differs from the log; 2 when it cannot run.
 */
import { EsdbLog } from '#log/esdb';
import { readCheckpoints } from '#projections/engine/checkpoints';
import { openReadPool } from '#projections/engine/database';
import { comparisonLines, isSame, placeText, rebuild } from '#projections/engine/rebuild';
import { withLocalStack } from './encore/running-stack.js';
import { openReadModels } from './shell/read-models.js';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';
import { withTrail } from './operate/operator-trail.js';
import { MASTER_KEY_SETTINGS, readSettings } from './shell/settings.js';

const COMPARE_ONLY = '--compare-only';

const USAGE = `Usage: rebuild [${COMPARE_ONLY}]`;

async function rebuildOrCompare(compareOnly: boolean): Promise<Verdict> {
  const settings = readSettings(['EVENTSTORE_URL', 'DATABASE_URL', ...MASTER_KEY_SETTINGS]);
  const databaseUrl = settings.DATABASE_URL;
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  if ((await readCheckpoints(openReadPool(databaseUrl, 1))).length === 0)
    throw new CannotRun('There are no read models yet: start the projections once.');
  const { models } = await openReadModels(settings);
  const began = Date.now();
  const report = await rebuild({ databaseUrl, log, models, compare: true, swap: !compareOnly });
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  return {
    status: compareOnly && !isSame(report.tables) ? 1 : 0,
    lines: [
      `Replayed ${report.events} events up to ${placeText(report.position)} in ${seconds} s.`,
      ...comparisonLines(report.tables),
      report.swapped ? 'The rebuilt read models are live.' : 'The live read models were left as they are.',
    ],
  };
}

await runCommand('The read models could not be rebuilt', async (words) => {
  if (words.includes('--help')) return { status: 0, lines: [USAGE] };
  const unknown = words.find((word) => word !== COMPARE_ONLY);
  if (unknown !== undefined) throw new CannotRun(`"${unknown}" is not known. ${USAGE}`);
  const compareOnly = words.includes(COMPARE_ONLY);
  return withLocalStack('operate', words, () =>
    withTrail('rebuild', compareOnly ? undefined : {}, () => rebuildOrCompare(compareOnly)),
  );
});
