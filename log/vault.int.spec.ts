/** The vault on a real Postgres: sealed for one person, unreadable once they are forgotten. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import type { Sealed } from '#contracts/events/journal';
import { openReadPool } from '#projections/engine/database';
import { VAULT } from '#processes/migrations';
import { useStack } from '#test/support/stack';
import { migrate } from './migrations.js';
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import { freshDatabase } from '#test/support/database';
import { rewrap, WrappedByOthers } from './rewrap.js';
import { rotateDataKeys } from './rotate-data-keys.js';
import { DATA_KEY_TABLE, UnreadableText } from './vault-reader.js';
import { KeyDestroyed, Vault, VaultLost } from './vault.js';

const MASTER_KEY = randomBytes(32).toString('hex');

/** With another last character but one, whichever it has: the last one may have bits that mean nothing. */
const changed = (sealed: string): string =>
  sealed.replace(/.(?=.$)/, (character) => (character === 'A' ? 'B' : 'A'));
const stack = useStack(['postgres']);

describe('the vault', () => {
  let pool: pg.Pool;
  let vault: Vault;
  beforeAll(async () => {
    pool = openReadPool(stack().env.DATABASE_URL!, 4);
    // Two processes start at once.
    const url = stack().env.DATABASE_URL!;
    await Promise.all([migrate(url, [VAULT]), migrate(url, [VAULT])]);
    vault = Vault.open(pool, MASTER_KEY);
  });
  afterAll(() => pool.end());

  it('gives back what it sealed, also to another process', async () => {
    const sealed = await vault.seal('usr_juno', 'Loved the second set ♫');
    expect(sealed).not.toContain('second set');
    expect(await vault.unseal(sealed)).toBe('Loved the second set ♫');
    expect(await Vault.open(pool, MASTER_KEY).unseal(sealed)).toBe('Loved the second set ♫');
  });

  it('keeps its keys in a database that was made before migrations were noted', async () => {
    const sealed = await vault.seal('usr_juno', 'from before');
    await pool.query('drop table vault.migrations');
    await pool.query('drop table vault.migrations_lock');
    await migrate(stack().env.DATABASE_URL!, [VAULT]);
    expect(await Vault.open(pool, MASTER_KEY).unseal(sealed)).toBe('from before');
    expect((await pool.query('select name from vault.migrations')).rows).toEqual([
      { name: 'data-keys' },
      { name: 'data-key-versions' },
    ]);
  });

  it('seals the same text differently each time', async () => {
    expect(await vault.seal('usr_juno', 'same')).not.toBe(await vault.seal('usr_juno', 'same'));
  });

  it('makes one key for a person, however many ask at once', async () => {
    const others = [1, 2, 3, 4].map(() => Vault.open(pool, MASTER_KEY));
    const sealed = await Promise.all(others.map((other) => other.seal('usr_race', 'x')));
    expect(await Promise.all(sealed.map((text) => vault.unseal(text)))).toEqual(['x', 'x', 'x', 'x']);
  });

  it('does not open what was sealed for somebody else, or what was changed', async () => {
    const sealed = await vault.seal('usr_juno', 'mine');
    await vault.seal('usr_milo', 'something');
    await expect(vault.unseal(sealed.replace('usr_juno', 'usr_milo'))).rejects.toThrow();
    await expect(vault.unseal(changed(sealed))).rejects.toThrow();
  });

  it('keeps no key that the master key does not wrap', async () => {
    const sealed = await vault.seal('usr_juno', 'mine');
    const thief = Vault.open(pool, randomBytes(32).toString('hex'));
    await expect(thief.unseal(sealed)).rejects.toThrow();
  });

  it('tells equal bodies of one person from others, whatever the order of their keys', async () => {
    const mine = await vault.fingerprint('usr_juno', { amount: '20.00', to: 'usr_milo' });
    expect(await vault.fingerprint('usr_juno', { to: 'usr_milo', amount: '20.00' })).toBe(mine);
    expect(await vault.fingerprint('usr_juno', { to: 'usr_milo', amount: '20.01' })).not.toBe(mine);
    expect(await vault.fingerprint('usr_milo', { to: 'usr_milo', amount: '20.00' })).not.toBe(mine);
  });

  it('forgets a person for good: nothing is read, nothing more is sealed', async () => {
    const sealed = await vault.seal('usr_gone', 'remember me');
    await vault.forget('usr_gone');
    expect(await vault.unseal(sealed)).toBeUndefined();
    await expect(vault.seal('usr_gone', 'again')).rejects.toBeInstanceOf(KeyDestroyed);
    await vault.forget('usr_gone');
    expect(await Vault.open(pool, MASTER_KEY).unseal(sealed)).toBeUndefined();
  });

  it('stops a reader whose key is missing and was not destroyed on purpose', async () => {
    const sealed = await vault.seal('usr_lost', 'text');
    await pool.query(`delete from vault.data_keys where user_id = 'usr_lost'`);
    vault.drop('usr_lost');
    await expect(vault.unseal(sealed)).rejects.toMatchObject({
      name: 'UnreadableText',
      because: 'key-missing',
      message: expect.stringMatching(/data key of user usr_lost is missing .* restore the vault/),
    });
  });

  it('says which key does not open a text, and why', async () => {
    const sealed = await vault.seal('usr_juno', 'mine');
    await expect(vault.unseal(changed(sealed))).rejects.toMatchObject({ because: 'damaged' });
    const other = Vault.open(pool, randomBytes(32).toString('hex'));
    const refused = await other.unseal(sealed).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnreadableText);
    expect(refused).toMatchObject({
      because: 'other-master-key',
      message: expect.stringMatching(/usr_juno \(wrapped by the master key \w{8}; ours is \w{8}\)/),
    });
  });

  it('refuses a master key that opens no data key, in a sentence', async () => {
    await vault.seal('usr_juno', 'mine');
    await vault.assertMasterKey();
    await expect(Vault.open(pool, randomBytes(32).toString('hex')).assertMasterKey()).rejects.toThrow(
      /^ENCORE_MASTER_KEY does not open the data keys: it is the master key \w{8}, and they are wrapped by \w{8}\./,
    );
  });

  it('opens everything under a new master key, and nothing under the old one; done twice, it is done once', async () => {
    const sealed = await vault.seal('usr_juno', 'kept');
    await vault.seal('usr_lost', 'x');
    await vault.forget('usr_lost');
    const newKey = randomBytes(32).toString('hex');
    const { rows } = await pool.query<{ count: string }>(
      'select count(*) from vault.data_keys where wrapped_key is not null',
    );
    expect(await rewrap(pool, newKey, MASTER_KEY)).toBe(Number(rows[0]!.count));
    const [after, before] = [Vault.open(pool, newKey), Vault.open(pool, MASTER_KEY)];
    expect(await after.unseal(sealed)).toBe('kept');
    await expect(before.unseal(sealed)).rejects.toThrow();
    await expect(after.seal('usr_lost', 'y')).rejects.toThrow(KeyDestroyed);
    expect(await rewrap(pool, newKey, MASTER_KEY)).toBe(0);
  });

  it('keeps the key of the provider’s seals over a change of the master key, the one of before it was kept too', async () => {
    await pool.query('delete from vault.data_keys');
    const derived = hkdfSync('sha256', Buffer.from(MASTER_KEY, 'hex'), '', 'encore/provider-metadata/1', 32);
    const before = await Vault.open(pool, MASTER_KEY).sealKey();
    expect(before).toEqual(Buffer.from(derived));
    const newKey = randomBytes(32).toString('hex');
    await rewrap(pool, newKey, MASTER_KEY);
    expect(await Vault.open(pool, newKey).sealKey()).toEqual(before);
    await rewrap(pool, MASTER_KEY, newKey);
  });

  it('changes no key when one of them is wrapped by neither', async () => {
    const [wrong, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const keys = async (): Promise<unknown[]> =>
      (await pool.query('select * from vault.data_keys order by user_id, version')).rows;
    const before = await keys();
    await expect(rewrap(pool, newKey, wrong)).rejects.toThrow(/is wrapped by neither of the two master keys/);
    expect(await keys()).toEqual(before);
  });

  it('reads rows with a key that another master key wraps while both are set, and makes keys by the present one', async () => {
    const newKey = randomBytes(32).toString('hex');
    const before = await vault.seal('usr_both', 'of before');
    const both = Vault.open(pool, { current: newKey, others: [MASTER_KEY, undefined] });
    await both.assertMasterKey();
    expect(await both.unseal(before)).toBe('of before');
    const after = await both.seal('usr_new', 'of the new one');
    // The process that is not replaced yet is told of the key to come.
    const notYet = Vault.open(pool, { current: MASTER_KEY, others: [newKey] });
    expect(await notYet.unseal(after)).toBe('of the new one');
    expect(await rewrap(pool, newKey, MASTER_KEY)).toBeGreaterThan(0);
    expect(await Vault.open(pool, newKey).unseal(before)).toBe('of before');
    await rewrap(pool, MASTER_KEY, newKey);
  });

  it('wraps by the present master key also what is made while it does so', async () => {
    const newKey = randomBytes(32).toString('hex');
    // Two processes, one of them replaced already; the other is told of the key to come, or it could not open
    // what it makes.
    const both = Vault.open(pool, { current: newKey, others: [MASTER_KEY] });
    const notYet = Vault.open(pool, { current: MASTER_KEY, others: [newKey] });
    const names = Array.from({ length: 40 }, (_, n) => `usr_meanwhile_${n}`);
    const [, ...sealed] = await Promise.all([
      // It may find at its end that a key was made a moment ago.
      rewrap(pool, newKey, MASTER_KEY).catch((error: unknown) =>
        expect(error).toBeInstanceOf(WrappedByOthers),
      ),
      ...names.map((name, n) => (n % 2 ? both : notYet).seal(name, name)),
    ]);
    await rewrap(pool, newKey, MASTER_KEY);
    expect(await rewrap(pool, newKey, MASTER_KEY)).toBe(0);
    const after = Vault.open(pool, newKey);
    expect(await Promise.all(sealed.map((text) => after.unseal(text)))).toEqual(names);
    await rewrap(pool, MASTER_KEY, newKey);
  });

  describe('whose keys are wrapped anew while a process makes keys by the old one', () => {
    /**
     * Moves one of so many keys behind the cursor, whose names come before those of others, with each page
     * that is wrapped.
     */
    const lateKeys = async (count: number): Promise<Sealed[]> => {
      const names = Array.from({ length: count }, (_, n) => `a_late_${n}`);
      const sealed = await Promise.all(names.map((name) => vault.seal(name, name)));
      await pool.query(`
        create table vault.late as select * from vault.data_keys where user_id like 'a_late%';
        delete from vault.data_keys where user_id like 'a_late%';
        create function vault.come_late() returns trigger language plpgsql as $$
          declare name text := (select max(user_id) from vault.late);
          begin
            insert into vault.data_keys select * from vault.late where user_id = name;
            delete from vault.late where user_id = name;
            return null;
          end $$;
        create trigger come_late after update on vault.data_keys execute function vault.come_late()`);
      return sealed;
    };
    afterEach(() => pool.query('drop table vault.late; drop function vault.come_late cascade'));

    it('has none left that comes behind it', async () => {
      const newKey = randomBytes(32).toString('hex');
      await vault.seal('usr_juno', 'x');
      const [sealed] = await lateKeys(1);
      await rewrap(pool, newKey, MASTER_KEY);
      expect(await Vault.open(pool, newKey).unseal(sealed!)).toBe('a_late_0');
      await rewrap(pool, MASTER_KEY, newKey);
    });

    it('gives up in the end, and says how many another key wraps, and which', async () => {
      const newKey = randomBytes(32).toString('hex');
      await lateKeys(50);
      await expect(rewrap(pool, newKey, MASTER_KEY)).rejects.toThrow(
        /^\d+ data keys are wrapped by the present master key now, and 1 still by another \(\w{8}\): .* run this again\.$/,
      );
      await pool.query('delete from vault.late');
      expect(await rewrap(pool, newKey, MASTER_KEY)).toBe(1);
      await rewrap(pool, MASTER_KEY, newKey);
    });
  });
});

