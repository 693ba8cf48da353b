/**
 * Brings a backup's rows back into Postgres, in one transaction. Rows that are there stay, for a newer vault
 * knows who was forgotten since; but a data key that is another one than the backup's gives way, for the log
 * was sealed with that. So do the rows that it sealed.
 */
import type pg from 'pg';
import type { Sealed } from '#contracts/events/journal';
import { openText, versionIn } from '#log/vault-encryption';
import { FIRST_VERSION } from '#log/vault-reader';
import { VAULT_TABLE, type DifferingKey } from './differing-keys.js';
import { UnknownTable } from './known-tables.js';
import { rowsIn, type RowCounts, type TableRow } from './tables.js';

const PAGE = 500;

/**
 * A key that was destroyed on either side is destroyed; a backup of before versions has the first one only.
 */
const FORGETTING = `
  on conflict (user_id, version) do update
    set wrapped_key = null, wrapped_by = excluded.wrapped_by, destroyed_at = excluded.destroyed_at
    where excluded.destroyed_at is not null and data_keys.destroyed_at is null`;

/** A column of texts that are sealed for the user of their row. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
}

interface TableRestore {
  /** Tables whose rows are left out. */
  readonly leftOut: readonly string[];
  /** Tables that are empty afterwards, whatever they held. */
  readonly emptied: readonly string[];
  /** Schemas that are dropped. */
  readonly dropped: readonly string[];
  /** Data keys whose places those of the backup take. */
  readonly replaced: readonly DifferingKey[];
  /** Where else than in the log their texts stand. */
  readonly sealed: readonly SealedColumn[];
}

/**
 * Answers how many rows of each table were brought back. Throws {@link UnknownTable}; then nothing was
 * changed.
 */
export async function restoreTables(
  client: pg.ClientBase,
  path: string,
  { leftOut, emptied, dropped, replaced, sealed }: TableRestore,
): Promise<RowCounts> {
  const restored: Record<string, number> = {};
  await client.query('begin');
  try {
    for (const schema of dropped) await client.query(`drop schema if exists ${schema} cascade`);
    for (const table of emptied) await client.query(`delete from ${table}`);
    for (const column of sealed) await deleteUnreadable(client, column, replaced);
    await client.query(
      `delete from ${VAULT_TABLE} k using unnest($1::text[], $2::int[]) as r (user_id, version)
        where k.user_id = r.user_id and k.version = r.version`,
      [replaced.map(({ userId }) => userId), replaced.map(({ key }) => key.version)],
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

/**
 * Deletes the rows whose text was sealed with a key that gives way, so that the backup's take their places.
 * One that the backup's key opens stays, for it may be younger than the backup.
 */
async function deleteUnreadable(
  client: pg.ClientBase,
  { table, column }: SealedColumn,
  replaced: readonly DifferingKey[],
): Promise<void> {
  for (let from = 0; from < replaced.length; from += PAGE) {
    const page = replaced.slice(from, from + PAGE);
    const { rows } = await client.query<{ place: string; sealed: Sealed }>(
      `select ctid::text as place, ${column} as sealed from ${table}
        where user_id = any($1) and ${column} is not null`,
      [page.map(({ userId }) => userId)],
    );
    const unreadable = rows.filter(({ sealed }) => page.some((key) => isSealedWithAnother(sealed, key)));
    // A row keeps its place within a transaction, and nobody else is connected.
    await client.query(`delete from ${table} where ctid = any($1::tid[])`, [
      unreadable.map(({ place }) => place),
    ]);
  }
}

/** Whether a text names this user and this version of their key, and this key does not open it. */
function isSealedWithAnother(sealed: Sealed, { userId, key }: DifferingKey): boolean {
  const [, owner, box] = sealed.split(':');
  if (owner !== userId || box === undefined || (versionIn(box) ?? FIRST_VERSION) !== key.version)
    return false;
  try {
    openText(key, userId, box);
    return false;
  } catch {
    return true;
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
