/**
 * The row that says that the log has lost something: the first process that finds it writes it, every process
 * reads it, and an operator's recovery takes it away. One row at most, in the schema `edge` of Postgres.
 */
import type { Pool } from 'pg';
import type { Migration } from './migrations.js';

/** Who knew more than the log. */
export type KnownFrom = 'rows' | 'archive' | 'anchor' | 'provider' | 'ledger';

export interface LogRecovery {
  readonly foundAt: Date;
  /** What the log lacks, in a sentence for whoever runs this. */
  readonly reason: string;
  /** Where the journal ended when it was found; -1 and no hash for an empty one. */
  readonly logRevision: number;
  readonly logHash?: string;
  /** The journal's entry that is known elsewhere; absent where the difference is not the journal's. */
  readonly knownRevision?: number;
  readonly knownHash?: string;
  readonly knownFrom: KnownFrom;
}

export const LOG_RECOVERY_TABLE: Migration = {
  name: 'log-recovery',
  sql: `
  create table if not exists edge.log_recovery (
    is_only boolean primary key default true check (is_only),
    found_at timestamptz not null default now(),
    reason text not null,
    log_revision bigint not null,
    log_hash text,
    known_revision bigint,
    known_hash text,
    known_from text not null
  )`,
};

interface RecoveryRow {
  found_at: Date;
  reason: string;
  log_revision: string;
  log_hash: string | null;
  known_revision: string | null;
  known_hash: string | null;
  known_from: KnownFrom;
}

type Database = Pick<Pool, 'query'>;

/** Postgres' code for a table that is not there: before the first ledger of this build has started. */
const NO_TABLE = '42P01';

/** What the log has lost; undefined while nothing is known of it. */
export async function readLogRecovery(db: Database): Promise<LogRecovery | undefined> {
  try {
    const { rows } = await db.query<RecoveryRow>({
      text: `select found_at, reason, log_revision::text, log_hash, known_revision::text, known_hash, known_from
               from edge.log_recovery`,
    });
    return rows[0] && recoveryOf(rows[0]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_TABLE) return undefined;
    throw error;
  }
}

const recoveryOf = (row: RecoveryRow): LogRecovery => ({
  foundAt: row.found_at,
  reason: row.reason,
  logRevision: Number(row.log_revision),
  ...(row.log_hash !== null && { logHash: row.log_hash }),
  ...(row.known_revision !== null && { knownRevision: Number(row.known_revision) }),
  ...(row.known_hash !== null && { knownHash: row.known_hash }),
  knownFrom: row.known_from,
});

/** Writes the row, unless another process has: what was found first stays. Answers the row that stands. */
export async function writeLogRecovery(
  db: Database,
  found: Omit<LogRecovery, 'foundAt'>,
): Promise<LogRecovery | undefined> {
  await db.query({
    text: `insert into edge.log_recovery (reason, log_revision, log_hash, known_revision, known_hash, known_from)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    values: [
      found.reason,
      found.logRevision,
      found.logHash ?? null,
      found.knownRevision ?? null,
      found.knownHash ?? null,
      found.knownFrom,
    ],
  });
  return readLogRecovery(db);
}

/** Takes the row away: the log has again what was lost, or an operator has begun a new epoch. */
export async function clearLogRecovery(db: Database): Promise<void> {
  await db.query({ text: 'delete from edge.log_recovery' });
}
