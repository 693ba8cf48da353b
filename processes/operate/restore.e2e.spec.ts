/** `operate restore` as a program: what of Postgres gives way to the backup, and what stays as it is. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { knownNames } from '#audit/backup/known-tables';
import { JOURNAL } from '#contracts/events/journal';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import type { Sealed } from '#contracts/events/journal';
import { EsdbLog } from '#log/esdb';
import { readLogRecovery } from '#log/log-recovery';
import { rewrap } from '#log/rewrap';
import { Vault } from '#log/vault';
import type { MasterKeys } from '#log/vault-reader';
import { CREATE_CHECKPOINTS } from '#projections/engine/checkpoints';
import { openReadPool } from '#projections/engine/database';
import { ChainedLog } from '#test/support/chained-log';
import { useStack } from '#test/support/stack';
import { prepareDatabase } from '../database.js';
import { EDGE, VAULT } from '../migrations.js';
import { ENDED, SEALED_TEXTS } from './restore.js';

const stack = useStack(['postgres', 'eventstore']);
const work = mkdtempSync(join(tmpdir(), 'encore-restore-'));
const kept = join(work, 'kept');
const newKey = (): string => randomBytes(32).toString('hex');
const [before, present] = [newKey(), newKey()];
const BOTH = { current: present, others: [before] };

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** A ledger that starts after all is ended, so that its test fails. */
const ENDED_AFTER_MS = 20_000;

/** Runs a program of dist/ to its end. */
const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const [program, ...rest] = words;
    const { env: ofStack } = stack();
    // The stack's certificates for passes are not made here.
    const passes = Object.keys(ofStack).flatMap((key) => (key.startsWith('APPLE_') ? [[key, '']] : []));
    const keys = { ENCORE_MASTER_KEY: present, ENCORE_PREVIOUS_MASTER_KEY: before };
    const options = {
      env: { ...process.env, ...ofStack, ...Object.fromEntries(passes), ...keys, ...env },
      timeout: ENDED_AFTER_MS,
    };
    execFile(process.execPath, [`dist/processes/${program}.js`, ...rest], options, (error, out, err) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    );
  });
const restore = (env?: Readonly<Record<string, string>>): Promise<Ended> =>
  run(['operate', 'restore', kept], env);
const restoreBesideLog = (): Promise<Ended> => run(['operate', 'restore', '--keep-log', kept]);

/** With connections that are closed afterwards: a restore is refused beside any. */
async function inPostgres<T>(act: (pool: ReturnType<typeof openReadPool>) => Promise<T>): Promise<T> {
  const pool = openReadPool(stack().env.DATABASE_URL!, 2);
  try {
    return await act(pool);
  } finally {
    await pool.end();
  }
}
const withVault = <T>(keys: string | MasterKeys, act: (vault: Vault) => Promise<T>): Promise<T> =>
  inPostgres((pool) => act(Vault.open(pool, keys)));

const story = new ChainedLog();
let sealed: Sealed;
let sealKey: Buffer;

beforeAll(async () => {
  await prepareDatabase(stack().env.DATABASE_URL!);
  await withVault(before, async (vault) => {
    sealed = await vault.seal('usr_juno', 'Juno');
    sealKey = await vault.sealKey();
  });
  story.add(JOURNAL);
  story.add('user-usr_juno', 'UserSignedUp', { userId: 'usr_juno', firstName: sealed });
  const log = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
  for (const { stream, revision, id, type, data, metadata } of story.all)
    await log.append(stream, [{ id, type, data, metadata }], revision - 1, 5_000);
  await log.close();
  expect(await run(['operate', 'backup', kept], { BACKUP_DATABASE_URL: '' })).toMatchObject({
    status: 0,
    err: '',
  });
}, 120_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));
beforeEach(() =>
  inPostgres((pool) => pool.query('delete from vault.data_keys; delete from edge.log_recovery')),
);

