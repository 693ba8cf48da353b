/**
 * Brings a backup's rows back into Postgres, in one transaction. Rows that are there stay, for a newer vault knows who
 * was forgotten since; but a data key that is another one than the backup's gives way, for the log was sealed with that.
 */
import type pg from 'pg';
import { VAULT_TABLE, type KeyVersion } from './differing-keys.js';
import { UnknownTable } from './known-tables.js';
import { rowsIn, type RowCounts, type TableRow } from './tables.js';

const PAGE = 500;

/** A key that was destroyed on either side is destroyed; a backup of before versions has the first one only. */
const FORGETTING = `
  on conflict (user_id, version) do update
    set wrapped_key = null, wrapped_by = excluded.wrapped_by, destroyed_at = excluded.destroyed_at
    where excluded.destroyed_at is not null and data_keys.destroyed_at is null`;

export interface TableRestore {
  /** Tables whose rows are left out. */
  readonly leftOut: readonly string[];
  /** Tables that are empty afterwards, whatever they held. */
  readonly emptied: readonly string[];
  /** Schemas that are dropped. */
  readonly dropped: readonly string[];
  /** Data keys whose places those of the backup take. */
  readonly replaced: readonly KeyVersion[];
}

/** Answers how many rows of each table were brought back. Throws {@link UnknownTable}; then nothing was changed. */
export async function restoreTables(
  client: pg.ClientBase,
  path: string,
  { leftOut, emptied, dropped, replaced }: TableRestore,
): Promise<RowCounts> {
  const restored: Record<string, number> = {};
  await client.query('begin');
  try {
    for (const schema of dropped) await client.query(`drop schema if exists ${schema} cascade`);
    for (const table of emptied) await client.query(`delete from ${table}`);
    await client.query(
      `delete from ${VAULT_TABLE} k using unnest($1::text[], $2::int[]) as r (user_id, version)
        where k.user_id = r.user_id and k.version = r.version`,
      [replaced.map(({ userId }) => userId), replaced.map(({ version }) => version)],
    );
    let page: TableRow[] = [];
    const insert = async (): Promise<void> => {
      const [first] = page;
      if (!first || leftOut.includes(first.table)) return;
      restored[first.table] = (restored[first.table] ?? 0) + (await insertRows(client, first, page));
    };
    for await (const row of rowsIn(path)) {
      if (page.length >= PAGE || page[0]?.table !== row.table) {
        await insert();
        page = [];
      }
      page.push(row);
    }
    await insert();
    // Whoever was forgotten on either side has no key of any version.
    await client.query(
      `update ${VAULT_TABLE} set wrapped_key = null, destroyed_at = now()
        where destroyed_at is null
          and user_id in (select user_id from ${VAULT_TABLE} where destroyed_at is not null)`,
    );
    await client.query('commit');
    return restored;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function insertRows(
  client: pg.ClientBase,
  { table, row }: TableRow,
  rows: readonly TableRow[],
): Promise<number> {
  // Only the columns that the backup has: those of a newer version get what they get in a new row.
  const columns = Object.keys(row)
    .map((name) => `"${name.replaceAll('"', '""')}"`)
    .join(', ');
  try {
    const inserted = await client.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)
       ${table === VAULT_TABLE ? FORGETTING : 'on conflict do nothing'}`,
      [JSON.stringify(rows.map((one) => one.row))],
    );
    return inserted.rowCount ?? 0;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== '42P01' && code !== '42703') throw error;
    throw new UnknownTable(table, columns, { cause: error });
  }
}
