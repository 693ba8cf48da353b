/**
 * The finance tool, over the log and not through the app:
 *
 *     node dist/audit/main.js verify [--events-only]
 *
 * `verify` reads the whole log and prints what holds and what does not; `--events-only` leaves Postgres alone. Exits 0 when
 * the books are in order, 1 when they are not, 2 when it was called wrongly or a store cannot be reached.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { configurationFrom } from '#contracts/configuration';
import { EsdbLog } from '#ledger/eventstore/esdb';
import { Vault } from '#ledger/vault/vault';
import { openReadPool, plainMessage } from '#projections/engine/database';
import { readModels } from '#projections/read-models';
import { hasPassed, reportLines, type Check } from './report.js';
import { verify } from './verify.js';

const USAGE = 'Usage: audit verify [--events-only]';

/** Called wrongly; the message says how. */
class BadUsage extends Error {
  override readonly name = 'BadUsage';
}

interface Order {
  readonly eventsOnly: boolean;
}

function orderFrom(words: readonly string[]): Order {
  const [verb, ...options] = words;
  if (verb === undefined) throw new BadUsage(USAGE);
  if (verb !== 'verify') throw new BadUsage(`"${verb}" is not something the audit does. ${USAGE}`);
  const unknown = options.find((option) => option !== '--events-only');
  if (unknown !== undefined) throw new BadUsage(`"${unknown}" is not an option of verify. ${USAGE}`);
  return { eventsOnly: options.includes('--events-only') };
}

const readSettings = <K extends 'EVENTSTORE_URL' | 'DATABASE_URL' | 'ENCORE_MASTER_KEY'>(...names: K[]) =>
  configurationFrom(names, process.env, (path) => readFileSync(path, 'utf8'));

async function audit({ eventsOnly }: Order): Promise<readonly Check[]> {
  const log = EsdbLog.connect(readSettings('EVENTSTORE_URL').EVENTSTORE_URL);
  if (eventsOnly) return verify(log);
  const settings = readSettings('DATABASE_URL', 'ENCORE_MASTER_KEY');
  const db = openReadPool(settings.DATABASE_URL, 2);
  const keys = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 5 });
  keys.on('error', () => undefined);
  const models = readModels(await Vault.open(keys, settings.ENCORE_MASTER_KEY));
  return verify(log, { databaseUrl: settings.DATABASE_URL, db, models });
}

// An audit that ends without a verdict, for whatever reason, has not passed.
process.exitCode = 2;

/** Connections are not closed one by one: the verdict is written, and the process ends. */
function end(status: number, to: NodeJS.WriteStream, text: string): void {
  to.write(text, () => process.exit(status));
}

async function main(): Promise<void> {
  const checks = await audit(orderFrom(process.argv.slice(2)));
  end(hasPassed(checks) ? 0 : 1, process.stdout, `${reportLines(checks).join('\n')}\n`);
}

main().catch((error: unknown) => {
  const outage = !(error instanceof Error) || !['BadUsage', 'BadSetting'].includes(error.name);
  end(2, process.stderr, `${outage ? 'The audit could not be done: ' : ''}${plainMessage(error)}\n`);
});
