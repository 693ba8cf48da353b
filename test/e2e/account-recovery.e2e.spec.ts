/**
 * A passkey that its owner cannot use: a thief's, or one that is lost. The owner gets the account back after
 * the wait and two sign-ins; nobody moves money meanwhile, and nobody who has no more than a session stops
 * it.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { AccountRecoveryAnswer } from '#contracts/api/account-recovery';
import { AddedBankAccount } from '#contracts/api/bank-accounts';
import { ForgettingAnswer } from '#contracts/api/forgetting';
import { Message } from '#contracts/api/messages';
import { Vault } from '#log/vault';
import { eventually } from '#test/conformance/stripe-process';
import { Authenticator, confirmed, enrolPasskey } from '#test/support/authenticator';
import { useEvidence } from '#test/support/evidence';
import { DAY_MS, HOUR_MS, MovedClock } from '#test/support/moved-clock';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person, refusal, refusalCode, type Answer } from '#test/support/person';
import { ageSignIns } from '#test/support/sign-in-age';
import { useStack } from '#test/support/stack';

const WAIT_MS = 3 * DAY_MS;
const clock = new MovedClock();
const stack = useStack(['all'], {
  // The mails stay where they are: what they link to is read there.
  env: {
    ...clock.env,
    CARE_EVERY_SECONDS: '0.5',
    MAIL_EVERY_SECONDS: '3600',
    RATE_LIMIT_PER_MINUTE: '100000',
  },
});
const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let db: pg.Pool;
let vault: Vault;

beforeAll(() => {
  db = new pg.Pool({ connectionString: stack().env['DATABASE_URL'], max: 2 });
  // The stack may end before the pool does.
  db.on('error', () => undefined);
  vault = Vault.open(db, stack().env['ENCORE_MASTER_KEY'] ?? '');
});
afterAll(async () => {
  await db?.end();
  clock.remove();
});

/** Somebody with $100.00 and a bank account, whose sign-in is not fresh any more. */
async function performer(name: string): Promise<{ person: Person; bankAccountId: string }> {
  const person = await Person.signUp(stack().url, name);
  const fan = await Person.signUp(stack().url, 'Fan');
  await provider.card((await fan.pay(person.id, '100.00')).clientSecret);
  await provider.delivered();
  await eventually(async () => (await person.me()).earnings === '100.00', 'the money');
  const added = await person.post('/api/bank-accounts', {
    accountHolderName: 'A Performer',
    accountNumber: '000123456789',
    routingNumber: '110000000',
    bankName: 'Harbor Bank',
  });
  return { person, bankAccountId: AddedBankAccount.parse(json(added)).id };
}
/** The same session in another hand. */
async function withCookiesOf(owner: Person): Promise<Person> {
  const thief = new Person(owner.url, owner.firstName, owner.username, owner.email);
  for (const cookie of await owner.jar.getCookies(owner.url)) await thief.jar.setCookie(cookie, owner.url);
  thief.id = owner.id;
  return thief;
}
/** The same person at another browser, who knows the password. */
async function elsewhere(owner: Person): Promise<Person> {
  const same = new Person(owner.url, owner.firstName, owner.username, owner.email);
  await same.signIn();
  return same;
}
/**
 * The identity provider says times in seconds: a sign-in in the same second as the last is not another one.
 */
async function signInOnceMore(person: Person): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await eventually(() => Math.floor(Date.now() / 1000) > second, 'the next second');
  await person.signInAgain();
}
const payOut = (person: Person, bankAccountId: string, proof: Record<string, string> = {}): Promise<Answer> =>
  person.post('/api/payouts', { bankAccountId, amount: '20.00' }, proof);
const recover = (person: Person, step: '' | '/completion' = ''): Promise<Answer> =>
  person.post(`/api/account-recovery${step}`, {});
const refuse = (person: Person, proof: Record<string, string> = {}): Promise<Answer> =>
  person.post('/api/account-recovery/refusal', {}, proof);
const stateOf = async (person: Person): Promise<AccountRecoveryAnswer> =>
  AccountRecoveryAnswer.parse(json(await person.get('/api/account-recovery')));
const titlesOf = async (person: Person): Promise<string[]> =>
  z
    .array(Message)
    .parse(json(await person.get('/api/messages')))
    .map(({ title }) => title);
/** Messages come from the log, a moment after the answer. */
const isTold = (person: Person, title: string, times = 1): Promise<boolean> =>
  eventually(
    async () => (await titlesOf(person)).filter((one) => one === title).length === times,
    `${times} times "${title}"`,
  );
