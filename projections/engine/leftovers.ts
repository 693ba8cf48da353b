/**
 * Schemas that an interrupted rebuild left: whole copies of the rows, with names and notes in the clear, in
 * which people who are forgotten later are not blanked.
 */
import type pg from 'pg';
import { connectionTo, connectPatiently, formerOf, READ_SCHEMA, scratchOf } from './database.js';
import { prepareLock, rebuildLock } from './rebuild.js';

/** Drops them, unless somebody is at work on them; answers which. */
export async function dropLeftovers(client: pg.ClientBase, schema: string): Promise<string[]> {
  const scratch = scratchOf(schema);
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname = any($1) order by 1',
    [[scratch, formerOf(schema)]],
  );
  const dropped: string[] = [];
  if (rows.length === 0) return dropped;
  // Whoever makes or swaps rows holds one of these locks meanwhile.
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
export async function dropLeftoversAt(databaseUrl: string): Promise<string[]> {
  const client = await connectPatiently(connectionTo(databaseUrl));
  try {
    return await dropLeftovers(client, READ_SCHEMA);
  } finally {
    await client.end();
  }
}
