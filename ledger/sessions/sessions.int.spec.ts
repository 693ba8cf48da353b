/** Sessions on a real Postgres: how long they last, what is kept of their use, and every way to end them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openReadPool } from '#projections/engine/database';
import { EDGE } from '#processes/migrations';
import { migrate } from '#log/migrations';
import { inTime } from '#contracts/plain/in-time';
import { SilentConnections } from '#test/support/silent-connections';
import { useStack } from '#test/support/stack';
import { SessionEnds } from './session-ends.js';
import { Sessions, SignInEnded, type SessionUse } from './sessions.js';

const stack = useStack(['postgres']);
const PHONE: SessionUse = {
  device: { kind: 'phone', name: 'Safari on iPhone' },
  network: '203.0.113.0/24',
  place: 'Porto',
};
let pool: pg.Pool;
let sessions: Sessions;
let ends: SessionEnds;
let user = '';
let users = 0;

beforeAll(async () => {
  const url = stack().env.DATABASE_URL!;
  await migrate(url, [EDGE]);
  pool = openReadPool(url, 3);
  sessions = new Sessions(pool, { idleDays: 7, longestDays: 30 });
  ends = SessionEnds.listen({ connectionString: url });
});
beforeEach(() => void (user = `usr_${(users += 1)}`));
afterAll(async () => {
  await ends?.close();
  await pool?.end();
});

/** As if so many days had passed for a session, of which it was not used for the last `idle`. */
const age = (token: string, column: 'created_at' | 'last_used_at' | 'expires_at', days: number) =>
  pool.query(
    `update edge.sessions set ${column} = ${column} - make_interval(days => $2) where id_hash = sha256($1::bytea)`,
    [token, days],
  );
const ended = (sessionId: string): Promise<void> =>
  new Promise((told) => ends.onEnd(sessionId, () => told()));

describe('a session', () => {
  it('lives while it is used, and not without', async () => {
    const { token } = await sessions.begin(user, { use: PHONE });
    await age(token, 'expires_at', 6);
    await age(token, 'last_used_at', 6);
    expect(await sessions.of(token)).toMatchObject({ userId: user });
    await age(token, 'expires_at', 6);
    expect(await sessions.of(token)).toMatchObject({ userId: user });
    await age(token, 'expires_at', 7);
    expect(await sessions.of(token)).toBeUndefined();
  });

  it('lives on while Postgres takes no writes, though its use cannot be noted', async () => {
    const { token } = await sessions.begin(user, { use: PHONE });
    await age(token, 'last_used_at', 1);
    const readOnly = new pg.Pool({
      connectionString: stack().env.DATABASE_URL!,
      options: '-c default_transaction_read_only=on',
      max: 1,
    });
    expect(await new Sessions(readOnly).of(token)).toMatchObject({ userId: user });
    await readOnly.end();
  });

  it('ends after its longest time, however much it is used', async () => {
    const { token } = await sessions.begin(user);
    await age(token, 'created_at', 29);
    expect(await sessions.of(token)).toBeDefined();
    await age(token, 'created_at', 1);
    expect(await sessions.of(token)).toBeUndefined();
    expect(await sessions.isLiving(token)).toBe(false);
    expect(await sessions.listOf(user)).toEqual([]);
  });

  it('shows where it was used last, to within a few minutes', async () => {
    const { token } = await sessions.begin(user, { use: PHONE });
    const elsewhere = { ...PHONE, network: '198.51.100.0/24', place: undefined };
    await sessions.of(token, () => elsewhere);
    expect(await sessions.listOf(user)).toMatchObject([{ network: PHONE.network, place: 'Porto' }]);
    await age(token, 'last_used_at', 1);
    await sessions.of(token, () => elsewhere);
    const [listed] = await sessions.listOf(user);
    expect(listed).toMatchObject({
      network: '198.51.100.0/24',
      place: undefined,
      device: 'Safari on iPhone',
    });
    expect(Date.now() - listed!.lastUsedAt.getTime()).toBeLessThan(3_600_000);
  });
});