/** What the mail that told of a recovery links to. */
async function linkOf(userId: string): Promise<{ userId: string; token: string }> {
  const { rows } = await db.query<{ sealed_link: string }>(
    `select d.sealed_link from edge.messages m join edge.message_deliveries d on d.message_id = m.id
      where m.user_id = $1 and m.kind = 'recovery_started' order by m.at desc limit 1`,
    [userId],
  );
  const link = await vault.unsealOr(rows[0]?.sealed_link ?? '', '');
  const [, to = '', token = ''] = /^\/recovery#(\w+)\.([\w-]+)$/.exec(link ?? '') ?? [];
  return { userId: to, token };
}
const anybodyRefuses = (link: { userId: string; token: string }): Promise<Answer> =>
  new Person(stack().url, 'Anybody', 'anybody', '').post('/api/account-recovery/refusal-by-link', link);

/** An owner whose account a thief guards with a passkey, and the thief, at the same session. */
async function robbed(name: string) {
  const { person: owner, bankAccountId } = await performer(name);
  const thief = await withCookiesOf(owner);
  const thiefsPhone = new Authenticator(stack().url);
  await enrolPasskey(thief, thiefsPhone);
  expect((await thief.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
  return { owner: await elsewhere(owner), thief, bankAccountId };
}

describe('an owner whom a thief has locked out', () => {
  it('gets back in after three days and two sign-ins, and the thief is out at once', async () => {
    const { owner, thief, bankAccountId } = await robbed('Juno');
    expect(refusalCode(await payOut(owner, bankAccountId))).toEqual([403, 'passkey_required']);
    expect((await recover(owner)).status).toBe(200);
    // The stolen session, the passkey that was shown with it and all other browsers are worth nothing.
    expect((await thief.get('/api/auth/user')).status).toBe(401);
    expect((await refuse(thief)).status).toBe(401);
    expect(await stateOf(owner)).toMatchObject({ status: 'running', startedBy: 'owner', isConfirmed: true });

    // Whoever can sign in may be the thief, and so may whoever has a passkey: neither moves money now.
    expect(refusalCode(await payOut(owner, bankAccountId))).toEqual([409, 'recovery_under_way']);
    for (const [method, path, body] of [
      ['PUT', '/api/settings', { biometricEnabled: false }],
      ['POST', '/api/forgetting', {}],
    ] as const)
      expect(refusalCode(await owner.call(method, path, body))).toEqual([409, 'recovery_under_way']);
    await expect(enrolPasskey(owner, new Authenticator(stack().url))).rejects.toThrow('recovery_under_way');

    await signInOnceMore(owner);
    expect(refusal(await recover(owner, '/completion'))[1]).toMatch(/^The recovery of this account can be/);
    clock.pass(WAIT_MS - HOUR_MS);
    expect((await recover(owner, '/completion')).status).toBe(409);
    clock.pass(HOUR_MS);
    await ageSignIns(stack().env['DATABASE_URL'], owner.id);
    expect(refusalCode(await recover(owner, '/completion'))).toEqual([403, 'sign_in_required']);
    await signInOnceMore(owner);
    expect((await recover(owner, '/completion')).status).toBe(200);

    expect(json(await owner.get('/api/passkeys'))).toEqual([]);
    expect((await owner.settings()).biometricEnabled).toBe(false);
    expect((await payOut(owner, bankAccountId)).status).toBe(200);
    expect(await stateOf(owner)).toMatchObject({ status: 'none', isPossible: false });
    await isTold(owner, 'Account recovery started');
    await isTold(owner, 'Account recovered');
    // Asked again it is done already, and tells nobody twice.
    expect((await recover(owner, '/completion')).status).toBe(200);
    expect((await titlesOf(owner)).filter((title) => title === 'Account recovered')).toHaveLength(1);
  });

  it('needs a sign-in for the start, too: an old session begins nothing', async () => {
    const { owner } = await robbed('Nell');
    await ageSignIns(stack().env['DATABASE_URL'], owner.id);
    expect(refusalCode(await recover(owner))).toEqual([403, 'sign_in_required']);
    expect((await stateOf(owner)).status).toBe('none');
  });

  it('has nothing to recover while no passkey is asked for', async () => {
    const { person } = await performer('Otto');
    expect((await recover(person)).status).toBe(409);
    expect(await stateOf(person)).toMatchObject({ status: 'none', isPossible: false });
  });
});

describe('a thief who knows the password', () => {
  it('moves nothing while the recovery that they began runs, and its owner refuses it with a passkey', async () => {
    const { person: owner, bankAccountId } = await performer('Milo');
    const phone = new Authenticator(stack().url);
    await enrolPasskey(owner, phone);
    expect((await owner.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
    const thief = await elsewhere(owner);
    expect((await recover(thief)).status).toBe(200);
    expect(refusalCode(await payOut(thief, bankAccountId))).toEqual([409, 'recovery_under_way']);
    // Begun again it is the same one, which ends no sooner.
    const first = await stateOf(thief);
    clock.pass(HOUR_MS);
    expect((await recover(thief)).status).toBe(200);
    expect((await stateOf(thief)).completableFrom).toBe(first.completableFrom);

    await owner.signInAgain();
    expect(refusalCode(await refuse(owner))).toEqual([403, 'passkey_required']);
    expect((await confirmed(owner, phone, (proof) => refuse(owner, proof))).status).toBe(200);
    expect((await stateOf(owner)).status).toBe('refused');
    expect((await confirmed(owner, phone, (proof) => payOut(owner, bankAccountId, proof))).status).toBe(200);
    // Not again on the same day, and never without telling the owner.
    expect(refusal(await recover(thief))).toEqual([409, expect.stringMatching(/refused a short time ago/)]);
    clock.pass(DAY_MS);
    expect((await recover(thief)).status).toBe(200);
    await isTold(thief, 'Account recovery started', 2);
  });

  it('is stopped by the link in the mail, once, without a session', async () => {
    const { owner } = await robbed('Rosa');
    expect((await recover(owner)).status).toBe(200);
    await isTold(owner, 'Account recovery started');
    const link = await linkOf(owner.id);
    expect(link.userId).toBe(owner.id);
    // Nothing that a session can read has the link.
    for (const path of ['/api/messages', '/api/account-recovery', '/api/auth/user'])
      expect((await owner.get(path)).text).not.toContain(link.token);
    expect(await evidence.text()).not.toContain(link.token);
    // The link opens a page by itself, also for who is signed out, and that alone refuses nothing.
    const opened = await new Person(stack().url, 'Anybody', 'anybody', '').get('/recovery');
    expect([opened.status, opened.text]).toEqual([200, expect.stringContaining('Refuse the Recovery')]);
    const forged = { ...link, token: (link.token.startsWith('A') ? 'B' : 'A') + link.token.slice(1) };
    expect((await anybodyRefuses(forged)).status).toBe(410);
    expect((await anybodyRefuses({ ...link, userId: 'usr_00000000000000000000000000' })).status).toBe(410);
    expect((await stateOf(owner)).status).toBe('running');
    expect((await anybodyRefuses(link)).status).toBe(204);
    expect((await stateOf(owner)).status).toBe('refused');
    expect((await anybodyRefuses(link)).status).toBe(410);
  });
});

const operate = (...words: readonly string[]): Promise<{ status: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      ...stack().env,
      LEDGER_INTERNAL_URL: `http://127.0.0.1:${stack().ports['ledger-1-internal']}`,
    };
    const command = [join(process.cwd(), 'dist/processes/operate.js'), ...words];
    execFile(process.execPath, command, { env, timeout: 60_000 }, (error, out, err) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    );
  });

describe('sessions that an operator ends', () => {
  it('are over at once, and their owner, who is told, signs in anew', async () => {
    const { owner, thief } = await robbed('Nell');
    expect(await operate('end-sessions', owner.id)).toMatchObject({
      status: 0,
      out: expect.stringContaining('2 sessions'),
    });
    for (const one of [owner, thief]) expect((await one.get('/api/auth/user')).status).toBe(401);
    expect(await operate('end-sessions', owner.id)).toMatchObject({
      status: 0,
      out: expect.stringContaining('signed in nowhere'),
    });
    await owner.signInAgain();
    expect(JSON.stringify(json(await owner.get('/api/messages')))).toContain(
      '2 sessions of your account were ended',
    );
    expect(await operate('end-sessions')).toMatchObject({
      status: 2,
      err: expect.stringContaining('end-sessions needs its user'),
    });
  });
});

describe('a recovery that an operator begins', () => {
  it('skips neither the wait nor a sign-in', async () => {
    const { owner, thief } = await robbed('Vera');
    const begun = await operate('recover-account', owner.id);
    expect(begun).toMatchObject({ status: 0, out: expect.stringContaining('is under way') });
    expect((await thief.get('/api/auth/user')).status).toBe(401);
    expect((await owner.get('/api/auth/user')).status).toBe(401);
    await owner.signInAgain();
    expect(await stateOf(owner)).toMatchObject({ startedBy: 'operator', isConfirmed: false });
    clock.pass(WAIT_MS);
    expect(refusalCode(await recover(owner, '/completion'))).toEqual([403, 'sign_in_required']);
    expect((await recover(owner)).status).toBe(200);
    expect(refusalCode(await recover(owner, '/completion'))).toEqual([403, 'sign_in_required']);
    await signInOnceMore(owner);
    expect((await recover(owner, '/completion')).status).toBe(200);
    expect(json(await owner.get('/api/passkeys'))).toEqual([]);
  });

  it('is refused for somebody whom nobody knows, in a sentence', async () => {
    // A mistyped id is not told that nothing is to be done, and no key is made for it.
    const nobody = 'usr_00000000000000000000000000';
    for (const verb of ['recover-account', 'end-sessions'])
      expect(await operate(verb, nobody)).toMatchObject({ status: 2, err: 'User not found\n' });
    const keys = await db.query('select 1 from vault.data_keys where user_id = $1', [nobody]);
    expect(keys.rowCount).toBe(0);
    expect(await operate('recover-account')).toMatchObject({
      status: 2,
      err: expect.stringContaining('recover-account needs its user'),
    });
  });
});

describe('somebody who asks to be forgotten', () => {
  const forgetting = async (person: Person): Promise<ForgettingAnswer> =>
    ForgettingAnswer.parse(json(await person.get('/api/forgetting')));

  it('is refused while money is left, and else forgotten when the wait is over', async () => {
    const { person: rich } = await performer('Ines');
    expect(refusal(await rich.post('/api/forgetting', {}))).toEqual([
      409,
      '$100.00 of yours is left in your balance, in wallets or on its way to a bank. Pay it out first, and wait until it has arrived.',
    ]);
    expect((await forgetting(rich)).blockedBecause).toContain('$100.00');

    const person = await Person.signUp(stack().url, 'Paul');
    expect((await person.post('/api/forgetting', {})).status).toBe(200);
    expect((await forgetting(person)).status).toBe('requested');
    expect(await titlesOf(person)).toContain('Your account will be deleted');
    clock.pass(WAIT_MS - HOUR_MS);
    // Workers have looked meanwhile: what is due then is collected, and this is not.
    expect((await person.call('DELETE', '/api/forgetting')).status).toBe(200);
    expect(await forgetting(person)).toMatchObject({ status: 'none', lastEndedBecause: null });
    expect((await person.post('/api/forgetting', {})).status).toBe(200);
    clock.pass(WAIT_MS);
    await eventually(
      async () => (await person.get('/api/auth/user')).status === 401,
      'the end of the account',
    );
    await eventually(
      async () => (await rich.get(`/api/users/${person.id}`)).status === 404,
      'nobody to be found',
    );
  });

  it('is not forgotten when money has come in meanwhile, and is told why', async () => {
    const person = await Person.signUp(stack().url, 'Lena');
    const fan = await Person.signUp(stack().url, 'Fan');
    const open = await fan.pay(person.id, '5.00');
    expect((await person.post('/api/forgetting', {})).status).toBe(200);
    // What was open is paid; nobody holds it up by another tip.
    const refused = await fan.post('/api/create-payment-intent', { toUserId: person.id, amount: '0.50' });
    expect(refusal(refused)).toEqual([409, expect.stringContaining('Nothing was paid.')]);
    await provider.card(open.clientSecret);
    await provider.delivered();
    await eventually(async () => (await person.me()).earnings === '5.00', 'the money');
    clock.pass(WAIT_MS);
    await eventually(async () => (await forgetting(person)).status === 'none', 'the end of the request');
    expect((await forgetting(person)).lastEndedBecause).toBe('money_left');
    expect(await titlesOf(person)).toContain('Your account stays');
  });

  it('is not forgotten by a thief: a recovery ends the request', async () => {
    const owner = await Person.signUp(stack().url, 'Cleo');
    const thief = await withCookiesOf(owner);
    const thiefsPhone = new Authenticator(stack().url);
    await enrolPasskey(thief, thiefsPhone);
    expect((await thief.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
    const ask = (proof: Record<string, string>) => thief.post('/api/forgetting', {}, proof);
    expect((await confirmed(thief, thiefsPhone, ask)).status).toBe(200);
    await owner.signInAgain();
    expect((await forgetting(owner)).status).toBe('requested');
    expect((await recover(owner)).status).toBe(200);
    expect(await forgetting(owner)).toMatchObject({ status: 'none', lastEndedBecause: 'recovery_started' });
    clock.pass(WAIT_MS);
    expect((await owner.me()).username).toBe(owner.username);
  });
});
