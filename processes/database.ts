/**
 * Brings Postgres to what this build needs: tables, roles, and what each role may do. The owner alone can.
 */
import pg from 'pg';
import { setRoles } from '#log/database-roles';
import { migrate, missingSteps, type SchemaMigrations } from '#log/migrations';
import type { Role } from '#log/roles';
import { formerOf, READ_SCHEMA, scratchOf } from '#projections/engine/database';
import { readRights } from '#projections/engine/read-rights';
import { GRANTS } from './grants.js';
import { EDGE, VAULT } from './migrations.js';

const READ_SCHEMAS = [READ_SCHEMA, scratchOf(READ_SCHEMA), formerOf(READ_SCHEMA)];

/**
 * Makes what is missing; a repeat changes nothing. Roles are made where there is a password for them, and
 * keep to their rights where they are there. Throws what Postgres says.
 */
export async function prepareDatabase(
  ownersUrl: string,
  passwords: Partial<Readonly<Record<Role, string>>> = {},
): Promise<void> {
  await migrate(ownersUrl, [VAULT, EDGE]);
  await setRoles(ownersUrl, {
    passwords,
    grants: GRANTS,
    readModels: { schemas: READ_SCHEMAS, statements: readRights },
  });
}

/** Throws, with what to do, where a table that this build needs was not made yet. */
export async function assertPrepared(
  databaseUrl: string,
  schemas: readonly SchemaMigrations[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'encore-start' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const missing = await missingSteps(client, schemas);
    if (missing.length > 0)
      throw new Error(
        `Postgres lacks what this build needs (${missing.join(', ')}): run \`encore migrate\` as the owner of the database, then start this again.`,
      );
  } finally {
    await client.end();
  }
}
