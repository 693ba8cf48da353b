/**
 * The roles of Postgres: each process signs in as one of its own, which may do what that process does and
 * nothing else. Tables belong to the owner, who makes them (`migrations.ts`); the read models belong to the
 * projections, who make and drop them.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** Who signs in to Postgres, the owner excepted. */
export const ROLES = {
  ledger: 'encore_ledger',
  projections: 'encore_projections',
  workers: 'encore_workers',
  audit: 'encore_audit',
  backup: 'encore_backup',
} as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** What a role may do with a table: privileges as SQL names them. */
export const READS = 'select';
export const WRITES = 'select, insert, update, delete';

/** What each role may do with each table, by `schema.table`; a role that is not named may do nothing. */
export type TableGrants = Readonly<Record<string, Partial<Readonly<Record<Role, string>>>>>;

/**
 * What Postgres keeps of a password for SCRAM-SHA-256 (RFC 5802, RFC 7677): made here, so that the password
 * itself is in no statement and in no log of a server.
 */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const iterations = 4096;
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (words: string): Buffer => createHmac('sha256', salted).update(words).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest();
  const parts = [storedKey, keyed('Server Key')].map((part) => part.toString('base64'));
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${parts.join(':')}`;
}

/** A name of SQL that needs no quoting; anything else never comes from outside. */
export function plainName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new RangeError(`"${name}" is not a plain name`);
  return name;
}

/**
 * One statement that does something only where a role is there: a database of one's own may have none of
 * them.
 */
export const whereRole = (role: Role, statements: readonly string[]): string =>
  `do $roles$ begin if exists (select from pg_roles where rolname = '${ROLES[role]}') then
     ${statements.map((statement) => `${statement};`).join('\n     ')}
   end if; end $roles$`;
