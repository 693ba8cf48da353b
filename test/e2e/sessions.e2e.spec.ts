/**
 * Where somebody is signed in, over the front and two ledgers: they see it, end it, and what was ended is
 * over at once, everywhere, and is not come back to by a sign-in from before. And what the security trail
 * keeps of it all.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { Message } from '#contracts/api/messages';
import { Session } from '#contracts/api/sessions';
import { eventually } from '#test/conformance/stripe-process';
import { openEvents, type EventStream } from '#test/support/event-stream';
import { useEvidence } from '#test/support/evidence';
import { json, Person, refusal } from '#test/support/person';
import { useStack } from '#test/support/stack';
import { USER_AGENTS } from '#test/support/user-agents';

const stack = useStack(['all'], { ledgers: 2 });
const open: EventStream[] = [];
const evidence = useEvidence(stack);
let db: pg.Pool;
let people = 0;
/** The same person at a laptop, where the account was made, and at a phone. */
let laptop: Person;
let phone: Person;

beforeAll(() => {
  db = new pg.Pool({ connectionString: stack().env.DATABASE_URL!, max: 1 });
  // The stack may end before the pool does.
  db.on('error', () => undefined);
});
beforeEach(async () => {
  laptop = await Person.signUp(stack().url, `Juno${(people += 1)}`);
  laptop.userAgent = USER_AGENTS['Firefox on Linux'];
  phone = laptop.elsewhere(USER_AGENTS['Safari on iPhone']);
  await phone.signIn();
});
afterEach(() => open.splice(0).forEach((stream) => stream.close()));
afterAll(async () => {
  await db?.end();
});

const ledger = (n: 1 | 2): string => `http://127.0.0.1:${stack().ports[`ledger-${n}`]}`;
const list = async (person: Person): Promise<Session[]> =>
  z.array(Session).parse(json(await person.get('/api/sessions')));
const phonesId = async (): Promise<string> => (await list(laptop)).find(({ isCurrent }) => !isCurrent)!.id;
const isOut = async (person: Person): Promise<boolean> => (await person.get('/api/auth/user')).status === 401;
/** Opens a stream at each ledger. */
async function listens(person: Person): Promise<EventStream[]> {
  const streams = await Promise.all([ledger(1), ledger(2)].map((at) => openEvents(person, {}, at)));
  open.push(...streams);
  return streams;
}
/** At each beat a stream asks whether its session still lives: one that ends before was told. */
async function endBeforeTheNextBeat(streams: readonly EventStream[]): Promise<void> {
  const before = streams.map(({ beats }) => beats);
  await Promise.all(streams.map((stream) => stream.end()));
  expect(streams.map(({ beats }) => beats)).toEqual(before);
}
const trail = async (...words: string[]): Promise<Record<string, unknown>[]> => {
  const { out } = await evidence.run('processes/operate.js', 'security-trail', ...words);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe('where somebody is signed in', () => {
  it('is listed to them with device and network, and nothing more of the browser is kept', async () => {
    expect(await list(phone)).toMatchObject([
      {
        device: 'Safari on iPhone',
        kind: 'phone',
        address: expect.stringMatching(/\/24$|\/48$/),
        isCurrent: true,
      },
      { isCurrent: false, place: null },
    ]);
    expect(await list(laptop)).toMatchObject([{ isCurrent: false }, { isCurrent: true }]);
    const { rows } = await db.query('select * from edge.sessions');
    expect(JSON.stringify(rows)).not.toContain('Mozilla');
    expect(JSON.stringify(rows)).not.toContain('127.0.0.1');
  });

  it('is neither listed for somebody else nor ended by them', async () => {
    const thief = await Person.signUp(stack().url, 'Mallory');
    expect(await list(thief)).toHaveLength(1);
    for (const id of [await phonesId(), 'no-such-session', '00000000-0000-4000-8000-000000000000'])
      expect(refusal(await thief.call('DELETE', `/api/sessions/${id}`))).toEqual([
        404,
        'This device is not signed in any more.',
      ]);
    expect(await isOut(phone)).toBe(false);
  });

  it('is told to them when it is new, and not when the account is made', async () => {
    const told = z.array(Message).parse(json(await laptop.get('/api/messages')));
    const signIns = told.filter(({ kind }) => kind === 'new_sign_in');
    expect(signIns).toHaveLength(1);
    expect(signIns[0]?.text).toContain('Safari on iPhone');
  });
});

describe('a device that is signed out', () => {
  it('is out at once on every ledger, its streams with it, and the others stay', async () => {
    const streams = await listens(phone);
    const own = await listens(laptop);
    expect((await laptop.call('DELETE', `/api/sessions/${await phonesId()}`)).status).toBe(204);
    await endBeforeTheNextBeat(streams);
    expect(await isOut(phone)).toBe(true);
    expect(await isOut(laptop)).toBe(false);
    expect(own.map(({ ended }) => ended)).toEqual([false, false]);
  });

  it('does not come back by the session that the provider still has in that browser', async () => {
    await laptop.call('DELETE', `/api/sessions/${await phonesId()}`);
    const asked = await phone.navigate('/api/login');
    expect(asked.text).toContain('name="password"');
    await phone.signIn();
    expect(await isOut(phone)).toBe(false);
  });

  it('is not the only one: everywhere else goes at once, and this device stays', async () => {
    const tablet = laptop.elsewhere(USER_AGENTS['Chrome on Android']);
    await tablet.signIn();
    const streams = [...(await listens(phone)), ...(await listens(tablet))];
    expect(json(await laptop.post('/api/sessions/end-others', {}))).toEqual({ ended: 2 });
    await endBeforeTheNextBeat(streams);
    expect(await Promise.all([phone, tablet, laptop].map(isOut))).toEqual([true, true, false]);
    expect((await tablet.navigate('/api/login')).text).toContain('name="password"');
    expect(json(await laptop.post('/api/sessions/end-others', {}))).toEqual({ ended: 0 });
  });
});

describe('a sign-in', () => {
  it('gets a token of its own, whatever the browser brought', async () => {
    const planted = 'A'.repeat(43);
    const other = laptop.elsewhere(USER_AGENTS['Chrome on Android']);
    await other.jar.setCookie(`encore_session=${planted}; Path=/; HttpOnly`, stack().url);
    await other.signIn();
    const cookies = await other.jar.getCookies(stack().url);
    const [token] = cookies.filter(({ key }) => key === 'encore_session').map(({ value }) => value);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(token).not.toBe(planted);
  });

  it('again in the same browser ends the session of before', async () => {
    const before = (await phone.jar.getCookies(stack().url)).find(
      ({ key }) => key === 'encore_session',
    )!.value;
    await phone.signInAgain();
    const answer = await fetch(`${stack().url}/api/auth/user`, {
      headers: { cookie: `encore_session=${before}` },
    });
    expect(answer.status).toBe(401);
    expect(await list(laptop)).toHaveLength(2);
  });
});

/** Gives the password, and does not go where the provider then sends the browser: answers that address. */
async function heldBack(person: Person, path: string): Promise<string> {
  const form = await person.navigate(path);
  const fields = new URLSearchParams({ email: person.email, password: 'correct horse battery' });
  let answer = await person.call('POST', form.url, fields.toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  });
  for (;;) {
    const to = new URL(answer.headers.get('location') ?? '', form.url);
    if (to.pathname === '/api/login/callback') return to.href;
    answer = await person.call('GET', to.href);
  }
}