describe('a data key that is rotated', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = openReadPool(stack().env.DATABASE_URL!, 4);
  });
  afterAll(() => pool.end());
  const open = (): Vault => Vault.open(pool, MASTER_KEY);
  const rotated = (userId: string): Promise<number> =>
    rotateDataKeys(pool, MASTER_KEY, { madeBefore: new Date(Date.now() + 60_000), userId });

  it('seals new texts, opens old ones, and recognises a repeat from before the rotation', async () => {
    const vault = open();
    const old = await vault.seal('usr_turn', 'old');
    const fingerprint = await vault.fingerprint('usr_turn', { amount: '1.00' });
    expect(await rotated('usr_turn')).toBe(1);
    const after = open();
    const fresh = await after.seal('usr_turn', 'new');
    expect([old, fresh].map((text) => text.split(':')[2]!.split('.')[0])).toEqual(['1', '2']);
    expect(await Promise.all([old, fresh].map((text) => after.unseal(text)))).toEqual(['old', 'new']);
    // A process that had the keys in memory finds the new one by the text that names it.
    expect(await vault.unseal(fresh)).toBe('new');
    const again = await after.fingerprint('usr_turn', { amount: '1.00' });
    expect(recordedFingerprint(again)).toMatch(/^f2\./);
    expect(sameFingerprint(recordedFingerprint(fingerprint), again)).toBe(true);
    const other = await after.fingerprint('usr_turn', { amount: '2.00' });
    expect(sameFingerprint(recordedFingerprint(fingerprint), other)).toBe(false);
  });

  it('is destroyed in all its versions, also one that is made at that moment', async () => {
    for (let n = 0; n < 10; n += 1) {
      const userId = `usr_going_${n}`;
      const old = await open().seal(userId, 'old');
      await rotated(userId);
      const fresh = await open().seal(userId, 'new');
      await Promise.all([rotated(userId), open().forget(userId), rotated(userId)]);
      const { rows } = await pool.query(
        'select version from vault.data_keys where user_id = $1 and wrapped_key is not null',
        [userId],
      );
      expect(rows).toEqual([]);
      expect(await rotated(userId)).toBe(0);
      expect([await open().unseal(old), await open().unseal(fresh)]).toEqual([undefined, undefined]);
    }
  });

  it('is rotated once per run, also when the run is repeated; the provider’s key is left as it is', async () => {
    await open().seal('usr_once', 'x');
    await open().sealKey();
    const madeBefore = new Date();
    await rotateDataKeys(pool, MASTER_KEY, { madeBefore });
    expect(await rotateDataKeys(pool, MASTER_KEY, { madeBefore })).toBe(0);
    const { rows } = await pool.query<{ user_id: string; n: number }>(
      `select user_id, count(*)::int as n from vault.data_keys where user_id in ('usr_once', '@provider-seals') group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { user_id: '@provider-seals', n: 1 },
      { user_id: 'usr_once', n: 2 },
    ]);
  });

  it('does not open a text that names another version of the key', async () => {
    const sealed = await open().seal('usr_turn', 'x');
    await expect(open().unseal(sealed.replace(/:\d+\./, ':1.'))).rejects.toMatchObject({
      because: 'damaged',
    });
    await expect(open().unseal(sealed.replace(/:\d+\./, ':99.'))).rejects.toThrow();
  });
});

describe('a vault that is lost while a process has it open', () => {
  const CACHED_FOR_MS = 5 * 60_000;
  let pool: pg.Pool;
  beforeAll(async () => {
    const url = await freshDatabase(stack().env.DATABASE_URL!);
    await migrate(url, [VAULT]);
    pool = openReadPool(url, 2);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => pool.end());
  const keys = async (): Promise<unknown[]> =>
    (await pool.query('select user_id, version from vault.data_keys order by 1, 2')).rows;
  /** So much later no key is taken from memory unasked. */
  const later = (): void => {
    const now = Date.now() + CACHED_FOR_MS + 1;
    jest.spyOn(Date, 'now').mockReturnValue(now);
  };
  const opened = async (): Promise<Vault> => {
    await pool.query('delete from vault.data_keys');
    const vault = Vault.open(pool, MASTER_KEY);
    await vault.sealKey();
    return vault;
  };

  it('gets no new keys in the places of those that a backup has, and goes on once that is back', async () => {
    const vault = await opened();
    const sealed = await vault.seal('usr_juno', 'of before');
    await pool.query('create table vault.kept as select * from vault.data_keys; delete from vault.data_keys');
    later();
    for (const userId of ['usr_juno', 'usr_new'])
      await expect(vault.seal(userId, 'meanwhile')).rejects.toBeInstanceOf(VaultLost);
    await expect(vault.fingerprint('usr_new', {})).rejects.toMatchObject({
      answer: { status: 503, code: 'outage' },
    });
    // The tombstone of anybody would pass for a vault that is there, at the next start.
    await expect(vault.forget('usr_gone')).rejects.toBeInstanceOf(VaultLost);
    expect(await vault.lostProblem()).toMatch(/^The vault is empty, .* Restore it/);
    expect(await keys()).toEqual([]);
    await pool.query('insert into vault.data_keys select * from vault.kept; drop table vault.kept');
    expect(await vault.lostProblem()).toBeUndefined();
    expect(await vault.seal('usr_new', 'new')).toMatch(/^sealed:usr_new:1\./);
    expect(await vault.unseal(sealed)).toBe('of before');
  });

  it('has a key again that a standby which took over had not got yet', async () => {
    const vault = await opened();
    const sealed = await vault.seal('usr_new', 'a moment before');
    await pool.query(`delete from vault.data_keys where user_id = 'usr_new'`);
    later();
    await vault.seal('usr_new', 'after');
    expect(await Vault.open(pool, MASTER_KEY).unseal(sealed)).toBe('a moment before');
  });

  it('has no version of a key again whose owner was forgotten', async () => {
    const vault = await opened();
    await vault.seal('usr_gone', 'text');
    await rotateDataKeys(pool, MASTER_KEY, { madeBefore: new Date(Date.now() + 60_000), userId: 'usr_gone' });
    vault.drop('usr_gone');
    await vault.seal('usr_gone', 'text');
    await Vault.open(pool, MASTER_KEY).forget('usr_gone');
    await pool.query(`delete from vault.data_keys where user_id = 'usr_gone' and version = 2`);
    later();
    await expect(vault.seal('usr_gone', 'again')).rejects.toBeInstanceOf(KeyDestroyed);
    expect(await keys()).toEqual([
      { user_id: '@provider-seals', version: 1 },
      { user_id: 'usr_gone', version: 1 },
    ]);
  });
});

/**
 * Made by the build before keys were derived: one data key for texts and fingerprints, wrapped by the master
 * key itself.
 */
const OF_BEFORE = {
  masterKey: '7d4c1f0e9a2b8365d1e0f4a7c3b29586e8f1d0a4b7c6935281fe0d3c4b5a6978',
  rows: [
    [
      'usr_before',
      'c0b58953c08e7220a8d1a6ff92468719ebb52bdefe8fb796b6dc4b23cdfc4e6f7453d11f8fcdb26b2d9106277f89c19be38712dc2ad8d08e19639ead',
      '095acbe9',
    ],
    [
      '@provider-seals',
      '85bb564c321f865bdb5f93109ef2a3e567d8de2fc008a5fc4a12d6063fda9369da2492c43e585fa28df15bc410e17e53e88940a6630019ff1669605c',
      '095acbe9',
    ],
  ],
  sealed: 'sealed:usr_before:haSouMeM8ndfPTH9mA2DDUUcuUPTgZ-bOUFI6rYZszmbye4zw0VoA_oSDJJV6Hj0mp7NWQ',
  body: { amount: '20.00', to: 'usr_milo' },
  fingerprint: 'PZvDsJD-1sD07kd1Jsa2Ghv2MLfWEe1NXPVwXXQrwyY',
  sealKey: '3b879610c41613834ef58a5f5e8bb1a5ba18d0fd026eb9b3f912775cb45b3ab0',
} as const;

describe('a vault of before keys were derived', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const url = await freshDatabase(stack().env.DATABASE_URL!);
    pool = openReadPool(url, 2);
    // As that build had it: a row for each person, without versions.
    await pool.query('create schema vault');
    await pool.query(DATA_KEY_TABLE.sql);
    for (const [userId, wrapped, by] of OF_BEFORE.rows)
      await pool.query('insert into vault.data_keys (user_id, wrapped_key, wrapped_by) values ($1, $2, $3)', [
        userId,
        Buffer.from(wrapped, 'hex'),
        by,
      ]);
    await migrate(url, [VAULT]);
  });
  afterAll(() => pool.end());

  const holds = async (vault: Vault): Promise<void> => {
    await vault.assertMasterKey();
    expect(await vault.unseal(OF_BEFORE.sealed)).toBe('Loved the second set ♫');
    const given = await vault.fingerprint('usr_before', OF_BEFORE.body);
    expect(sameFingerprint(OF_BEFORE.fingerprint, given)).toBe(true);
    expect(recordedFingerprint(given)).not.toBe(OF_BEFORE.fingerprint);
    const other = await vault.fingerprint('usr_before', { ...OF_BEFORE.body, amount: '20.01' });
    expect(sameFingerprint(OF_BEFORE.fingerprint, other)).toBe(false);
    expect((await vault.sealKey()).toString('hex')).toBe(OF_BEFORE.sealKey);
  };

  it('opens and compares as before, and what is new is under derived keys', async () => {
    const vault = Vault.open(pool, OF_BEFORE.masterKey);
    await holds(vault);
    expect(await vault.seal('usr_before', 'new')).toMatch(/^sealed:usr_before:1\./);
  });

  it('goes on so after rotation, and after the master key was changed', async () => {
    await rotateDataKeys(pool, OF_BEFORE.masterKey, { madeBefore: new Date(Date.now() + 60_000) });
    await holds(Vault.open(pool, OF_BEFORE.masterKey));
    const newKey = randomBytes(32).toString('hex');
    expect(await rewrap(pool, newKey, OF_BEFORE.masterKey)).toBe(3);
    await holds(Vault.open(pool, newKey));
  });

  it('is forgotten whole', async () => {
    const vault = Vault.open(pool, OF_BEFORE.masterKey);
    await vault.forget('usr_before');
    expect(await vault.unseal(OF_BEFORE.sealed)).toBeUndefined();
  });
});
