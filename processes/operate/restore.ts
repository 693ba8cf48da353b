/** `operate restore FOLDER`: a backup brought back, while nothing of the app runs. */
import { resolve } from 'node:path';
import pg from 'pg';
import { openBackup, type WholeBackup } from '#audit/backup/backup';
import {
  CannotCompareKeys,
  differingKeys,
  VAULT_TABLE,
  type DifferingKey,
} from '#audit/backup/differing-keys';
import { assertTablesKnown, UnknownTable } from '#audit/backup/known-tables';
import { restoreTables, type SealedColumn } from '#audit/backup/restore-tables';
import { rowsIn, TablesDamaged } from '#audit/backup/tables';
import { CannotCopy, CopyInterrupted, HoldsMore } from '#audit/copy-log';
import type { Archive } from '#audit/exported-log/archive';
import { appendMissing, missingFrom } from '#audit/exported-log/append-missing';
import { isOurStream } from '#contracts/events/our-streams';
import { lossAgainst } from '#ledger/start-gate/known-events';
import { EsdbLog } from '#log/esdb';
import { writeLogRecovery } from '#log/log-recovery';
import { PROVIDER_SEALS } from '#log/vault';
import { masterKeyFrom, masterKeyIdIn, type MasterKey } from '#log/vault-encryption';
import { readCheckpoints, type Checkpoint, type LastEvent } from '#projections/engine/checkpoints';
import { HOWEVER_LONG, openReadPool, READ_SCHEMA, scratchOf } from '#projections/engine/database';
import { prepareDatabase } from '../database.js';
import { outsideSources } from '../ledger/start-gate.js';
import { EDGE, VAULT } from '../migrations.js';
import { CannotRun, type Verdict } from '../shell/command.js';
import { MASTER_KEY_SETTINGS, masterKeysOf, readSettings } from '../shell/settings.js';
import { isFinding } from './backup.js';

/** What a restore ends: nobody is signed in afterwards, and what was given to a session goes with it. */
export const ENDED = ['edge.sessions', 'edge.sign_ins', 'edge.passkey_tokens', 'edge.confirmations'];
/** What else of `edge` is sealed with a user's data key. */
export const SEALED_TEXTS: readonly SealedColumn[] = [
  { table: 'edge.pictures', column: 'sealed' },
  { table: 'edge.message_deliveries', column: 'sealed_link' },
];
/** Whether the log lacks something is found out anew. */
const LEFT_OUT = [...ENDED, 'edge.log_recovery'];
const READ_MODELS = [READ_SCHEMA, scratchOf(READ_SCHEMA)];

const NAMED_CONNECTIONS = `
  select coalesce(nullif(application_name, ''), 'without a name') as name, count(*)::int as count
    from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
   group by 1 order by 1`;

/** Reads a backup whole, with no server, and says whether it can be restored with this master key. */
export async function checkBackup(folder: string): Promise<Verdict> {
  const settings = readSettings(MASTER_KEY_SETTINGS);
  try {
    const backup = await openBackup(resolve(folder));
    await assertRestorable(backup, mastersOf(settings));
    return {
      status: 0,
      lines: [
        `The backup of ${backup.note.madeAt} is whole: ${backup.note.log.events} events, every chain holds.`,
      ],
    };
  } catch (error) {
    throw sentenceFor(error);
  }
}

/**
 * Restores a backup. `keepsLog`: only what Postgres had, beside a log that went on since the backup. Throws
 * {@link CannotRun}, before anything is changed where it can.
 */
export async function restore(folder: string, keepsLog = false): Promise<Verdict> {
  if (folder === '') throw new CannotRun('restore needs the name of a folder.');
  const settings = readSettings(['EVENTSTORE_URL', 'DATABASE_URL', ...MASTER_KEY_SETTINGS]);
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  try {
    // All that can be said against it, before anything is changed.
    const client = new pg.Client({
      connectionString: settings.DATABASE_URL,
      application_name: 'encore-restore',
    });
    await client.connect();
    await assertNobodyElse(client);
    const backup = await openBackup(resolve(folder));
    await assertRestorable(backup, mastersOf(settings));
    const since = await eventsSince(backup, log, keepsLog);
    const replaced = await differingKeys(client, backup.tables, mastersOf(settings));
    if (since > 0 && replaced.length > 0) throw new CannotRun(otherKeys(replaced));

    await prepareDatabase(settings.DATABASE_URL);
    const knowMore =
      since > 0
        ? await knowMoreThan(log, settings.DATABASE_URL)
        : await noteWhatRowsKnow(client, settings.DATABASE_URL, backup);
    const rows = await restoreTables(client, backup.tables, {
      leftOut: LEFT_OUT,
      emptied: ENDED,
      // Rows that know more than the log are proof of what it lacks: a recovery compares and replaces them.
      dropped: knowMore ? [] : READ_MODELS,
      replaced,
      sealed: SEALED_TEXTS,
    });
    // What happened since the backup may have been mailed, and the rows do not know it. Nor do they know who
    // was forgotten since, and whose keys are there again: all of the log is looked through for them.
    await client.query(
      'update edge.message_marks set no_mail_before = now(), position = null, last_event = null',
    );
    const logLine = since > 0 ? keptLine(backup, since) : await appendedLine(backup, log, tell);
    const brought = Object.entries(rows).map(([table, count]) => `${count} of ${table}`);
    return {
      status: 0,
      lines: [
        logLine,
        `Rows that were brought back: ${brought.join(', ') || 'none'}. Those that were there stayed.`,
        ...replacedLines(replaced),
        'Nobody is signed in any more.',
        knowMore
          ? `The read models have seen more than the ${since > 0 ? 'log' : 'backup'} has, so the log is in recovery: nothing is written to it before \`operate recover\` has won that back.`
          : 'The read models were dropped: the projections make them anew at their next start.',
      ],
    };
  } catch (error) {
    throw sentenceFor(error);
  }
}

