/** Each process signs in to Postgres as a role of its own, and what it does not need it may not do. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ACCOUNTS_AT_ONCE } from '#contracts/api/internal';
import { ROLE_NAMES, ROLES, type Role } from '#log/roles';
import { Vault } from '#log/vault';
import { VaultReader } from '#log/vault-reader';
import { providerAccounts, stuckBankAccounts } from '#projections/bank-accounts/queries';
import { moneySummary } from '#projections/balances/queries';
import { openReadPool } from '#projections/engine/database';
import { WORKERS_READ } from '#projections/engine/read-rights';
import { compareWithReplay, isSame, rebuild } from '#projections/engine/rebuild';
import { stopOf, StopNote } from '#projections/engine/stop-note';
import { payoutFunds } from '#projections/payouts/funds';
import { payoutsPutOff, unfinishedPayouts } from '#projections/payouts/queries';
import { dueBacklog, dueSchedules, halfForgotten } from '#projections/schedules/queries';
import { unresolvedPaymentsBefore } from '#projections/transactions/queries';
import { unclaimedByAge } from '#projections/unclaimed/queries';
import { unappliedBacklog, unappliedCharges } from '#projections/unapplied/queries';
import { ReadSide } from '#test/support/read-side';
import { useStack } from '#test/support/stack';
import { readLogRecovery } from '#log/log-recovery';
import { assertPrepared, prepareDatabase } from './database.js';
import { GRANTS } from './grants.js';
import { EDGE, VAULT } from './migrations.js';
import { DiskRooms } from './shell/disk-room.js';

const stack = useStack(['postgres']);
const passwords = Object.fromEntries(
  ROLE_NAMES.map((role) => [role, randomBytes(16).toString('hex')]),
) as Record<Role, string>;
/** The last is Postgres 15's, of what later ones call permission denied. */
const DENIED = /permission denied|must be owner|must be superuser/;
const MASTER_KEY = randomBytes(32).toString('hex');

let side: ReadSide;
let owner: pg.Pool;
const pools = {} as Record<Role, pg.Pool>;
const urlOf = (role: Role, password = passwords[role]): string => {
  const url = new URL(side.databaseUrl);
  url.username = ROLES[role];
  url.password = password;
  return url.href;
};

beforeAll(async () => {
  // Read models of before roles: they belong to the owner.
  side = await ReadSide.open(stack().env.DATABASE_URL!);
  await new StopNote(side.databaseUrl, () => undefined).write('of before');
  owner = openReadPool(side.databaseUrl, 2);
  await prepareDatabase(side.databaseUrl, passwords);
  for (const role of ROLE_NAMES) pools[role] = openReadPool(urlOf(role), 2);
});
afterAll(async () => {
  await Promise.all([...Object.values(pools), owner].map((pool) => pool.end()));
  await side.db.end();
});