describe('the data keys of a backup', () => {
  it('come back into an empty vault', async () => {
    expect(await restore()).toMatchObject({ status: 0, err: '' });
    expect(await withVault(BOTH, (vault) => vault.unseal(sealed))).toBe('Juno');
  });

  it('take the place of those that a ledger has drawn meanwhile, and it is said whose they are', async () => {
    await withVault(present, async (vault) => {
      await vault.seal('usr_juno', 'fresh');
      await vault.sealKey();
      await vault.seal('usr_new', 'New');
    });
    const { status, out } = await restore();
    expect(status).toBe(0);
    expect(out).toMatch(
      /^In Postgres 2 data keys differed from the backup’s \(usr_juno, and the key of our objects at the card provider\)/m,
    );
    await withVault(BOTH, async (vault) => {
      expect(await vault.unseal(sealed)).toBe('Juno');
      expect(await vault.sealKey()).toEqual(sealKey);
      expect(await vault.seal('usr_new', 'New')).toMatch(/^sealed:usr_new:1\./);
    });
  });

  it('leave those alone that are the same, wrapped by whichever master key', async () => {
    await restore();
    await inPostgres((pool) => rewrap(pool, present, before));
    const { status, out } = await restore();
    expect(status).toBe(0);
    expect(out).not.toMatch(/data keys? differed/);
    expect(await withVault(present, (vault) => vault.unseal(sealed))).toBe('Juno');
  });

  it('bring nobody back who was forgotten since', async () => {
    await withVault(present, async (vault) => {
      await vault.seal('usr_juno', 'fresh');
      await vault.forget('usr_juno');
    });
    expect(await restore()).toMatchObject({ status: 0 });
    expect(await withVault(BOTH, (vault) => vault.unseal(sealed))).toBeUndefined();
  });

  it('are not brought back beside one that none of the master keys opens: nothing is changed', async () => {
    await withVault(newKey(), (vault) => vault.seal('usr_juno', 'fresh'));
    const { status, err } = await restore();
    expect(status).toBe(2);
    expect(err).toMatch(
      /^The data key of user usr_juno in Postgres is wrapped by the master key \w{8}, .* Nothing in Postgres was changed\.$/m,
    );
    expect((await inPostgres((pool) => pool.query('select user_id from vault.data_keys'))).rows).toEqual([
      { user_id: 'usr_juno' },
    ]);
  });
});

describe('a backup', () => {
  it('is not made of a vault that was lost: it would take the place of those that have the keys', async () => {
    const empty = join(work, 'empty');
    const { status, err } = await run(['operate', 'backup', empty], { BACKUP_DATABASE_URL: '' });
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/^The vault is empty, and the log holds texts .* Nothing was backed up\.$/m),
    ]);
    expect(existsSync(empty)).toBe(false);
  });
});

describe('what was sealed with a data key that gives way', () => {
  const withKept = join(work, 'with-texts');
  const texts = () =>
    inPostgres(async (pool) => {
      const { rows } = await pool.query<{ id: string; sealed: Sealed }>(
        `select user_id as id, sealed from edge.pictures
         union all select message_id, sealed_link from edge.message_deliveries where sealed_link is not null
         order by 1`,
      );
      const open = (sealed: Sealed): Promise<string | undefined> =>
        Vault.open(pool, BOTH).unsealOr(sealed, 'unreadable');
      return Object.fromEntries(
        await Promise.all(rows.map(async ({ id, sealed: text }) => [id, await open(text)] as const)),
      );
    });
  const picture = (pool: pg.Pool, userId: string, text: Sealed) =>
    pool.query(`insert into edge.pictures (user_id, hash, sealed) values ($1, 'h', $2)`, [userId, text]);
  const mail = (pool: pg.Pool, id: string, link: Sealed) =>
    pool.query(
      `insert into edge.message_deliveries (message_id, user_id, channel, status, sealed_link)
       values ($1, 'usr_juno', 'mail', 'sent', $2)`,
      [id, link],
    );
  const empty = () =>
    inPostgres((pool) => pool.query('delete from edge.pictures; delete from edge.message_deliveries'));
  beforeAll(async () => {
    await empty();
    await inPostgres(async (pool) => {
      await pool.query('delete from vault.data_keys');
      const vault = Vault.open(pool, before);
      await picture(pool, 'usr_juno', await vault.seal('usr_juno', 'picture of the backup'));
      await mail(pool, 'msg_both', await vault.seal('usr_juno', 'link of the backup'));
    });
    expect(await run(['operate', 'backup', withKept], { BACKUP_DATABASE_URL: '' })).toMatchObject({
      status: 0,
    });
  });
  afterAll(empty);

  it('makes room for the backup’s rows, while rows stay that the backup’s key opens', async () => {
    await run(['operate', 'restore', withKept]);
    const link = await withVault(before, (vault) => vault.seal('usr_juno', 'link since the backup'));
    await inPostgres((pool) => pool.query('delete from vault.data_keys'));
    await empty();
    await inPostgres(async (pool) => {
      const vault = Vault.open(pool, present);
      await picture(pool, 'usr_juno', await vault.seal('usr_juno', 'fresh'));
      await picture(pool, 'usr_new', await vault.seal('usr_new', 'picture of a new user'));
      await mail(pool, 'msg_both', await vault.seal('usr_juno', 'fresh'));
      await mail(pool, 'msg_fresh', await vault.seal('usr_juno', 'fresh'));
      await mail(pool, 'msg_since', link);
    });
    expect(await run(['operate', 'restore', withKept])).toMatchObject({ status: 0 });
    expect(await texts()).toEqual({
      usr_juno: 'picture of the backup',
      usr_new: 'picture of a new user',
      msg_both: 'link of the backup',
      msg_since: 'link since the backup',
    });
  });

  it('stands in no other column of a table that a restore does not empty', async () => {
    const { rows } = await inPostgres((pool) =>
      pool.query<{ table: string; column: string }>(
        `select table_schema || '.' || table_name as table, column_name as column from information_schema.columns
          where table_schema = 'edge' and column_name like '%sealed%'`,
      ),
    );
    const looked = rows.filter(({ table }) => !ENDED.includes(table));
    expect(looked).toHaveLength(SEALED_TEXTS.length);
    expect(looked).toEqual(expect.arrayContaining([...SEALED_TEXTS]));
  });
});

