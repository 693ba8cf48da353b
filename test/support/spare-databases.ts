/**
 * Databases with the tables of all read models, for one spec after the other. Making them costs half a second
 * and emptying them hardly anything: a spec that leaves the tables as they were made leaves its database to
 * the next.
 */
import pg from 'pg';
import { READ_SCHEMA } from '#projections/engine/database';
import { makeTables } from '#projections/engine/make-tables';
import { prepareReadModels } from '#projections/engine/prepare';
import { readModels } from '#projections/read-models';
import { freshDatabase } from '#test/support/database';
import { MemoryLog } from '#test/support/memory-log';
import { PlainVault } from '#test/support/plain-vault';

/** The same tables a second time, for a replay to be compared with the live ones. */
export const REPLAY_SCHEMA = 'spec_replay';

/** A database that nobody else has, until it is given back. */
export interface SpareDatabase {
  readonly url: string;
  /** What there was in it when it was made: tables, columns, rules. */
  readonly catalog: string;
  /** Its checkpoints as they were made, as JSON; every other table was empty. */
  readonly checkpoints: string;
}

/** By cluster. */
const spare = new Map<string, SpareDatabase[]>();

/**
 * Everything in a database that is not Postgres' own, as one hash; a column, an index or a schema more is
 * another.
 */
const CATALOG = `
  select md5(string_agg(what, ' ' order by what)) as catalog from (
    select concat('class ', c.oid, c.relname, c.relnamespace, c.relowner, c.relacl) as what from pg_class c where c.oid >= 16384
      and c.relnamespace <> 'pg_toast'::regnamespace and c.relpersistence <> 't'
    union all select concat('column ', attrelid, attname, attnum, atttypid, attnotnull, attisdropped) from pg_attribute
      join pg_class c on c.oid = attrelid where attrelid >= 16384 and c.relpersistence <> 't'
    union all select concat('rule ', oid, conname, convalidated) from pg_constraint where oid >= 16384
    union all select concat('trigger ', oid, tgenabled) from pg_trigger where oid >= 16384 and not tgisinternal
    union all select concat('function ', oid) from pg_proc where oid >= 16384
    union all select concat('schema ', oid, nspname, nspowner, nspacl) from pg_namespace where oid >= 16384
      and nspname not like 'pg_%') as everything`;

/** A database in the cluster that `url` points into. */
export async function spareDatabase(url: string): Promise<SpareDatabase> {
  return spare.get(url)?.pop() ?? make(url);
}

/** Leaves it to the next, unless it is another by now. Nobody may use it any more. */
export async function giveBack(url: string, database: SpareDatabase): Promise<void> {
  await connected(database.url, async (client) => {
    if ((await catalogOf(client)) !== database.catalog) return;
    await empty(client, database, READ_SCHEMA);
    spare.set(url, [...(spare.get(url) ?? []), database]);
  });
}

/** Takes what an earlier replay has left. */
export const clearReplay = (database: SpareDatabase): Promise<void> =>
  connected(database.url, (client) => empty(client, database, REPLAY_SCHEMA));

async function make(url: string): Promise<SpareDatabase> {
  const databaseUrl = await freshDatabase(url);
  const models = readModels(new PlainVault());
  await prepareReadModels({ databaseUrl, log: new MemoryLog(), models });
  await makeTables(databaseUrl, models, REPLAY_SCHEMA);
  return connected(databaseUrl, async (client) => {
    const { rows } = await client.query<{ checkpoints: string }>(
      `select json_agg(c)::text as checkpoints from ${READ_SCHEMA}.checkpoints c`,
    );
    return { url: databaseUrl, catalog: await catalogOf(client), checkpoints: rows[0]!.checkpoints };
  });
}

async function empty(client: pg.Client, { checkpoints }: SpareDatabase, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1',
    [schema],
  );
  // In any order: rules between tables are not asked.
  await client.query(
    [
      'begin',
      'set local session_replication_role = replica',
      ...rows.map(({ name }) => `delete from ${schema}.${name}`),
    ].join(';'),
  );
  await client.query(
    `insert into ${schema}.checkpoints select * from json_populate_recordset(null::${schema}.checkpoints, $1)`,
    [checkpoints],
  );
  await client.query('commit');
}

async function catalogOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ catalog: string }>(CATALOG);
  return rows[0]!.catalog;
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
