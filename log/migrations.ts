/**
 * Makes what a schema of Postgres must hold: each step once, in order, noted in the schema's own table
 * `migrations`. The read models' tables are no part of this: they are built anew, never altered.
 */
import type { Pool } from 'pg';

export interface Migration {
  readonly name: string;
  /** One step; in a database of before these notes it may find its tables there (`create … if not exists`). */
  readonly sql: string;
}

export interface SchemaMigrations {
  readonly schema: string;
  readonly migrations: readonly Migration[];
}

/** Makes what is missing, all or nothing. Several processes may start at once: they take turns. */
export async function migrate(pool: Pool, schemas: readonly SchemaMigrations[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtext('encore.migrations'))`);
    for (const { schema, migrations } of schemas) {
      await client.query(`create schema if not exists ${schema}`);
      await client.query(
        `create table if not exists ${schema}.migrations (name text primary key, made_at timestamptz not null default now())`,
      );
      const { rows } = await client.query<{ name: string }>(`select name from ${schema}.migrations`);
      const made = new Set(rows.map(({ name }) => name));
      for (const { name, sql } of migrations.filter((one) => !made.has(one.name))) {
        await client.query(sql);
        await client.query(`insert into ${schema}.migrations (name) values ($1)`, [name]);
      }
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