/** Each statement by itself, and taken back where it should go through after all. */
async function refused(role: Role, statement: string): Promise<void> {
  const client = await pools[role].connect();
  try {
    await client.query('begin');
    await expect(client.query(statement)).rejects.toThrow(DENIED);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('every role', () => {
  const EVERYWHERE = [
    'create schema mine',
    'create table public.mine (id int)',
    'create temporary table mine (id int)',
    'create role mine',
    'alter role encore_audit superuser',
    'drop schema edge cascade',
    'create table edge.mine (id int)',
    'create table vault.mine (id int)',
    `insert into edge.migrations (name) values ('mine')`,
    'drop table vault.data_keys',
    'alter table edge.sessions add column mine int',
    'truncate vault.data_keys',
    'delete from vault.data_keys',
    `copy edge.sessions to program 'cat'`,
    "select pg_read_file('PG_VERSION')",
    'select rolpassword from pg_authid',
  ];
  /**
   * The projections make and drop the schemas of the read models; the audit replays into temporary tables.
   */
  const ALLOWED: Partial<Record<Role, string>> = {
    projections: 'create schema mine',
    audit: 'create temporary table mine (id int)',
  };
  it.each(ROLE_NAMES)('%s makes no schema, table or role, and takes nothing away', async (role) => {
    for (const statement of EVERYWHERE) if (ALLOWED[role] !== statement) await refused(role, statement);
  });

  it.each(ROLE_NAMES)('%s signs in with its own password and no other', async (role) => {
    const stranger = new pg.Client({ connectionString: urlOf(role, 'guessed') });
    await expect(stranger.connect()).rejects.toThrow(/password authentication failed/);
    const { rows } = await pools[role].query('select current_user as name');
    expect(rows).toEqual([{ name: ROLES[role] }]);
  });

  it('has the password kept as SCRAM-SHA-256 keeps it', async () => {
    const { rows } = await owner.query<{ rolpassword: string }>(
      `select rolpassword from pg_authid where rolname like 'encore\\_%'`,
    );
    expect(rows).toHaveLength(ROLE_NAMES.length);
    for (const { rolpassword } of rows) expect(rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
  });
});

describe('forbidden is', () => {
  it.each<[Role, string]>([
    ['projections', `delete from edge.sessions`],
    [
      'projections',
      `insert into edge.verified_webhooks (endpoint, secret_fingerprint) values ('platform', 'x')`,
    ],
    ['projections', 'select * from edge.sessions'],
    ['projections', 'select * from edge.messages'],
    ['projections', 'delete from edge.log_recovery'],
    ['projections', `update vault.data_keys set wrapped_key = null`],
    ['projections', `insert into vault.data_keys (user_id, wrapped_by) values ('usr_a', 'x')`],
    ['workers', 'select id_hash from edge.sessions'],
    ['workers', 'select * from edge.passkey_tokens'],
    ['workers', 'select * from edge.mail_addresses'],
    ['workers', 'select * from vault.data_keys'],
    ['workers', 'select email from read.users'],
    ['workers', 'select note from read.transactions'],
    ['workers', 'update read.balances set balance_minor = 0'],
    ['workers', 'delete from edge.payout_funds'],
    ['workers', 'delete from edge.log_recovery'],
    ['audit', 'update read.balances set balance_minor = 0'],
    ['audit', 'delete from read.checkpoints'],
    ['audit', 'select 1 from read.checkpoints for update'],
    ['audit', 'create table read.mine (id int)'],
    ['audit', 'create schema mine'],
    ['audit', 'select * from edge.sessions'],
    ['audit', 'update vault.data_keys set wrapped_key = null'],
    ['audit', 'delete from edge.provider_transactions'],
    ['ledger', 'update read.balances set balance_minor = 0'],
    ['ledger', "insert into read.projector_stop (why) values ('x')"],
    ['ledger', 'delete from read.checkpoints'],
    ['ledger', 'create table read.mine (id int)'],
    ['ledger', 'drop schema read cascade'],
    ['ledger', `update edge.security_trail set outcome = 'done'`],
    ['ledger', 'create temporary table mine (id int)'],
    ['backup', 'update edge.sessions set expires_at = now()'],
    ['backup', 'delete from edge.sign_ins'],
    ['backup', "update vault.data_keys set wrapped_by = 'x'"],
    ['backup', 'select * from read.users'],
  ])('to the %s: %s', (role, statement) => refused(role, statement));
});

describe('each role can do its work', () => {
  it('the ledger seals, forgets, keeps what is beside the log, and reads the read models', async () => {
    await assertPrepared(urlOf('ledger'), [VAULT, EDGE]);
    const vault = Vault.open(pools.ledger, MASTER_KEY);
    await vault.seal('usr_a', 'x');
    await vault.forget('usr_a');
    const { rows } = await owner.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('edge', 'read')
        and tablename not in ('migrations', 'migrations_lock', 'room_probe')`,
    );
    for (const { name } of rows) await pools.ledger.query(`select * from ${name} limit 1`);
    for (const { name } of rows.filter((row) => row.name.startsWith('edge.')))
      await pools.ledger.query(`delete from ${name} where false`);
    expect(await stopOf(pools.ledger)).toBe('of before');
    const rooms = new DiskRooms({ diskRoom: () => Promise.resolve(undefined) }, pools.ledger);
    expect(await rooms.problems()).toEqual([]);
  });

  it('the projections own the read models, those of before too, and rebuild them', async () => {
    const { rows } = await owner.query<{ owner: string }>(
      `select distinct tableowner as owner from pg_tables where schemaname = 'read'
       union select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'read'`,
    );
    expect(rows).toEqual([{ owner: ROLES.projections }]);
    const { story, models } = side;
    const report = await rebuild({
      databaseUrl: urlOf('projections'),
      log: story.log,
      models,
      compare: true,
      swap: true,
    });
    expect(isSame(report.tables)).toBe(true);
    expect(report.swapped).toBe(true);
    await new StopNote(urlOf('projections'), (error) => {
      throw error;
    }).write('again');
    expect(await stopOf(pools.ledger)).toBe('again');
    await VaultReader.open(pools.projections, MASTER_KEY).assertMasterKey();
    expect(await readLogRecovery(pools.projections)).toBeUndefined();
  });

  it('the workers find all that is due', async () => {
    const now = new Date();
    const db = pools.workers;
    await unappliedCharges(db, 10);
    await unappliedBacklog(db);
    await unresolvedPaymentsBefore(db, now, 10);
    await unfinishedPayouts(db, 10, undefined, (await payoutFunds(db)).availableMinor);
    await payoutsPutOff(db, 0);
    await providerAccounts(db, ACCOUNTS_AT_ONCE);
    await stuckBankAccounts(db, now, 10);
    await halfForgotten(db, 10);
    await dueSchedules(db, now, 10);
    await dueBacklog(db, now);
    await moneySummary(db);
    await unclaimedByAge(db, now);
    expect(await readLogRecovery(db)).toBeUndefined();
  });

  it('the audit compares every row with a replay, and makes no schema and leaves no table', async () => {
    const { story, models } = side;
    const options = { databaseUrl: urlOf('audit'), log: story.log, models };
    for (const _ of ['once', 'again']) {
      const report = await compareWithReplay(options);
      expect(report.tables.length).toBeGreaterThan(20);
      expect(isSame(report.tables)).toBe(true);
    }
    const { rows } = await owner.query(`select from pg_tables where tableowner = '${ROLES.audit}'`);
    expect(rows).toEqual([]);
    await VaultReader.open(pools.audit, MASTER_KEY).assertMasterKey();
    await pools.audit.query('select * from edge.provider_transactions');
  });

  it('the backup reads all that a backup has', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('edge', 'vault')
        and tablename <> 'migrations_lock'`,
    );
    for (const { name } of rows) await pools.backup.query(`select * from ${name} limit 1`);
  });
});

describe('what each role may do', () => {
  it('is declared for every table beside the log', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select format('%s.%s', schemaname, tablename) as name from pg_tables where schemaname in ('edge', 'vault')
        and tablename not in ('migrations', 'migrations_lock') order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(GRANTS).sort());
  });

  it('names columns and tables of the read models that there are', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select format('%s.%s', table_name, column_name) as name from information_schema.columns where table_schema = 'read'`,
    );
    const there = new Set(rows.flatMap(({ name }) => [name, name.split('.')[0]!]));
    const named = Object.entries(WORKERS_READ).flatMap(([table, columns]) =>
      columns === 'all' ? [table] : columns.map((column) => `${table}.${column}`),
    );
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  it('is the same after another start, and a new password takes the place of the old one', async () => {
    const rights = async (): Promise<unknown[]> =>
      (
        await owner.query(`select oid::regclass::text as name, relacl::text, relowner from pg_class
                           where relnamespace::regnamespace::text in ('edge', 'vault', 'read') order by 1`)
      ).rows;
    const before = await rights();
    await prepareDatabase(side.databaseUrl, { ...passwords, audit: 'another-one' });
    expect(await rights()).toEqual(before);
    const auditor = new pg.Client({ connectionString: urlOf('audit', 'another-one') });
    await auditor.connect();
    await auditor.end();
    await prepareDatabase(side.databaseUrl, passwords);
  });

  it('is said by a process that finds the tables of another build', async () => {
    const NEW = { schema: 'edge', migrations: [{ name: 'of-tomorrow', sql: 'select 1' }] };
    await expect(assertPrepared(urlOf('ledger'), [VAULT, EDGE, NEW])).rejects.toThrow(
      'Postgres lacks what this build needs (edge: of-tomorrow): run `encore migrate` as the owner of the database',
    );
  });

  it('is left alone by a build that is older than its tables, which says so', async () => {
    await owner.query(`insert into vault.migrations (name, batch) values ('of-tomorrow', 99)`);
    try {
      await expect(prepareDatabase(side.databaseUrl, passwords)).rejects.toThrow(
        'Postgres has tables of a newer build than this one (vault: of-tomorrow): start the newer build.',
      );
    } finally {
      await owner.query(`delete from vault.migrations where name = 'of-tomorrow'`);
    }
  });
});
