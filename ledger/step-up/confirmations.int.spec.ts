/**
 * What is kept with a session, on a real Postgres, where the session is ended while a request of it is
 * answered.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '#log/migrations';
import { EDGE } from '#processes/migrations';
import { useStack } from '#test/support/stack';
import { PasskeyTokens } from '../passkeys/passkey-tokens.js';
import { Sessions } from '../sessions/sessions.js';
import { Confirmations } from './confirmations.js';

const stack = useStack(['postgres']);
let pool: pg.Pool;
let sessions: Sessions;

beforeAll(async () => {
  await migrate(stack().env.DATABASE_URL!, [EDGE]);
  pool = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 2 });
  // The stack may end before the pool does.
  pool.on('error', () => undefined);
  sessions = new Sessions(pool);
});
afterAll(() => pool?.end());

const userId = 'usr_juno';
const call = { mac: 'mac', repeats: 'none' } as const;
const signed = { method: 'POST', path: '/api/payouts', body: Buffer.alloc(0), key: '', words: 'Pay out' };
const signedOut = { answer: { status: 401, message: 'Unauthorized' } };

describe('a session that was ended after its request had been let in', () => {
  it('is asked for no passkey, and told that it is signed out', async () => {
    const confirmations = new Confirmations(pool);
    const { token, sessionId } = await sessions.begin(userId);
    await expect(confirmations.ask({ userId, sessionId }, call, signed, 'words')).resolves.toMatchObject({
      id: expect.any(String),
    });
    await sessions.end(token);
    await expect(confirmations.ask({ userId, sessionId }, call, signed, 'words')).rejects.toMatchObject(
      signedOut,
    );
  });

  it('enrols no passkey, and is told that it is signed out', async () => {
    const tokens = new PasskeyTokens(pool);
    const { token: session } = await sessions.begin(userId);
    await expect(tokens.give({ userId, session })).resolves.toEqual(expect.any(String));
    await sessions.end(session);
    await expect(tokens.give({ userId, session })).rejects.toMatchObject(signedOut);
  });
});
