/**
 * Gives the roles of `roles.ts` their passwords and their rights. Done by the owner, after each migration; a
 * repeat changes nothing.
 */
import pg from 'pg';
import { plainName, ROLE_NAMES, ROLES, scramVerifier, WRITES, type Role, type TableGrants } from './roles.js';

interface RoleSettings {
  /** By role; a role without one is left as it is. */
  readonly passwords: Partial<Readonly<Record<Role, string>>>;
  readonly grants: TableGrants;
  /**
   * Schemas whose tables a role of its own makes and drops, with what gives the others their rights in them.
   */
  readonly readModels: {
    readonly schemas: readonly string[];
    readonly statements: (schema: string) => readonly string[];
  };
}

/** Builds of before let the audit replay the log into a schema of its own; now it takes temporary tables. */
const AUDIT_SCHEMA_OF_BEFORE = 'read_audit';

/** Which role may enter a schema: whoever may do something with one of its tables. */
function schemasOf(grants: TableGrants): ReadonlyMap<string, ReadonlySet<Role>> {
  const found = new Map<string, Set<Role>>();
  for (const [table, lines] of Object.entries(grants)) {
    const [schema = ''] = table.split('.');
    const roles = found.get(schema) ?? new Set<Role>();
    for (const role of Object.keys(lines) as Role[]) roles.add(role);
    found.set(schema, roles);
  }
  return found;
}

const existing = async (client: pg.ClientBase, sql: string, values: unknown[]): Promise<string[]> =>
  (await client.query<{ name: string }>(sql, values)).rows.map(({ name }) => name);

/**
 * Makes the roles that have a password and gives all that there are their rights, all or nothing. Throws what
 * Postgres says.
 */
export async function setRoles(databaseUrl: string, settings: RoleSettings): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'encore-roles' });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtext('encore.migrations'))`);
    await makeRoles(client, settings.passwords);
    const there = await existing(client, 'select rolname as name from pg_roles where rolname = any($1)', [
      Object.values(ROLES),
    ]);
    const roles = ROLE_NAMES.filter((role) => there.includes(ROLES[role]));
    if (roles.length > 0) {
      for (const statement of await rightsOf(client, roles, settings)) await client.query(statement);
      if (roles.includes('projections')) await giveReadModels(client, settings.readModels);
      await client.query(`drop schema if exists ${AUDIT_SCHEMA_OF_BEFORE} cascade`);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}

async function makeRoles(client: pg.ClientBase, passwords: RoleSettings['passwords']): Promise<void> {
  for (const [role, password] of Object.entries(passwords) as [Role, string][]) {
    const name = ROLES[role];
    const known = await client.query('select from pg_roles where rolname = $1', [name]);
    const verb = known.rowCount === 0 ? 'create' : 'alter';
    await client.query(
      `${verb} role ${name} login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls
         password '${scramVerifier(password)}'`,
    );
  }
  const owner = await client.query<{ super: boolean }>(
    'select rolsuper as super from pg_roles where rolname = current_user',
  );
  // An owner that is no superuser hands tables over only to a role that it is a member of.
  if (passwords.projections !== undefined && owner.rows[0]?.super !== true)
    await client.query(`grant ${ROLES.projections} to current_user`);
}

/** What each role may do, and nothing that it was ever given beside it. */
async function rightsOf(
  client: pg.ClientBase,
  roles: readonly Role[],
  { grants }: RoleSettings,
): Promise<string[]> {
  const everyone = roles.map((role) => ROLES[role]).join(', ');
  const [database = ''] = await existing(client, 'select quote_ident(current_database()) as name', []);
  const statements = [
    `revoke all on database ${database} from public, ${everyone}`,
    `grant connect on database ${database} to ${everyone}`,
    `revoke all on schema public from public, ${everyone}`,
  ];
  // It replays the log into tables that end with its connection.
  if (roles.includes('audit')) statements.push(`grant temporary on database ${database} to ${ROLES.audit}`);
  if (roles.includes('projections'))
    statements.push(`grant create on database ${database} to ${ROLES.projections}`);
  for (const [schema, entering] of schemasOf(grants)) {
    plainName(schema);
    const tables = await existing(
      client,
      `select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE' order by 1`,
      [schema],
    );
    if (tables.length === 0) continue;
    statements.push(
      `revoke all on schema ${schema} from public, ${everyone}`,
      `revoke all on all tables in schema ${schema} from public, ${everyone}`,
      `revoke all on all sequences in schema ${schema} from public, ${everyone}`,
    );
    const mayEnter = roles.filter((role) => entering.has(role)).map((role) => ROLES[role]);
    if (mayEnter.length > 0) statements.push(`grant usage on schema ${schema} to ${mayEnter.join(', ')}`);
    if (roles.includes('ledger'))
      statements.push(`grant usage, select on all sequences in schema ${schema} to ${ROLES.ledger}`);
    for (const table of tables)
      for (const [role, rights] of Object.entries(grantsOf(grants, schema, table)) as [Role, string][])
        if (roles.includes(role))
          statements.push(`grant ${rights} on ${schema}.${plainName(table)} to ${ROLES[role]}`);
  }
  return statements;
}

/**
 * A table without a line is the ledger's alone, and backed up: a spec asks for its line, and until then
 * nothing stands still.
 */
function grantsOf(grants: TableGrants, schema: string, table: string): TableGrants[string] {
  // Which steps were made is read by whoever starts on them.
  if (table === 'migrations')
    return Object.fromEntries(ROLE_NAMES.map((role) => [role, 'select'])) as TableGrants[string];
  if (table === 'migrations_lock') return {};
  return grants[`${schema}.${table}`] ?? { ledger: WRITES, backup: 'select' };
}

/** Read models of before roles belong to whoever made them. */
async function giveReadModels(
  client: pg.ClientBase,
  { schemas, statements }: RoleSettings['readModels'],
): Promise<void> {
  const present = await existing(
    client,
    'select nspname as name from pg_namespace where nspname = any($1) order by 1',
    [schemas],
  );
  for (const schema of present) for (const statement of statements(schema)) await client.query(statement);
}