describe('the read models', () => {
  const USER = 'user-usr_juno';
  /** They have read the journal's only entry, and stand at an event of a person. */
  const standAt = (revision: number, id: string) =>
    inPostgres(async (pool) => {
      await pool.query(`drop schema if exists read cascade; create schema read; ${CREATE_CHECKPOINTS}`);
      await pool.query('insert into checkpoints values ($1, $2, $3, $4, $5, $6)', [
        ...['users', 'v', '[]', '9/9', 0],
        JSON.stringify({ position: '9/9', stream: USER, revision, id }),
      ]);
    });
  const afterwards = () =>
    inPostgres(async (pool) => {
      const recovery = await readLogRecovery(pool);
      const { rows } = await pool.query<{ kept: boolean }>(
        `select to_regclass('read.checkpoints') is not null as kept`,
      );
      return { ...rows[0], recovery };
    });

  it('are dropped where the backup has all that they have seen', async () => {
    await standAt(0, story.all.find(({ stream }) => stream === USER)!.id);
    expect((await restore()).out).toMatch(/^The read models were dropped/m);
    expect(await afterwards()).toEqual({ kept: false, recovery: undefined });
  });

  it.each([
    ['an event that came since', 1],
    ['another event in the place of one', 0],
  ])('stay as proof where they have seen %s, though the journal is the same', async (_, revision) => {
    await standAt(revision, 'another');
    expect((await restore()).out).toMatch(/so the log is in recovery/);
    const { kept, recovery } = await afterwards();
    expect(kept).toBe(true);
    expect(recovery).toMatchObject({ logRevision: 0, knownFrom: 'rows' });
    expect(recovery).not.toHaveProperty('knownRevision');
    expect(recovery?.reason).toContain(
      `the read models had seen revision ${revision} of ${USER} (event another), which is not in it`,
    );
  });
});

describe('a backup of a newer version', () => {
  const [newer, columns] = [join(work, 'newer'), 'alter table edge.pictures'];

  it('is refused without a server, before anything is changed, for a column that this one does not know', async () => {
    await withVault(before, (vault) => vault.seal('usr_juno', 'text'));
    await inPostgres((pool) =>
      pool.query(`${columns} add column of_tomorrow text default 'x';
        insert into edge.pictures (user_id, hash, sealed) values ('usr_juno', 'h', 'sealed:usr_juno:1.x')`),
    );
    expect(await run(['operate', 'backup', newer], { BACKUP_DATABASE_URL: '' })).toMatchObject({ status: 0 });
    await inPostgres((pool) => pool.query(`${columns} drop column of_tomorrow`));
    const refused = {
      status: 2,
      err: expect.stringMatching(
        /^The backup has edge\.pictures with of_tomorrow, which this version of Encore does not have: .* Nothing was changed\.$/m,
      ),
    };
    const noServer = {
      DATABASE_URL: 'postgres://encore@127.0.0.1:1/encore',
      EVENTSTORE_URL: 'esdb://127.0.0.1:1',
    };
    expect(await run(['operate', 'restore', '--check', newer], noServer)).toMatchObject(refused);
    expect(await run(['operate', 'restore', newer])).toMatchObject(refused);
  });

  it('is any other than one of this version: it knows all that its own steps make', async () => {
    expect(await run(['operate', 'restore', '--check', kept])).toMatchObject({ status: 0 });
    const { rows } = await inPostgres((pool) =>
      pool.query<{ table: string; column: string }>(
        `select table_schema || '.' || table_name as table, column_name as column from information_schema.columns
          where table_schema in ('vault', 'edge') and table_name not like 'migrations%'`,
      ),
    );
    const known = knownNames([VAULT, EDGE]);
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(({ table, column }) => !known(table, column))).toEqual([]);
  });
});

