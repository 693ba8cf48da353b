/**
 * Makes the read models' tables in an empty schema: in the live one's place the first time, and beside it for
 * every rebuild. A read model never changes its tables in place: one of another shape is built beside the
 * live one and swapped (engine/rebuild.ts).
 */
import type pg from 'pg';
import { positionText, START } from '#contracts/log';
import { CREATE_CHECKPOINTS } from './checkpoints.js';
import { connectionTo, connectPatiently } from './database.js';
import { CREATE_PARKING } from './parking.js';
import type { TableDefinition } from './read-model.js';
import { readRights } from './read-rights.js';

/** Makes the schema, its tables and their checkpoints, all or nothing. */
export async function makeTables(
  databaseUrl: string,
  models: readonly TableDefinition[],
  schema: string,
): Promise<void> {
  const client = await connectPatiently(connectionTo(databaseUrl, schema));
  try {
    await make(client, models, {
      // Asked first: whoever may make tables in it may not make schemas.
      before: [
        `do $schema$ begin if to_regnamespace('${schema}') is null then create schema ${schema}; end if; end $schema$`,
      ],
      after: readRights(schema),
    });
  } finally {
    await client.end();
  }
}

/** Makes the tables as temporary ones of a connection whose search path is `pg_temp`: they end with it. */
export const makeTemporaryTables = (
  client: pg.ClientBase,
  models: readonly TableDefinition[],
): Promise<void> => make(client, models, { before: [], after: [] });

async function make(
  client: pg.ClientBase,
  models: readonly TableDefinition[],
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  const statements = models.flatMap((model) => model.statements);
  await client.query(
    ['begin', ...before, CREATE_CHECKPOINTS, ...CREATE_PARKING, ...statements, ...after].join(';\n'),
  );
  for (const { name, version } of models)
    await client.query(
      'insert into checkpoints (model, version, position, journal_revision) values ($1, $2, $3, -1)',
      [name, version, positionText(START)],
    );
  await client.query('commit');
}
