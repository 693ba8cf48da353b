/**
 * The finance tool, over the log and not through the app:
 *
 *     node dist/processes/audit.js verify [--events-only]
 *     node dist/processes/audit.js schedules-report [--day 2026-11-21 | --day all] [--now 2026-11-21T20:00:00Z]
 *     node dist/processes/audit.js copy [--from URL | --from-file FILE] (--to URL | --to-file FILE)
 *
 * `verify` reads the whole log and prints what holds and what does not; `--events-only` leaves Postgres
 * alone. `schedules-report` tells, from the log alone, what was due on a day and what became of it. `copy`
 * copies the log to an empty store, or goes on where a copy was interrupted, and verifies it; a file holds a
 * URL that has a password, and EVENTSTORE_URL is the source unless told. Exits 0 when all is in order, 1 when
 * it is not (nothing could be copied, or not all), 2 when it was called wrongly or a store cannot be reached.
 */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { configurationFrom, SETTINGS } from '#contracts/configuration';
import { EsdbLog } from '#log/esdb';
import { Vault } from '#log/vault';
import { openReadPool, plainMessage } from '#projections/engine/database';
import { readModels } from '#projections/read-models';
import { CannotCopy, copiedLines, copyLog } from '#audit/copy-log';
import { hasPassed, reportLines, type Check } from '#audit/report';
import { dayLines, isInOrder, SchedulesReport } from '#audit/schedules-report';
import { verify } from '#audit/verify';
import { ledgerBooks } from '#processes/audit/books';

const USAGE =
  'Usage: audit verify [--events-only] | audit schedules-report [--day YYYY-MM-DD | --day all] [--now TIME] | ' +
  'audit copy [--from URL | --from-file FILE] (--to URL | --to-file FILE)';

/** Called wrongly; the message says how. */
class BadUsage extends Error {
  override readonly name = 'BadUsage';
}

type Order =
  | { readonly verb: 'verify'; readonly eventsOnly: boolean }
  | { readonly verb: 'schedules-report'; readonly day: string; readonly now: Date }
  | { readonly verb: 'copy'; readonly from: string; readonly to: string };

function orderFrom(words: readonly string[]): Order {
  const [verb, ...options] = words;
  if (verb === undefined) throw new BadUsage(USAGE);
  if (verb === 'schedules-report') return scheduleOrder(options);
  if (verb === 'copy') return copyOrder(options);
  if (verb !== 'verify') throw new BadUsage(`"${verb}" is not something the audit does. ${USAGE}`);
  const unknown = options.find((option) => option !== '--events-only');
  if (unknown !== undefined) throw new BadUsage(`"${unknown}" is not an option of verify. ${USAGE}`);
  return { verb, eventsOnly: options.includes('--events-only') };
}

function valuesOf(verb: string, known: readonly string[], options: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < options.length; at += 2) {
    const [name = '', value] = options.slice(at, at + 2);
    if (!known.includes(name)) throw new BadUsage(`"${name}" is not an option of ${verb}. ${USAGE}`);
    if (value === undefined) throw new BadUsage(`${name} needs a value. ${USAGE}`);
    given.set(name, value);
  }
  return given;
}

function copyOrder(options: readonly string[]): Order {
  const given = valuesOf('copy', ['--from', '--from-file', '--to', '--to-file'], options);
  const urlOf = (end: '--from' | '--to'): string | undefined => {
    const file = given.get(`${end}-file`);
    const url = given.get(end);
    if (file !== undefined && url !== undefined)
      throw new BadUsage(`Give either ${end} or ${end}-file. ${USAGE}`);
    const written = file === undefined ? url : contentOf(file);
    if (written !== undefined && !SETTINGS.EVENTSTORE_URL.schema.safeParse(written).success)
      throw new BadUsage(
        `${file === undefined ? end : `What ${file} holds`} must be a URL that begins with esdb://.`,
      );
    return written;
  };
  const to = urlOf('--to');
  if (to === undefined) throw new BadUsage(`Say where to copy to. ${USAGE}`);
  return { verb: 'copy', from: urlOf('--from') ?? readSettings('EVENTSTORE_URL').EVENTSTORE_URL, to };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new BadUsage(`${file} cannot be read.`);
  }
}

function scheduleOrder(options: readonly string[]): Order {
  const given = valuesOf('schedules-report', ['--day', '--now'], options);
  const now = given.has('--now') ? new Date(given.get('--now') ?? '') : new Date();
  if (Number.isNaN(now.getTime())) throw new BadUsage(`"${given.get('--now')}" is not a time. ${USAGE}`);
  const day = given.get('--day') ?? now.toISOString().slice(0, 10);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00:00Z`).toString() !== 'Invalid Date';
  if (day !== 'all' && !isDay) throw new BadUsage(`"${day}" is not a day. ${USAGE}`);
  return { verb: 'schedules-report', day, now };
}

const readSettings = <K extends 'EVENTSTORE_URL' | 'DATABASE_URL' | 'ENCORE_MASTER_KEY'>(...names: K[]) =>
  configurationFrom(names, process.env, (path) => readFileSync(path, 'utf8'));

async function audit(log: EsdbLog, eventsOnly: boolean): Promise<readonly Check[]> {
  if (eventsOnly) return verify(log, ledgerBooks());
  const settings = readSettings('DATABASE_URL', 'ENCORE_MASTER_KEY');
  const db = openReadPool(settings.DATABASE_URL, 2);
  const keys = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 5 });
  keys.on('error', () => undefined);
  const models = readModels(await Vault.open(keys, settings.ENCORE_MASTER_KEY));
  return verify(log, ledgerBooks(), { databaseUrl: settings.DATABASE_URL, db, models });
}

// An audit that ends without a verdict, for whatever reason, has not passed.
process.exitCode = 2;

/** Connections are not closed one by one: the verdict is written, and the process ends. */
function end(status: number, to: NodeJS.WriteStream, text: string): void {
  to.write(text, () => process.exit(status));
}

async function schedules(log: EsdbLog, day: string, now: Date): Promise<void> {
  const report = await SchedulesReport.of(log);
  const days = (day === 'all' ? report.days(now) : [day]).map((one) => report.on(one, now));
  const text = days.map((one) => dayLines(one).join('\n')).join('\n\n');
  end(days.every(isInOrder) ? 0 : 1, process.stdout, `${text || 'Nothing was ever due.'}\n`);
}

async function copy(from: string, to: string): Promise<void> {
  const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  try {
    const copied = await copyLog(EsdbLog.connect(from, '--from'), EsdbLog.connect(to, '--to'), tell);
    end(0, process.stdout, `${copiedLines(copied).join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof CannotCopy)) throw error;
    end(1, process.stdout, `${error.message}\n`);
  }
}

async function main(): Promise<void> {
  const order = orderFrom(process.argv.slice(2));
  if (order.verb === 'copy') return copy(order.from, order.to);
  const log = EsdbLog.connect(readSettings('EVENTSTORE_URL').EVENTSTORE_URL);
  if (order.verb === 'schedules-report') return schedules(log, order.day, order.now);
  const checks = await audit(log, order.eventsOnly);
  end(hasPassed(checks) ? 0 : 1, process.stdout, `${reportLines(checks).join('\n')}\n`);
}

main().catch((error: unknown) => {
  const outage = !(error instanceof Error) || !['BadUsage', 'BadSetting'].includes(error.name);
  end(2, process.stderr, `${outage ? 'The audit could not be done: ' : ''}${plainMessage(error)}\n`);
});
