/**
 * One's own picture, over HTTP and on the real pieces: put, shown to oneself alone, taken away, forgotten.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { PictureAnswer } from '#contracts/api/users';
import { Authenticator, enrolPasskey, proofFor } from '#test/support/authenticator';
import { useEvidence } from '#test/support/evidence';
import { json, Person, refusal, refusalCode } from '#test/support/person';
import { ageSignIns } from '#test/support/sign-in-age';
import { useStack, WITHOUT_WORKERS } from '#test/support/stack';

const stack = useStack(WITHOUT_WORKERS);
const PATH = '/api/user/picture';

const evidence = useEvidence(stack);
let juno: Person;
let milo: Person;

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
});

const photo = (background = '#c02030'): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .jpeg()
    .toBuffer();
const cookieOf = (person: Person): Promise<string> => person.jar.getCookieString(stack().url);

/** Sends the file itself. */
const put = async (
  person: Person,
  file: Uint8Array,
  type = 'image/jpeg',
  more: Record<string, string> = {},
) => {
  const answer = await fetch(stack().url + PATH, {
    method: 'PUT',
    headers: { cookie: await cookieOf(person), 'content-type': type, origin: stack().url, ...more },
    body: new Uint8Array(file),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const rowsOf = async (userId: string): Promise<string[]> => {
  const { rows } = await evidence.db.query<{ sealed: string }>({
    text: 'select sealed from edge.pictures where user_id = $1',
    values: [userId],
  });
  return rows.map(({ sealed }) => sealed);
};

describe('a picture that payers know', () => {
  let pell: Person;
  beforeAll(async () => {
    pell = await Person.signUp(stack().url, 'Pell');
    await ageSignIns(stack().env.DATABASE_URL, pell.id);
    // Nobody has seen the page yet: no proof is asked for.
    expect((await put(pell, await photo())).status).toBe(200);
    expect((await pell.put('/api/tip-page/handle', { handle: 'pell_plays' })).status).toBe(200);
    await pell.signInAgain();
    expect((await pell.put('/api/tip-page/published', { isPublished: true })).status).toBe(200);
    await ageSignIns(stack().env.DATABASE_URL, pell.id);
  });

  it('is not replaced with the session alone, also while the page is taken back', async () => {
    const { profileImageUrl } = await pell.me();
    for (const isPublished of [true, false]) {
      if (!isPublished) expect((await pell.put('/api/tip-page/published', { isPublished })).status).toBe(200);
      const answer = await put(pell, await photo('#2030c0'));
      expect([...refusalCode(answer), answer.text]).toEqual([
        403,
        'sign_in_required',
        expect.stringContaining('Show another picture on my tip page'),
      ]);
    }
    expect((await pell.me()).profileImageUrl).toBe(profileImageUrl);
    await pell.signInAgain();
    expect((await put(pell, await photo('#2030c0'))).status).toBe(200);
  });

  it('is replaced by the very picture that a passkey signed for, and by no other', async () => {
    const phone = new Authenticator(stack().url);
    await enrolPasskey(pell, phone);
    expect((await pell.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
    const [own, thiefs] = [await photo('#20c030'), await photo('#000000')];
    const proof = await proofFor(pell, phone, await put(pell, own));
    const before = (await pell.me()).profileImageUrl;
    expect(refusalCode(await put(pell, thiefs, 'image/jpeg', proof))).toEqual([403, 'passkey_required']);
    expect((await pell.me()).profileImageUrl).toBe(before);
    expect((await put(pell, own, 'image/jpeg', proof)).status).toBe(200);
    expect((await pell.me()).profileImageUrl).not.toBe(before);
  });
});

describe('a picture of oneself', () => {
  it('is shown to oneself, kept by the browser for good, and sealed where it lies', async () => {
    expect((await juno.me()).profileImageUrl).toBeNull();
    const { profileImageUrl } = PictureAnswer.parse(json(await put(juno, await photo())));
    expect((await juno.me()).profileImageUrl).toBe(profileImageUrl);
    const shown = await fetch(stack().url + profileImageUrl, { headers: { cookie: await cookieOf(juno) } });
    expect([
      shown.status,
      ...['content-type', 'cache-control', 'x-content-type-options'].map((name) => shown.headers.get(name)),
    ]).toEqual([200, 'image/webp', 'private, max-age=31536000, immutable', 'nosniff']);
    const bytes = Buffer.from(await shown.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 384, height: 384 });
    const [sealed = ''] = await rowsOf(juno.id);
    expect(sealed).toMatch(new RegExp(`^sealed:${juno.id}:`));
    expect(sealed).not.toContain(bytes.toString('base64').slice(0, 40));
  });

  it('is nobody else’s, and nothing without a session', async () => {
    const mine = (await juno.me()).profileImageUrl!;
    expect(refusal(await milo.get(mine))).toEqual([404, 'There is no such picture.']);
    expect((await fetch(stack().url + mine)).status).toBe(401);
  });

  it('has another address once it is another picture', async () => {
    const before = (await juno.me()).profileImageUrl!;
    const { profileImageUrl } = PictureAnswer.parse(json(await put(juno, await photo('#2030c0'))));
    expect(profileImageUrl).not.toBe(before);
    expect((await juno.get(before)).status).toBe(404);
  });

  it('is refused in a sentence where it is none, too large or sent as something else', async () => {
    expect(refusal(await put(juno, Buffer.from('<svg/>')))[0]).toBe(400);
    expect(refusal(await put(juno, Buffer.alloc(2 * 1024 * 1024 + 1), 'image/png'))).toEqual([
      413,
      'The request is too large.',
    ]);
    expect(refusal(await put(juno, Buffer.from('<svg/>'), 'image/svg+xml'))[0]).toBe(415);
    expect(refusal(await juno.put(PATH, { url: 'https://evil.example/a.png' }))[0]).toBe(415);
    expect((await put(juno, Buffer.alloc(10), 'image/png')).headers.get('content-type')).toContain('json');
  });

  it('is taken away', async () => {
    expect((await juno.call('DELETE', PATH)).status).toBe(204);
    expect((await juno.me()).profileImageUrl).toBeNull();
    expect(await rowsOf(juno.id)).toEqual([]);
  });

  it('goes with whoever is forgotten', async () => {
    expect((await put(milo, await photo())).status).toBe(200);
    expect(await rowsOf(milo.id)).toHaveLength(1);
    const answer = await fetch(`http://127.0.0.1:${stack().ports['ledger-1-internal']}/internal/commands`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack().env['ENCORE_INTERNAL_TOKEN']}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ type: 'ForgetUser', userId: milo.id }),
    });
    expect(answer.status).toBe(200);
    expect(await rowsOf(milo.id)).toEqual([]);
  });
});