describe('a Postgres that was brought back in another way', () => {
  it('is told by one statement what a restore tells it', async () => {
    const page = readFileSync('docs/how-to/back-up.md', 'utf8');
    const [, statement = ''] = /`(delete from edge\.sessions[^`]+)`/.exec(page) ?? [];
    const ended = [...statement.matchAll(/delete from (edge\.\w+)/g)].map(([, table]) => table);
    expect(ended.toSorted()).toEqual(ENDED.toSorted());
    await inPostgres(async (pool) => {
      await pool.query(`update edge.message_marks set no_mail_before = 'epoch', position = '9/9'`);
      await pool.query(statement);
      const { rows } = await pool.query(
        `select position, now() - no_mail_before < interval '1 minute' as mails_nothing from edge.message_marks`,
      );
      expect(rows).toEqual([{ position: null, mails_nothing: true }]);
    });
  });
});

describe('a ledger over a log with sealed texts', () => {
  it('does not start without the vault, and draws no key', async () => {
    const { status, err } = await run(['ledger']);
    expect(status).toBe(2);
    expect(err).toMatch(/^The vault is empty, .* Restore it before anything is started/);
    const { rows } = await inPostgres((pool) => pool.query('select user_id from vault.data_keys'));
    expect(rows).toEqual([]);
  });

  it('does not start with the keys of nobody but itself', async () => {
    await withVault(present, (vault) => vault.sealKey());
    expect(await run(['ledger'])).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^The vault is empty/),
    });
  });

  it('starts on what the log is where an operator has said that the vault is in no backup', async () => {
    const page = readFileSync('docs/how-to/back-up.md', 'utf8');
    const [, statement] = /`(insert into vault\.data_keys [^`]+)`/.exec(page) ?? [];
    await inPostgres((pool) => pool.query(statement!));
    // The vault is passed over; this log is none that a ledger wrote.
    expect((await run(['ledger'])).err).toMatch(/holds an event of type "X", which this build does not know/);
  });
});

describe('a log that went on since the backup', () => {
  const log = async <T>(act: (log: EsdbLog) => Promise<T>): Promise<T> => {
    const opened = EsdbLog.connect(stack().env.EVENTSTORE_URL!);
    try {
      return await act(opened);
    } finally {
      await opened.close();
    }
  };
  const idsInLog = (): Promise<string[]> =>
    log(async (opened) => {
      const ids: string[] = [];
      for await (const { id } of opened.readAll(START, OUR_PREFIXES)) ids.push(id);
      return ids;
    });
  const markAt = (position: string | null) =>
    inPostgres((pool) => pool.query('update edge.message_marks set position = $1', [position]));
  beforeAll(async () => {
    story.add('user-usr_juno', 'X');
    const { stream, revision, id, type, data, metadata } = story.all.at(-1)!;
    await log((opened) => opened.append(stream, [{ id, type, data, metadata }], revision - 1, 5_000));
  });

  it('is in the way of the backup, and is thrown away for no lost Postgres', async () => {
    const { status, err } = await restore();
    expect(status).toBe(2);
    expect(err).toMatch(
      /^The event store holds all of the backup and 1 event more.* Where Postgres alone was lost, add --keep-log: /m,
    );
    expect((await inPostgres((pool) => pool.query('select from vault.data_keys'))).rows).toEqual([]);
  });

  it('stays as it is beside what Postgres had; who was forgotten since is looked for from its beginning', async () => {
    await markAt('9/9');
    await inPostgres((pool) => pool.query('drop schema if exists read cascade'));
    const before = await idsInLog();
    const { status, out } = await restoreBesideLog();
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^The log stays as it is: it has all of the backup of .* and 1 event more\.$/m),
    ]);
    expect(await withVault(BOTH, (vault) => vault.unseal(sealed))).toBe('Juno');
    expect(await idsInLog()).toEqual(before);
    const { rows } = await inPostgres((pool) => pool.query('select position from edge.message_marks'));
    expect(rows).toEqual([{ position: null }]);
  });

  it('is not kept beside other data keys than the backup’s: it may hold what was sealed with them', async () => {
    await withVault(present, (vault) => vault.seal('usr_juno', 'fresh'));
    const { status, err } = await restoreBesideLog();
    expect(status).toBe(2);
    expect(err).toMatch(
      /^Postgres holds other data keys than the backup \(usr_juno\), .* Nothing was changed\.$/m,
    );
    expect(await withVault(BOTH, (vault) => vault.unsealOr(sealed, 'unreadable'))).toBe('unreadable');
  });
});
