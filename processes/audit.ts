/**
 * The finance tool, over the log and not through the app:
 *
 *     node dist/processes/audit.js verify [--events-only | --log FOLDER]
 *     node dist/processes/audit.js schedules-report [--day 2026-11-21 | --day all] [--now TIME] [--log FOLDER]
 *     node dist/processes/audit.js provider
 *     node dist/processes/audit.js copy [--from URL | --from-file FILE] (--to URL | --to-file FILE)
 *
 * `verify` reads the whole log and prints what holds and what does not; `--events-only` leaves Postgres
 * alone, and `--log` reads an exported log, with no server and no secret. `schedules-report` tells, from the log
 * alone, what was due on a day and what became of it.
 * `provider` holds the books against the balance at the card provider, movement by movement. `copy`
 * copies the log to an empty store, or goes on where a copy was interrupted, and verifies it; a file holds a
 * URL that has a password, and EVENTSTORE_URL is the source unless told. Exits 0 when all is in order, 1 when
 * it is not (nothing could be copied, or not all), 2 when it was called wrongly or a store cannot be reached.
 */
import { CannotCopy, copiedLines, CopyInterrupted, copyLog } from '#audit/copy-log';
import { checkProvider } from '#audit/provider-balance';
import { openArchive } from '#audit/exported-log/archive';
import { ArchiveLog } from '#audit/exported-log/archive-log';
import { ArchiveDamaged } from '#audit/exported-log/segments';
import { hasPassed, reportLines, type Check } from '#audit/report';
import { dayLines, isInOrder, SchedulesReport } from '#audit/schedules-report';
import { verify, verifyEvents } from '#audit/verify';
import type { LogSource } from '#log/event-log';
import { EsdbLog } from '#log/esdb';
import { openReadPool } from '#projections/engine/database';
import { ledgerBooks } from './audit/books.js';
import { orderFrom } from './audit/orders.js';
import { providerSide } from './audit/provider.js';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';
import { openReadModels } from './shell/read-models.js';
import { MASTER_KEY_SETTINGS, readSettings } from './shell/settings.js';

const openLog = (): EsdbLog => EsdbLog.connect(readSettings(['EVENTSTORE_URL']).EVENTSTORE_URL);

async function exported(folder: string): Promise<LogSource> {
  const archive = await openArchive(folder);
  if (archive.head.events === 0) throw new CannotRun(`There is no exported log in ${folder}.`);
  return new ArchiveLog(archive);
}

async function checksOf(eventsOnly: boolean, folder?: string): Promise<readonly Check[]> {
  if (folder !== undefined) return verifyEvents(await exported(folder), ledgerBooks());
  const log = openLog();
  if (eventsOnly) return verify(log, ledgerBooks());
  const settings = readSettings(['DATABASE_URL', ...MASTER_KEY_SETTINGS]);
  const { models } = await openReadModels(settings);
  const db = openReadPool(settings.DATABASE_URL, 2);
  return verify(log, ledgerBooks(), { databaseUrl: settings.DATABASE_URL, db, models });
}

async function verified(eventsOnly: boolean, folder?: string): Promise<Verdict> {
  try {
    const checks = await checksOf(eventsOnly, folder);
    return { status: hasPassed(checks) ? 0 : 1, lines: reportLines(checks) };
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return { status: 1, lines: [error.message] };
  }
}

async function comparedWithProvider(): Promise<Verdict> {
  const checks = await checkProvider(openLog(), providerSide());
  return { status: hasPassed(checks) ? 0 : 1, lines: reportLines(checks) };
}

async function schedules(day: string, now: Date, folder?: string): Promise<Verdict> {
  const report = await SchedulesReport.of(folder === undefined ? openLog() : await exported(folder));
  const days = (day === 'all' ? report.days(now) : [day]).map((one) => report.on(one, now));
  const text = days.map((one) => dayLines(one).join('\n')).join('\n\n');
  return { status: days.every(isInOrder) ? 0 : 1, lines: [text || 'Nothing was ever due.'] };
}

async function copied(from: string, to: string): Promise<Verdict> {
  const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  try {
    const copy = await copyLog(EsdbLog.connect(from, '--from'), EsdbLog.connect(to, '--to'), tell);
    return { status: 0, lines: copiedLines(copy) };
  } catch (error) {
    if (error instanceof CopyInterrupted) {
      const trouble = await EsdbLog.troubleBehind(error.cause);
      throw new CannotRun(trouble === undefined ? error.message : error.because(trouble));
    }
    if (!(error instanceof CannotCopy)) throw error;
    return { status: 1, lines: [error.message] };
  }
}

function run(words: readonly string[]): Promise<Verdict> {
  const order = orderFrom(words);
  switch (order.verb) {
    case 'copy':
      return copied(order.from, order.to);
    case 'schedules-report':
      return schedules(order.day, order.now, order.folder);
    case 'provider':
      return comparedWithProvider();
    case 'verify':
      return verified(order.eventsOnly, order.folder);
  }
}

await runCommand('The audit could not be done', run);
