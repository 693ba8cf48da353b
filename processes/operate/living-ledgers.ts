/** Whether a ledger runs beside an operator's command that must have the log to itself. */
import type pg from 'pg';
import { CannotRun } from '../shell/command.js';

/** A ledger has a connection of this name for as long as it runs: it listens there for sessions that end. */
const CONNECTED = `
  select count(*)::int as count from pg_stat_activity
   where datname = current_database() and application_name = 'encore-ledger'`;

/** Throws CannotRun while one is connected to this Postgres. */
export async function assertNoLedger(db: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await db.query<{ count: number }>(CONNECTED);
  if ((rows[0]?.count ?? 0) > 0)
    throw new CannotRun(
      'A ledger runs: it would go on with the log as it was before. Stop ledgers, projections and workers first. Nothing was changed.',
    );
}
