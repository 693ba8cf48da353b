/**
 * Schemas that a rebuild left which was ended half way: whole copies of the rows, names and notes in the clear, in which
 * nobody who is forgotten later is blanked.
 */
import type pg from 'pg';
import { connectionTo, connectPatiently, READ_SCHEMA, schemaName } from './database.js';
import { prepareLock, rebuildLock } from './rebuild.js';

/** Drops them, unless somebody is at work on them; answers which. */
export async function dropLeftovers(client: pg.ClientBase, schema: string = READ_SCHEMA): Promise<string[]> {
  const scratch = schemaName(`${schema}_rebuild`);
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname = any($1) order by 1',
    [[scratch, schemaName(`${schema}_former`)]],
  );
  const dropped: string[] = [];
  if (rows.length === 0) return dropped;
  // Whoever makes or swaps rows holds one of them all the while.
  const held: string[] = [];
  for (const lock of [prepareLock(schema), rebuildLock(schema, scratch)]) {
    const { rows: got } = await client.query<{ ok: boolean }>(`select pg_try_advisory_lock(${lock}) as ok`);
    if (got[0]?.ok === true) held.push(lock);
  }
  try {
    if (held.length === 2)
      for (const { name } of rows) {
        await client.query(`drop schema if exists ${name} cascade`);
        dropped.push(name);
      }
  } finally {
    for (const lock of held) await client.query(`select pg_advisory_unlock(${lock})`);
  }
  return dropped;
}

/** The same over a connection of its own. */
export async function dropLeftoversAt(databaseUrl: string, schema: string = READ_SCHEMA): Promise<string[]> {
  const client = await connectPatiently(connectionTo(databaseUrl, schema));
  try {
    return await dropLeftovers(client, schema);
  } finally {
    await client.end();
  }
}
