/**
 * Who may read the read models. They belong to the role of the projections, who make, rebuild and drop them;
 * the ledgers and the audit read all of them, the workers the tables in which they look for what is due.
 */
import { ROLES, whereRole, type Role } from '#log/roles';
import { schemaName } from './database.js';

/** What workers look into, and of it the columns; `all` of a table that holds nothing that names a person. */
export const WORKERS_READ: Readonly<Record<string, 'all' | readonly string[]>> = {
  checkpoints: 'all',
  stream_tips: 'all',
  parked_streams: 'all',
  quarantined_events: 'all',
  balances: 'all',
  funds_arriving: 'all',
  bank_accounts: ['user_id', 'status', 'submitted_at', 'id', 'place', 'is_primary', 'error'],
  payout_accounts: 'all',
  payouts: 'all',
  schedules: 'all',
  transactions: ['id', 'opened_at', 'intent_id', 'unresolved', 'payer_id', 'recipient_id'],
  unapplied: 'all',
  unclaimed: 'all',
  users: ['id', 'being_forgotten', 'forgotten', 'forgetting_due_at'],
};

/**
 * Statements that give a schema of read models to its owner and its readers; nothing where there are no
 * roles.
 */
export function readRights(schema: string): string[] {
  schemaName(schema);
  const readers: readonly Role[] = ['ledger', 'audit'];
  return [
    // Whoever made the tables, an operator for instance: they are the projections' to rebuild and to drop.
    whereRole('projections', [
      `execute (select coalesce(string_agg(format('alter table %I.%I owner to ${ROLES.projections}', schemaname, tablename), '; '), 'select 1')
                from pg_tables where schemaname = '${schema}' and tableowner <> '${ROLES.projections}')`,
      `execute (select coalesce(string_agg(format('alter schema %I owner to ${ROLES.projections}', nspname), '; '), 'select 1')
                from pg_namespace where nspname = '${schema}' and pg_get_userbyid(nspowner) <> '${ROLES.projections}')`,
    ]),
    ...readers.map((role) =>
      whereRole(role, [
        `grant usage on schema ${schema} to ${ROLES[role]}`,
        `grant select on all tables in schema ${schema} to ${ROLES[role]}`,
      ]),
    ),
    whereRole('workers', [
      `grant usage on schema ${schema} to ${ROLES.workers}`,
      ...Object.entries(WORKERS_READ).map(([table, columns]) => grantToWorkers(schema, table, columns)),
    ]),
  ];
}

/** Of tables of a build before only the columns that are there. */
function grantToWorkers(schema: string, table: string, columns: 'all' | readonly string[]): string {
  const which =
    columns === 'all' ? 'true' : `a.attname in (${columns.map((column) => `'${column}'`).join(', ')})`;
  return `execute (select coalesce('grant select (' || string_agg(quote_ident(a.attname), ', ') || ') on ${schema}.${table} to ${ROLES.workers}', 'select 1')
            from pg_attribute a where a.attrelid = to_regclass('${schema}.${table}') and a.attnum > 0 and not a.attisdropped and ${which})`;
}