describe('an answer of the provider’s that was held back until its owner had signed out everywhere', () => {
  it.each(['/api/login', '/api/login?fresh=1'])('begins no session: %s', async (path) => {
    const thief = laptop.elsewhere(USER_AGENTS['Chrome on Android']);
    const callback = await heldBack(thief, path);
    expect((await laptop.post('/api/sessions/end-others', {})).status).toBe(200);
    expect((await thief.navigate(callback)).text).toContain('name="password"');
    expect(await isOut(thief)).toBe(true);
    // Whoever knows the password now is asked for it, once.
    await thief.signInAgain();
    expect(await isOut(thief)).toBe(false);
  });
});

describe('a sign-out at the identity provider', () => {
  const SIGN_OUT = '/identity/session/end';

  it('ends the sessions that began with it, and no others', async () => {
    const streams = await listens(phone);
    const page = await phone.navigate(SIGN_OUT);
    const [, action = '', xsrf = ''] =
      /action="([^"]+)".*?name="xsrf" value="([^"]+)"/s.exec(page.text) ?? [];
    await phone.navigate(action, { xsrf, logout: 'yes' });
    await endBeforeTheNextBeat(streams);
    expect(await isOut(phone)).toBe(true);
    expect(await isOut(laptop)).toBe(false);
  });

  it('is believed only with a logout token that the provider signed', async () => {
    for (const [type, body, status] of [
      ['application/x-www-form-urlencoded', 'logout_token=eyJhbGciOiJub25lIn0.e30.', 400],
      ['application/x-www-form-urlencoded', 'other=1', 400],
      ['text/plain', 'logout_token=x', 415],
    ] as const) {
      const answer = await fetch(`${stack().url}/api/backchannel-logout`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      expect([body, answer.status]).toEqual([body, status]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    const form = await laptop.call('POST', '/api/sessions/end-others', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
  });
});

describe('the security trail', () => {
  it('tells an operator who signed in and out, what was ended and refused, and that they asked', async () => {
    await laptop.call('DELETE', `/api/sessions/${await phonesId()}`);
    await laptop.navigate('/api/login/callback?code=x&state=y');
    await phone.signIn();
    await phone.signOut();
    const read = () => trail('--user', laptop.id);
    await eventually(
      async () => (await read()).some(({ what }) => what === 'signed_out'),
      'the sign-out to be noted',
    );
    const lines = await read();
    expect(lines.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['signed_in', 'session_ended', 'signed_out', 'operator_act']),
    );
    expect(
      lines.find(({ what, device }) => what === 'signed_in' && device === 'Safari on iPhone'),
    ).toMatchObject({
      outcome: 'done',
      user_id: laptop.id,
      session_id: expect.stringMatching(/^[\da-f-]{36}$/),
      network: expect.stringMatching(/\/24$|\/48$/),
    });
    expect(lines.find(({ what }) => what === 'operator_act')).toMatchObject({
      detail: { verb: 'security-trail' },
    });
    const all = JSON.stringify(await trail());
    for (const secret of [laptop.email, laptop.firstName, 'Valastro', 'Mozilla', '127.0.0.1'])
      expect(all).not.toContain(secret);
  });
});