describe('the end of a session', () => {
  it('is told to every process that listens, whoever ended it', async () => {
    const { sessionId } = await sessions.begin(user);
    const told = ended(sessionId);
    await pool.query('delete from edge.sessions where session_id = $1', [sessionId]);
    await told;
  });

  it('bars the sign-in that it began with, and no later one and nobody else’s', async () => {
    const signedInAt = new Date(Date.now() - 60_000);
    const { sessionId } = await sessions.begin(user, { providerSid: 'sid-1', signedInAt });
    const other = await sessions.begin(user, { providerSid: 'sid-2', signedInAt });
    expect(await sessions.endOne(`${user}0`, sessionId)).toBe(false);
    expect(await sessions.endOne(user, sessionId)).toBe(true);
    expect(await sessions.endOne(user, sessionId)).toBe(false);
    expect(await sessions.of(other.token)).toBeDefined();
    const later = new Date(Date.now() + 60_000);
    expect(await sessions.isSignInEnded(user, 'sid-1', signedInAt)).toBe(true);
    expect(await sessions.isSignInEnded(user, 'sid-1', undefined)).toBe(true);
    expect(await sessions.isSignInEnded(user, 'sid-1', later)).toBe(false);
    expect(await sessions.isSignInEnded(user, 'sid-2', signedInAt)).toBe(false);
    expect(await sessions.isSignInEnded(`${user}0`, 'sid-1', signedInAt)).toBe(false);
  });

  it('for all but one bars every sign-in from before', async () => {
    const [own, other] = [await sessions.begin(user), await sessions.begin(user, { providerSid: 'sid-3' })];
    const stranger = await sessions.begin(`${user}0`);
    expect(await sessions.endOthersOf(user, own.sessionId)).toBe(1);
    expect(await sessions.of(other.token)).toBeUndefined();
    expect(await sessions.of(own.token)).toBeDefined();
    expect(await sessions.of(stranger.token)).toBeDefined();
    const before = new Date(Date.now() - 60_000);
    expect(await sessions.isSignInEnded(user, 'any', before)).toBe(true);
    expect(await sessions.isSignInEnded(user, undefined, before)).toBe(true);
    expect(await sessions.endAllOf(user)).toBe(1);
  });

  it('comes by the provider’s word for one of its sessions or for all of a person, once for each token', async () => {
    const [one, two] = [
      await sessions.begin(user, { providerSid: `${user}-1` }),
      await sessions.begin(user, { providerSid: `${user}-2` }),
    ];
    const first = { tokenId: `${user}-a`, userId: user, providerSid: `${user}-1` };
    expect(await sessions.endAtProvidersWord(first)).toMatchObject([{ sessionId: one.sessionId }]);
    expect(await sessions.of(two.token)).toBeDefined();
    expect(await sessions.endAtProvidersWord(first)).toBeUndefined();
    const stranger = { tokenId: `${user}-b`, userId: `${user}0`, providerSid: `${user}-2` };
    expect(await sessions.endAtProvidersWord(stranger)).toEqual([]);
    const nobody = { tokenId: `${user}-c`, userId: undefined, providerSid: undefined };
    expect(await sessions.endAtProvidersWord(nobody)).toEqual([]);
    expect(await sessions.of(two.token)).toBeDefined();
    const all = { tokenId: `${user}-d`, userId: user, providerSid: undefined };
    expect(await sessions.endAtProvidersWord(all)).toMatchObject([{ sessionId: two.sessionId }]);
  });

  it('by the provider’s word bars a sign-in from before whose code was held back, and no later one', async () => {
    const [before, later] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    const tokens = [
      { tokenId: `${user}-of-both`, userId: user, providerSid: `${user}-1` },
      { tokenId: `${user}-of-a-session`, userId: undefined, providerSid: `${user}-2` },
      { tokenId: `${user}-of-nobody`, userId: undefined, providerSid: undefined },
    ];
    for (const token of tokens) await sessions.endAtProvidersWord(token);
    for (const n of [1, 2]) {
      expect(await sessions.isSignInEnded(user, `${user}-${n}`, before)).toBe(true);
      expect(await sessions.isSignInEnded(user, `${user}-${n}`, later)).toBe(false);
    }
    expect(await sessions.isSignInEnded(user, `${user}-3`, before)).toBe(false);
    expect(await sessions.isSignInEnded(`${user}0`, `${user}-1`, before)).toBe(false);
    await sessions.endAtProvidersWord({ tokenId: `${user}-of-all`, userId: user, providerSid: undefined });
    expect(await sessions.isSignInEnded(user, `${user}-3`, before)).toBe(true);
    expect(await sessions.isSignInEnded(user, undefined, later)).toBe(false);
  });

  it('bars a sign-in that is under way, whichever way the sessions end', async () => {
    const signedInAt = new Date(Date.now() - 5000);
    const providerSid = `${user}-1`;
    const { sessionId: kept } = await sessions.begin(user, { signedInAt });
    const ends: ((sessionId: string) => Promise<unknown>)[] = [
      (sessionId) => sessions.endOne(user, sessionId),
      () => sessions.endOthersOf(user, kept),
      () => sessions.endAllOf(user),
      () => sessions.endAtProvidersWord({ tokenId: `${user}-u`, userId: user, providerSid: undefined }),
      () => sessions.endAtProvidersWord({ tokenId: `${user}-s`, userId: undefined, providerSid }),
    ];
    for (const end of ends) {
      await pool.query('delete from edge.ended_sign_ins');
      await end((await sessions.begin(user, { signedInAt, providerSid })).sessionId);
      await expect(sessions.begin(user, { signedInAt, providerSid })).rejects.toThrow(SignInEnded);
      await expect(sessions.begin(user, { providerSid })).rejects.toThrow(SignInEnded);
      // Whoever showed who they are since comes in, though the provider's clock may be behind.
      const shownAt = new Date(Date.now() + 1000);
      const { token } = await sessions.begin(user, { signedInAt, shownAt, providerSid });
      expect(await sessions.of(token)).toMatchObject({ userId: user });
    }
  });

  it('leaves no session to a sign-in that races with it', async () => {
    const signedInAt = new Date(Date.now() - 5000);
    const providerSid = `${user}-1`;
    const begin = () => sessions.begin(user, { signedInAt, providerSid }).catch((error: unknown) => error);
    for (let n = 0; n < 40; n += 1) {
      await pool.query('delete from edge.ended_sign_ins');
      const bySid = { tokenId: `${user}-${n}`, userId: undefined, providerSid };
      const end = n % 2 === 0 ? sessions.endAllOf(user) : sessions.endAtProvidersWord(bySid);
      await Promise.all(n % 4 < 2 ? [begin(), end] : [end, begin()]);
      expect(await sessions.listOf(user)).toEqual([]);
    }
  });

  it('comes once of fifty equal tokens that arrive together', async () => {
    await sessions.begin(user, { providerSid: `${user}-1` });
    const token = { tokenId: `${user}-race`, userId: undefined, providerSid: `${user}-1` };
    const answers = await Promise.all(Array.from({ length: 50 }, () => sessions.endAtProvidersWord(token)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
  });
});

describe('a connection that listens for ends and is gone without a word', () => {
  let between: SilentConnections;
  let far: SessionEnds;
  const toldOf = (sessionId: string): Promise<void> =>
    new Promise((told) => far.onEnd(sessionId, () => told()));

  beforeEach(async () => {
    between = new SilentConnections();
    const connectionString = await between.to(stack().env.DATABASE_URL!);
    const settings = { connectionTimeoutMillis: 500, query_timeout: 500 };
    far = SessionEnds.listen({ connectionString, ...settings }, 50);
    // It listens once it has told of one.
    const { token, sessionId } = await sessions.begin(user);
    const told = toldOf(sessionId);
    await sessions.end(token);
    await told;
  });
  afterEach(async () => {
    await inTime(5_000, far.close(), undefined);
    await between.close();
  });

  it('is replaced, and what ended meanwhile is told', async () => {
    const { token, sessionId } = await sessions.begin(user);
    const told = toldOf(sessionId);
    between.forgetThem();
    await sessions.end(token);
    expect(
      await inTime(
        10_000,
        told.then(() => 'told'),
        'not told',
      ),
    ).toBe('told');
    expect(between.made).toBe(2);
  });

  it('holds up no end of the ledger', async () => {
    between.forgetThem();
    expect(
      await inTime(
        5_000,
        far.close().then(() => 'closed'),
        'open',
      ),
    ).toBe('closed');
  });
});
