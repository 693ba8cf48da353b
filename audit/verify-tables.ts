/**
 * What stands on the tables of the read models and is none of ours: a trigger or a rule would change rows
 * behind us.
 */
import type pg from 'pg';
import type { Check } from './report.js';

const TRIGGERS = `
  select c.relname as "table", 'trigger ' || t.tgname as what
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and not t.tgisinternal
  union all
  select tablename, 'rule ' || rulename from pg_rules where schemaname = current_schema()
  union all
  select c.relname, 'policy ' || p.polname
  from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema()
  order by 1, 2`;

/** `db` is a pool whose search path is the live read models' schema. */
export async function checkTables(db: pg.Pool): Promise<Check> {
  const { rows } = await db.query<{ table: string; what: string }>(TRIGGERS);
  return {
    name: 'nothing of others on the read tables',
    figure: 'triggers, rules and policies',
    findings: rows.map(
      ({ table, what }) =>
        `${table} has the ${what}, and we make none: it may change rows as they are written, or what readers are shown. ` +
        'Keep its definition, find out who made it, and drop it.',
    ),
  };
}
