/**
 * Makes the read models' tables in a schema: the live one the first time, and a new one for every rebuild. A
 * read model never changes its tables in place; a new version is built beside the live one and swapped
 * (engine/rebuild.ts).
 */
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { positionText, START } from '#contracts/log';
import { createCheckpoints } from './checkpoints.js';
import { schemaName } from './database.js';
import type { TableDefinition } from './read-model.js';

interface Step {
  readonly name: string;
  up(db: Knex): Promise<void>;
}

/**
 * The migrations, as objects of this build: no folder is read, so they run from source and from dist alike.
 */
class TableSteps implements Knex.MigrationSource<Step> {
  private readonly steps: Step[];

  constructor(tables: readonly TableDefinition[]) {
    this.steps = [
      { name: 'checkpoints', up: createCheckpoints },
      ...tables.map((table) => ({
        name: `${table.name}-v${table.version}`,
        // The checkpoint comes with the tables: neither is ever there without the other.
        async up(db: Knex): Promise<void> {
          await table.up(db);
          await db.raw(
            'insert into checkpoints (model, version, position, journal_revision) values (?, ?, ?, -1)',
            [table.name, table.version, positionText(START)],
          );
        },
      })),
    ];
  }

  getMigrations(): Promise<Step[]> {
    return Promise.resolve(this.steps);
  }

  getMigrationName(step: Step): string {
    return step.name;
  }

  getMigration(step: Step): Promise<Knex.Migration> {
    return Promise.resolve({
      up: (db: Knex) => step.up(db),
      down: () => Promise.reject(new Error('Read models are rebuilt, not undone')),
    });
  }
}

/** Makes the schema and whatever tables it lacks. Any number of processes may call it at once. */
export async function migrateReadModels(
  databaseUrl: string,
  tables: readonly TableDefinition[],
  schema: string,
): Promise<void> {
  const guard = new pg.Client({ connectionString: databaseUrl });
  guard.on('error', () => undefined);
  await guard.connect();
  const db = knex({
    client: 'pg',
    connection: databaseUrl,
    searchPath: [schemaName(schema)],
    pool: { min: 0, max: 2 },
    migrations: { migrationSource: new TableSteps(tables), schemaName: schema },
  });
  try {
    await guard.query(`select pg_advisory_lock(hashtext('encore.migrate'))`);
    await guard.query(`create schema if not exists ${schema}`);
    // Knex' own lock is a row that a killed process leaves behind; ours ends with its connection, so this one
    // may be freed.
    await db.migrate.forceFreeMigrationsLock();
    await db.migrate.latest();
  } finally {
    await db.destroy();
    await guard.end();
  }
}
