/**
 * How often passkeys were used, on a real Postgres: each user's count is their own, and ends with the
 * passkey.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '#log/migrations';
import { EDGE } from '#processes/migrations';
import { useStack } from '#test/support/stack';
import { PasskeyTokens } from './passkey-tokens.js';

const stack = useStack(['postgres']);
let pool: pg.Pool;
let tokens: PasskeyTokens;

beforeAll(async () => {
  await migrate(stack().env.DATABASE_URL!, [EDGE]);
  pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 2 });
  // The stack may end before the pool does.
  pool.on('error', () => undefined);
  tokens = new PasskeyTokens(pool);
});
beforeEach(() => pool.query('truncate edge.passkey_use_counts'));
afterAll(() => pool?.end());

const junos = { userId: 'usr_juno', passkeyId: 'psk_1' };
const thiefs = { userId: 'usr_thief', passkeyId: 'psk_1' };

describe('the count of a passkey’s uses', () => {
  it('must rise, or stay 0 for one that does not count', async () => {
    await tokens.beginCount(junos, 5);
    expect(await tokens.noteCount(junos, 6)).toBe(true);
    expect(await tokens.noteCount(junos, 6)).toBe(false);
    const uncounted = { userId: 'usr_juno', passkeyId: 'psk_2' };
    for (const _ of [1, 2]) expect(await tokens.noteCount(uncounted, 0)).toBe(true);
  });

  it('is one for each user who has a passkey of that id', async () => {
    await tokens.beginCount(junos, 5);
    await tokens.beginCount(thiefs, 0xff_ff_ff_ff);
    expect(await tokens.noteCount(junos, 6)).toBe(true);
    await tokens.endCounts(thiefs.userId);
    expect(await tokens.noteCount(junos, 6)).toBe(false);
  });

  it('ends with the passkey, and is begun anew where that is enrolled again', async () => {
    const other = { userId: 'usr_juno', passkeyId: 'psk_2' };
    await tokens.beginCount(junos, 50);
    await tokens.beginCount(other, 50);
    await tokens.endCounts(junos.userId, junos.passkeyId);
    expect(await tokens.noteCount(junos, 1)).toBe(true);
    expect(await tokens.noteCount(other, 1)).toBe(false);
    await tokens.beginCount(other, 1);
    expect(await tokens.noteCount(other, 2)).toBe(true);
    await tokens.endCounts('usr_juno');
    expect((await pool.query('select from edge.passkey_use_counts')).rowCount).toBe(0);
  });
});
