/**
 * Makes what a schema of Postgres must hold: each step once, in order, noted in the schema's own table
 * `migrations`. The read models' tables are no part of this: they are built anew, never altered.
 */
import knex, { type Knex } from 'knex';
import type { ClientBase } from 'pg';

export interface Migration {
  readonly name: string;
  /**
   * One step; in a database of before these notes it may find its tables there (`create … if not exists`).
   */
  readonly sql: string;
}

export interface SchemaMigrations {
  readonly schema: string;
  readonly migrations: readonly Migration[];
}

/** The steps are objects of this build: no folder is read, so they run from source and from dist alike. */
const sourceOf = (migrations: readonly Migration[]): Knex.MigrationSource<Migration> => ({
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: ({ name }) => name,
  getMigration: ({ sql }) =>
    Promise.resolve({
      up: (db: Knex) => db.raw(sql),
      down: () => Promise.reject(new Error('A step is mended by a further one, never undone.')),
    }),
});

/** Knex writes to the standard output, which belongs to the command that runs it; what matters is thrown. */
const SILENT = { debug: ignore, warn: ignore, error: ignore, deprecate: ignore };

function ignore(): void {}

/** Makes what is missing, all or nothing. Several processes may start at once: they take turns. */
export async function migrate(databaseUrl: string, schemas: readonly SchemaMigrations[]): Promise<void> {
  const db = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 1 }, log: SILENT });
  try {
    await db.transaction(async (trx) => {
      // Knex' own lock is a row that a killed process would leave behind; this one ends with its transaction.
      await trx.raw(`select pg_advisory_xact_lock(hashtext('encore.migrations'))`);
      for (const { schema, migrations } of schemas) {
        await trx.raw('create schema if not exists ??', [schema]);
        await refuseNewer(trx, schema, migrations);
        const migrationSource = sourceOf(migrations);
        await trx.migrate.latest({ migrationSource, schemaName: schema, tableName: 'migrations' });
      }
    });
  } finally {
    await db.destroy();
  }
}

/** Knex would call its own notes corrupt where they name a step that this build does not know. */
async function refuseNewer(
  trx: Knex.Transaction,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  if (!(await trx.schema.withSchema(schema).hasTable('migrations'))) return;
  const made = await trx<{ name: string }>('migrations').withSchema(schema).select('name');
  const newer = made.filter(({ name }) => !migrations.some((known) => known.name === name));
  if (newer.length > 0)
    throw new Error(
      `Postgres has tables of a newer build than this one (${newer.map(({ name }) => `${schema}: ${name}`).join(', ')}): start the newer build.`,
    );
}

/** The steps that were not made yet, as `schema: step`. Asks as any role may, and changes nothing. */
export async function missingSteps(
  db: Pick<ClientBase, 'query'>,
  schemas: readonly SchemaMigrations[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const { schema, migrations } of schemas) {
    const { rows: tables } = await db.query<{ present: boolean }>(
      'select to_regclass($1) is not null as present',
      [`${schema}.migrations`],
    );
    const { rows } = tables[0]?.present
      ? await db.query<{ name: string }>(`select name from ${schema}.migrations`)
      : { rows: [] };
    for (const { name } of migrations)
      if (!rows.some((row) => row.name === name)) missing.push(`${schema}: ${name}`);
  }
  return missing;
}
