/** What an operator decides about an event that cannot be read: it is taken out, and its stream goes on. */
import pg from 'pg';
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream } from '#contracts/events/our-streams';
import { EsdbLog } from '#log/esdb';
import { eventAt } from '#log/event-at';
import { readLogRecovery } from '#log/log-recovery';
import { readQuarantine, takeOut, unreadableEventOf } from '#log/quarantine';
import { HOWEVER_LONG, openReadPool } from '#projections/engine/database';
import { knowsParking, listParked, type ParkedStream } from '#projections/engine/parking';
import { CannotRun, type Verdict } from '../shell/command.js';
import { assertNothingLost } from './nothing-lost.js';
import { readSettings } from '../shell/settings.js';

const openLog = (): EsdbLog => EsdbLog.connect(readSettings(['EVENTSTORE_URL']).EVENTSTORE_URL);

async function parked(): Promise<ParkedStream[]> {
  const rows = openReadPool(readSettings(['DATABASE_URL']).DATABASE_URL, 1, HOWEVER_LONG);
  return (await knowsParking(rows)) ? listParked(rows) : [];
}

/** Lists what is parked and what was taken out. */
export async function listParkedStreams(): Promise<Verdict> {
  const [standing, { quarantined, standsAt }] = await Promise.all([parked(), readQuarantine(openLog())]);
  const lines = standing.map(
    ({ stream, revision, eventType, reason }) => `parked  ${stream}  ${revision}  ${eventType}  ${reason}`,
  );
  if (standsAt && !standing.some(({ stream }) => stream === standsAt.stream))
    lines.push(`parked  ${standsAt.stream}  ${standsAt.revision}  ${standsAt.type}  It cannot be read.`);
  const out = quarantined.events.map(
    ({ stream, revision, quarantinedAt, because }) =>
      `quarantined  ${stream}  ${revision}  ${quarantinedAt}  ${because}`,
  );
  if (lines.length === 0) lines.push('No stream is parked.');
  return { status: 0, lines: [...lines, ...out] };
}

/** Takes out one event of a stream that stands at it. Throws {@link CannotRun}. */
export async function quarantine(stream: string, revision: number, because: string): Promise<Verdict> {
  if (stream === JOURNAL)
    throw new CannotRun(
      'An entry of the journal cannot be taken out: every balance after it would be another one. Restore the log, or start the build that wrote it.',
    );
  if (!isOurStream(stream)) throw new CannotRun(`"${stream}" is no stream of this application’s.`);
  await assertNoRecovery();
  const log = openLog();
  const event = await eventAt(log, stream, revision);
  if (!event) throw new CannotRun(`The log has no revision ${revision} of ${stream}.`);
  const { quarantined } = await readQuarantine(log);
  if (!quarantined.has(event)) await assertStandsAt(log, stream, revision);
  await assertNothingLost(log);
  await takeOut(log, { stream, revision, because }, await log.storeTime());
  return {
    status: 0,
    lines: [
      `Revision ${revision} of ${stream} (${event.type}) is quarantined: ${because}`,
      'The projections build the rows anew without it, beside the live ones; commands on the stream are taken at once.',
    ],
  };
}

/** Nothing is appended to a log that has lost something. Throws CannotRun. */
async function assertNoRecovery(): Promise<void> {
  const pool = new pg.Pool({ connectionString: readSettings(['DATABASE_URL']).DATABASE_URL, max: 1 });
  const row = await readLogRecovery(pool);
  if (row)
    throw new CannotRun(
      `The log is in recovery, and nothing is written to it before that has ended: ${row.reason} See "encore operate recover".`,
    );
}

/** Only what a stream stands at is taken out: all else can be read, and was. Throws CannotRun. */
async function assertStandsAt(log: EsdbLog, stream: string, revision: number): Promise<void> {
  const unreadable = await unreadableEventOf(log, stream);
  const at = unreadable?.raw.revision ?? (await parked()).find((known) => known.stream === stream)?.revision;
  if (at === undefined)
    throw new CannotRun(`Every event of ${stream} can be read: there is nothing to quarantine.`);
  if (at !== revision)
    throw new CannotRun(`${stream} stands at revision ${at}, not at ${revision}: quarantine that one first.`);
}
