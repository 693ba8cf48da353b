/**
 * Makes the read models' tables in an empty schema: in the live one's place the first time, and beside it for
 * every rebuild. A read model never changes its tables in place: one of another shape is built beside the
 * live one and swapped (engine/rebuild.ts).
 */
import pg from 'pg';
import { positionText, START } from '#contracts/log';
import { CREATE_CHECKPOINTS } from './checkpoints.js';
import { connectionTo } from './database.js';
import { CREATE_PARKING } from './parking.js';
import type { TableDefinition } from './read-model.js';
import { readRights } from './read-rights.js';

/** Makes the schema, its tables and their checkpoints, all or nothing; those that are private are nobody else's to read. */
export async function makeTables(
  databaseUrl: string,
  models: readonly TableDefinition[],
  schema: string,
  { isPrivate = false }: { readonly isPrivate?: boolean } = {},
): Promise<void> {
  const client = new pg.Client(connectionTo(databaseUrl, schema));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const statements = models.flatMap((model) => model.statements);
    await client.query(
      [
        'begin',
        // Asked first: whoever may make tables in it may not make schemas.
        `do $schema$ begin if to_regnamespace('${schema}') is null then create schema ${schema}; end if; end $schema$`,
        CREATE_CHECKPOINTS,
        ...CREATE_PARKING,
        ...statements,
        ...(isPrivate ? [] : readRights(schema)),
      ].join(';\n'),
    );
    for (const { name, version } of models)
      await client.query(
        'insert into checkpoints (model, version, position, journal_revision) values ($1, $2, $3, -1)',
        [name, version, positionText(START)],
      );
    await client.query('commit');
  } finally {
    await client.end();
  }
}