const counted = (events: number): string => (events === 1 ? '1 event' : `${events} events`);

/**
 * How many events the log has behind the backup's end, which a restore keeps where it is asked to. Throws
 * {@link CannotRun} for them where it is not, CannotCopy and CopyInterrupted.
 */
async function eventsSince({ archive }: WholeBackup, log: EsdbLog, keepsLog: boolean): Promise<number> {
  try {
    const missing = await missingFrom(archive, log);
    if (!keepsLog || missing === 0) return 0;
    throw new CannotRun(
      `The event store lacks ${counted(missing)} of the backup, so its log is not to be kept: restore without --keep-log. Nothing was changed.`,
    );
  } catch (error) {
    if (!(error instanceof HoldsMore)) throw error;
    if (keepsLog) return error.more;
    throw new CannotRun(
      `The event store holds all of the backup and ${counted(error.more)} more. Where Postgres alone was lost, add --keep-log: ` +
        'the log stays as it is, and what Postgres had is brought back. To go back to the time of the backup, give the event store an empty ' +
        'volume, and keep the one of now. Nothing was changed.',
    );
  }
}

/** Whether the rows that are there have seen more than the log has; a ledger that starts finds it again. */
async function knowMoreThan(log: EsdbLog, databaseUrl: string): Promise<boolean> {
  const reads = openReadPool(databaseUrl, 1, HOWEVER_LONG);
  try {
    const [rows] = outsideSources(reads, { archive: undefined, tree: undefined });
    return rows !== undefined && (await lossAgainst(log, rows)) !== undefined;
  } finally {
    await reads.end();
  }
}

const keptLine = ({ note }: WholeBackup, since: number): string =>
  `The log stays as it is: it has all of the backup of ${note.madeAt} and ${counted(since)} more.`;

async function appendedLine(
  { note, archive }: WholeBackup,
  log: EsdbLog,
  tell: (sentence: string) => void,
): Promise<string> {
  const { written, events, fingerprint } = await appendMissing(archive, log, tell);
  return `The log is that of the backup of ${note.madeAt}: ${events} events, of which ${written} were written now, hash for hash the same (${fingerprint}).`;
}

const otherKeys = (replaced: readonly DifferingKey[]): string =>
  `Postgres holds other data keys than the backup (${ownersOf(replaced)}), and the log has what may have been sealed with them: ` +
  'they cannot give way beside it. Give the event store an empty volume, keep the one of now, and restore without --keep-log. Nothing was changed.';

/** How many users a sentence names. */
const NAMED_USERS = 5;

function ownersOf(replaced: readonly DifferingKey[]): string {
  const owners = [...new Set(replaced.map(({ userId }) => userId))].sort();
  const users = owners.filter((owner) => owner !== PROVIDER_SEALS);
  const more = users.length > NAMED_USERS ? ` and ${users.length - NAMED_USERS} more` : '';
  const named = [
    ...(users.length > 0 ? [`${users.slice(0, NAMED_USERS).join(', ')}${more}`] : []),
    ...(users.length < owners.length ? ['the key of our objects at the card provider'] : []),
  ];
  return named.join(', and ');
}

function replacedLines(replaced: readonly DifferingKey[]): string[] {
  if (replaced.length === 0) return [];
  const keys = replaced.length === 1 ? 'data key' : 'data keys';
  return [
    `In Postgres ${replaced.length} ${keys} differed from the backup’s (${ownersOf(replaced)}): a ledger had run without the vault. ` +
      'The backup’s keys replaced them. Texts sealed with the replaced keys cannot be read any more.',
  ];
}

