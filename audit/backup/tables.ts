/**
 * Rows of Postgres in a file of our own, so that neither side needs a program of Postgres': lines as in the
 * exported log, each with the hash of the one before it. The first names the format, the last says how many
 * rows of each table there are.
 */
import { open } from 'node:fs/promises';
import type pg from 'pg';
import { isRecord } from '#contracts/plain/record';
import { BEFORE_ALL, hashOfLine, HASH_LENGTH, lineOf } from '../exported-log/lines.js';
import { rawLinesOf } from '../exported-log/segments.js';

const FORMAT = 'encore-tables/1';
const PAGE = 500;

/** How many rows of each table, by `schema.table`. */
export type RowCounts = Readonly<Record<string, number>>;

/** The file of tables is not what was written; the message says where. */
export class TablesDamaged extends Error {
  override readonly name = 'TablesDamaged';
}

export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/**
 * Writes all tables of these schemas, as they are at one moment, but for the notes of what made them. Answers
 * how many rows, and the hash of the last line. The file is on the disk when this returns.
 */
export async function writeTables(
  client: pg.ClientBase,
  schemas: readonly string[],
  path: string,
): Promise<{ readonly rows: RowCounts; readonly hash: string }> {
  const file = await open(path, 'wx', 0o600);
  let previous = BEFORE_ALL;
  const write = async (texts: readonly string[]): Promise<void> => {
    const lines = texts.map((text) => {
      const { bytes, hash } = lineOf(previous, text);
      previous = hash;
      return bytes;
    });
    await file.writeFile(Buffer.concat(lines));
  };
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    await write([JSON.stringify({ format: FORMAT })]);
    const rows: Record<string, number> = {};
    for (const table of await tablesIn(client, schemas)) {
      rows[table] = 0;
      await client.query(`declare rows_of_table cursor for select to_jsonb(t)::text as text from ${table} t`);
      for (;;) {
        const page = await client.query<{ text: string }>(`fetch ${PAGE} from rows_of_table`);
        if (page.rows.length === 0) break;
        await write(page.rows.map(({ text }) => `{"table":${JSON.stringify(table)},"row":${text}}`));
        rows[table] += page.rows.length;
      }
      await client.query('close rows_of_table');
    }
    await client.query('commit');
    await write([JSON.stringify({ end: rows })]);
    await file.sync();
    return { rows, hash: previous };
  } finally {
    await file.close();
  }
}

/** Each as it may stand in SQL: all names here are plain ones. */
async function tablesIn(client: pg.ClientBase, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema = any($1) and table_type = 'BASE TABLE' and table_name not in ('migrations', 'migrations_lock')
      order by 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

type Said = { readonly format: string } | { readonly end: RowCounts } | TableRow;

/** A table of ours as it may stand in SQL, where a file says its name. */
const TABLE_NAME = /^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/;

/**
 * What a line says; undefined for one that nobody wrote so. Its hash vouches for the line before it, not for
 * it.
 */
function saidIn(bytes: Buffer): Said | undefined {
  let said: unknown;
  try {
    said = JSON.parse(bytes.toString('utf8', HASH_LENGTH + 1));
  } catch {
    return undefined;
  }
  if (!isRecord(said)) return undefined;
  if ('format' in said) return typeof said['format'] === 'string' ? (said as Said) : undefined;
  if ('end' in said) return isRecord(said['end']) ? (said as Said) : undefined;
  const { table, row } = said;
  return typeof table === 'string' && TABLE_NAME.test(table) && isRecord(row) ? (said as Said) : undefined;
}

/** The rows of a file, each line checked. Throws {@link TablesDamaged}, also for a file without its end. */
export async function* rowsIn(path: string): AsyncGenerator<TableRow, { hash: string; rows: RowCounts }> {
  let previous = BEFORE_ALL;
  let number = 0;
  for await (const { bytes } of rawLinesOf(path)) {
    number += 1;
    const hash = hashOfLine(previous, bytes);
    if (hash === undefined)
      throw new TablesDamaged(`${path}, line ${number}: the line is not what was written here.`);
    previous = hash;
    const said = saidIn(bytes);
    if (said === undefined)
      throw new TablesDamaged(`${path}, line ${number}: the line is none that a backup has.`);
    if ('format' in said) {
      if (said.format !== FORMAT || number > 1)
        throw new TablesDamaged(
          `${path}: the file is of the form ${said.format}, which this version does not know.`,
        );
    } else if ('end' in said) return { hash, rows: said.end };
    else yield said;
  }
  throw new TablesDamaged(`${path}: the file ends after ${number} lines, before its last one.`);
}

/** Checks a whole file. Answers what {@link writeTables} answered. Throws {@link TablesDamaged}. */
export async function checkTables(
  path: string,
): Promise<{ readonly rows: RowCounts; readonly hash: string }> {
  const rows = rowsIn(path);
  for (;;) {
    const next = await rows.next();
    if (next.done) return next.value;
  }
}
