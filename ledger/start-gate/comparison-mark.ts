/**
 * Since when the provider's objects are still to be compared with the log: kept until that has been done, so
 * that a ledger which writes a tip and ends does not hide the time that a restored log has lost. One row at
 * most, in the schema `edge` of Postgres.
 */
import type { Pool } from 'pg';
import type { Migration } from '#log/migrations';

export const COMPARISON_MARK_TABLE: Migration = {
  name: 'provider-comparison',
  sql: `
  create table if not exists edge.provider_comparison (
    is_only boolean primary key default true check (is_only),
    since timestamptz not null
  )`,
};

type Database = Pick<Pool, 'query'>;

/**
 * Notes that all since this time is to be compared. Answers since when it really is, where more was due
 * already.
 */
export async function comparisonDue(db: Database, since: Date): Promise<Date> {
  const { rows } = await db.query<{ since: Date }>({
    text: `insert into edge.provider_comparison as due (since) values ($1)
           on conflict (is_only) do update set since = least(due.since, excluded.since) returning since`,
    values: [since],
  });
  return rows[0]?.since ?? since;
}

/** All since this time has been compared. What became due before it is still to be. */
export async function comparisonDone(db: Database, since: Date): Promise<void> {
  await db.query({ text: 'delete from edge.provider_comparison where since >= $1', values: [since] });
}
