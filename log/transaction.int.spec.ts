/** A transaction that Postgres held up for longer than anybody waits: what comes after it is none of it. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openReadPool } from '#projections/engine/database';
import { VAULT } from '#processes/migrations';
import { freshDatabase } from '#test/support/database';
import { useStack } from '#test/support/stack';
import { migrate } from './migrations.js';
import { Vault } from './vault.js';

const stack = useStack(['postgres']);
const MASTER_KEY = randomBytes(32).toString('hex');
const PATIENCE_MS = 200;

describe('a transaction that is held up', () => {
  let url: string;
  let pool: pg.Pool;
  let other: pg.Client;
  beforeAll(async () => {
    url = await freshDatabase(stack().env.DATABASE_URL!);
    await migrate(url, [VAULT]);
    // One connection, so that whoever comes next has the same.
    pool = openReadPool(url, 1, PATIENCE_MS);
    other = new pg.Client({ connectionString: url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await pool.end();
  });

  it('takes back no key that was made after it on the same connection', async () => {
    const vault = Vault.open(pool, MASTER_KEY);
    await vault.seal('usr_juno', 'there before');
    await other.query('begin; lock table vault.data_keys in access exclusive mode');
    // Driver and server are told the same, and either may be first.
    await expect(vault.forget('usr_milo')).rejects.toThrow(/Query read timeout|statement timeout/);
    await other.query('commit');
    const sealed = await vault.seal('usr_ada', 'Loved the second set');
    // In the log by now, and nothing may take back what opens it.
    const { rows } = await other.query(`select user_id from vault.data_keys order by user_id`);
    expect(rows).toEqual([{ user_id: 'usr_ada' }, { user_id: 'usr_juno' }]);
    expect(await Vault.open(pool, MASTER_KEY).unseal(sealed)).toBe('Loved the second set');
  });
});