function sentenceFor(error: unknown): unknown {
  if (error instanceof CannotCopy)
    return new CannotRun(
      `The event store cannot take the log of the backup (the source), because it holds another one (the target). ${error.message}`,
    );
  if (error instanceof CopyInterrupted)
    return new CannotRun(`${error.message} Until then nothing can be started on it.`);
  // The event store may have been made anew for this: `make restore` does that.
  if (error instanceof CannotCompareKeys)
    return new CannotRun(`${error.message} Nothing in Postgres was changed.`);
  const isPlain = error instanceof TablesDamaged || error instanceof UnknownTable;
  return isFinding(error) || isPlain ? new CannotRun(error.message) : error;
}

/** A ledger that runs would write behind a log that changes under it. */
async function assertNobodyElse(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; count: number }>(NAMED_CONNECTIONS);
  if (rows.length === 0) return;
  const who = rows.map(({ name, count }) => `${name} (${count})`).join(', ');
  throw new CannotRun(
    `Other processes are connected to Postgres: ${who}. A backup is restored while nothing runs: stop ledgers, projections and workers first. Nothing was changed.`,
  );
}

/** The master keys, the present one first. */
function mastersOf(settings: Parameters<typeof masterKeysOf>[0]): readonly [MasterKey, ...MasterKey[]] {
  const { current, others } = masterKeysOf(settings);
  return [
    masterKeyFrom(current),
    ...others.flatMap((key) => (key === undefined ? [] : [masterKeyFrom(key)])),
  ];
}

/** What can be said of a backup with no server. */
async function assertRestorable(backup: WholeBackup, masters: readonly MasterKey[]): Promise<void> {
  await assertTablesKnown(backup.tables, [VAULT, EDGE], LEFT_OUT);
  await assertWrappedBy(backup, masters);
}

async function assertWrappedBy({ tables }: WholeBackup, masters: readonly MasterKey[]): Promise<void> {
  const ids = masters.map(({ id }) => id);
  for await (const { table, row } of rowsIn(tables)) {
    if (table !== VAULT_TABLE || row.wrapped_key === null) continue;
    const by = masterKeyIdIn(String(row.wrapped_by));
    if (!ids.includes(by))
      throw new CannotRun(
        `The data keys of the backup are wrapped by another master key (${by}) than ENCORE_MASTER_KEY (${ids[0]}): ` +
          'with this one no name could be read. Set the master key of the time of the backup, or set it as ENCORE_PREVIOUS_MASTER_KEY beside the present one. Nothing was changed.',
      );
  }
}

/**
 * Whether the read models have seen more than the backup has; then the log is in recovery from the first
 * moment.
 */
async function noteWhatRowsKnow(
  client: pg.Client,
  databaseUrl: string,
  { note, archive }: WholeBackup,
): Promise<boolean> {
  const reads = openReadPool(databaseUrl, 1, HOWEVER_LONG);
  const checkpoints = await readCheckpoints(reads);
  await reads.end();
  const known = Math.max(-1, ...checkpoints.map(({ journalRevision }) => journalRevision));
  const restored = note.log.journal;
  const revision = restored?.revision ?? -1;
  const isJournalLonger = known > revision;
  const more = isJournalLonger
    ? `whose journal ends at revision ${revision}; the read models had seen revision ${known}.`
    : await seenBeside(archive, checkpoints);
  if (more === undefined) return false;
  await writeLogRecovery(client, {
    reason: `A backup of ${note.madeAt} was restored, ${more} Run \`operate recover\`.`,
    logRevision: revision,
    ...(restored && { logHash: restored.hash }),
    ...(isJournalLonger && { knownRevision: known }),
    knownFrom: 'rows',
  });
  return true;
}

/**
 * What the last events of the checkpoints say where one of them is none of the archive's: rows may have seen
 * events of other streams while the journal stood still.
 */
async function seenBeside(
  { events }: Archive,
  checkpoints: readonly Checkpoint[],
): Promise<string | undefined> {
  const seen = new Map<string, LastEvent>();
  for (const { lastEvent } of checkpoints)
    if (lastEvent && isArchived(lastEvent)) seen.set(lastEvent.id, lastEvent);
  if (seen.size === 0) return undefined;
  for await (const { stream, revision, id } of events()) {
    const event = seen.get(id);
    if (event?.stream === stream && event.revision === revision) seen.delete(id);
    if (seen.size === 0) return undefined;
  }
  const [first] = seen.values();
  return (
    first &&
    `and the read models had seen revision ${first.revision} of ${first.stream} (event ${first.id}), which is not in it.`
  );
}

/**
 * A stream of another application is in no backup, nor is the end of one deleted for good: it stands behind
 * all revisions.
 */
const isArchived = ({ stream, revision }: LastEvent): boolean =>
  isOurStream(stream) && revision < Number.MAX_SAFE_INTEGER;
