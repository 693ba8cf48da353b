/** Data keys of forgotten people that came back with an older vault, asked of real tables. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { openReadPool, READ_SCHEMA } from '#projections/engine/database';
import { makeTables } from '#projections/engine/make-tables';
import { usersModel } from '#projections/users/columns';
import { useStack } from '#test/support/stack';
import { VAULT } from '../migrations.js';
import { areKeysOfForgottenBack } from './forgotten-keys.js';

const stack = useStack(['postgres']);
let pool: pg.Pool;

beforeAll(async () => {
  await migrate(stack().env.DATABASE_URL!, [VAULT]);
  pool = openReadPool(stack().env.DATABASE_URL!, 2);
});
afterAll(() => pool.end());

it('are back where the rows know somebody as forgotten whose key is there, and nowhere else', async () => {
  const vault = Vault.open(pool, randomBytes(32).toString('hex'));
  await vault.seal('usr_gone', 'text');
  await vault.seal('usr_juno', 'text');
  // Without rows nobody is known as anything.
  expect(await areKeysOfForgottenBack(pool)).toBe(false);
  await makeTables(stack().env.DATABASE_URL!, [usersModel], READ_SCHEMA);
  await pool.query(
    `insert into users (id, email_verified, registered_at, forgotten, being_forgotten)
     values ('usr_gone', false, now(), false, false), ('usr_juno', false, now(), false, false)`,
  );
  expect(await areKeysOfForgottenBack(pool)).toBe(false);
  await pool.query(`update users set forgotten = true where id = 'usr_gone'`);
  expect(await areKeysOfForgottenBack(pool)).toBe(true);
  await vault.forget('usr_gone');
  expect(await areKeysOfForgottenBack(pool)).toBe(false);
});
