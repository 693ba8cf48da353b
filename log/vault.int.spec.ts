/** The vault on a real Postgres: sealed for one person, unreadable once they are forgotten. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { openReadPool } from '#projections/engine/database';
import { VAULT } from '#processes/migrations';
import { useStack } from '#test/support/stack';
import { migrate } from './migrations.js';
import { rewrap } from './rewrap.js';
import { UnreadableText } from './vault-reader.js';
import { KeyDestroyed, Vault } from './vault.js';

const MASTER_KEY = randomBytes(32).toString('hex');
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
    expect((await pool.query('select name from vault.migrations')).rows).toEqual([{ name: 'data-keys' }]);
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
    await expect(vault.unseal(`${sealed.slice(0, -2)}AA`)).rejects.toThrow();
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
    await expect(vault.unseal(`${sealed.slice(0, -2)}AA`)).rejects.toMatchObject({ because: 'damaged' });
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
    expect(await rewrap(pool, MASTER_KEY, newKey)).toBe(Number(rows[0]!.count));
    const [after, before] = [Vault.open(pool, newKey), Vault.open(pool, MASTER_KEY)];
    expect(await after.unseal(sealed)).toBe('kept');
    await expect(before.unseal(sealed)).rejects.toThrow();
    await expect(after.seal('usr_lost', 'y')).rejects.toThrow(KeyDestroyed);
    expect(await rewrap(pool, MASTER_KEY, newKey)).toBe(0);
  });

  it('keeps the key of the provider’s seals over a change of the master key, the one of before it was kept too', async () => {
    await pool.query('delete from vault.data_keys');
    const derived = hkdfSync('sha256', Buffer.from(MASTER_KEY, 'hex'), '', 'encore/provider-metadata/1', 32);
    const before = await Vault.open(pool, MASTER_KEY).sealKey();
    expect(before).toEqual(Buffer.from(derived));
    const newKey = randomBytes(32).toString('hex');
    await rewrap(pool, MASTER_KEY, newKey);
    expect(await Vault.open(pool, newKey).sealKey()).toEqual(before);
    await rewrap(pool, newKey, MASTER_KEY);
  });

  it('changes no key when one of them is wrapped by neither', async () => {
    const [wrong, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    const keys = async (): Promise<unknown[]> =>
      (await pool.query('select * from vault.data_keys order by user_id')).rows;
    const before = await keys();
    await expect(rewrap(pool, wrong, newKey)).rejects.toThrow(/is wrapped by neither of the two master keys/);
    expect(await keys()).toEqual(before);
  });
});
