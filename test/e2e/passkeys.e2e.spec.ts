/**
 * A passkey before money leaves: enrolled, asked for, shown once, and not to be got round by one who only has
 * the open phone or the session. The authenticator is a small one of our own.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AddedBankAccount } from '#contracts/api/bank-accounts';
import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import {
  assertionOptions,
  Authenticator,
  confirmationOf,
  confirmed,
  enrolmentOptions,
  enrolPasskey,
  proofFor,
  type Slip,
} from '#test/support/authenticator';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person, refusal, type Answer } from '#test/support/person';
import { useStack, WITHOUT_WORKERS } from '#test/support/stack';

// No workers: a payout that was asked for stays as it is.
const stack = useStack(WITHOUT_WORKERS);
const evidence = useEvidence(stack);
const NOT_TAKEN = [400, 'This passkey could not be verified. Please try again.'];
const EXPIRED = [400, 'This took too long or was done before. Please try again.'];
const REQUIRED = {
  message: 'Please confirm with your passkey.',
  code: 'passkey_required',
  confirm: expect.objectContaining({ words: expect.any(String) }),
};
let juno: Person;
let milo: Person;
let phone: Authenticator;
let bankAccountId: string;

beforeAll(async () => {
  const provider = new CardProviderWorld(stack);
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
  await provider.card((await milo.pay(juno.id, '100.00')).clientSecret);
  await provider.card((await juno.pay(milo.id, '100.00')).clientSecret);
  await provider.delivered();
  await evidence.shown();
  phone = new Authenticator(stack().url);
  bankAccountId = await addBankAccount(juno);
});

async function addBankAccount(person: Person): Promise<string> {
  const body = {
    accountHolderName: 'A Performer',
    accountNumber: '000123456789',
    routingNumber: '110000000',
    bankName: 'Harbor Bank',
  };
  return AddedBankAccount.parse(json(await person.post('/api/bank-accounts', body))).id;
}
type Proof = Record<string, string>;
const payout = (proof: Proof = {}, person = juno, account = bankAccountId): Promise<Answer> =>
  person.post('/api/payouts', { amount: '1.00', bankAccountId: account }, proof);
const biometric = (on: boolean, proof: Proof = {}, person = juno): Promise<Answer> =>
  person.call('PUT', '/api/settings', { biometricEnabled: on }, proof);
const verify = (refused: Answer, response: object, person = juno): Promise<Answer> =>
  person.post('/api/passkeys/assertion/verify', { confirm: confirmationOf(refused).id, response });
const asked = (answer: Answer): unknown[] => [answer.status, json(answer)];
const passkeysOf = async (person: Person) =>
  json(await person.get('/api/passkeys')) as { id: string; label: string }[];
/** Juno in another browser. */
async function elsewhere(): Promise<Person> {
  const other = new Person(stack().url, juno.firstName, juno.username, juno.email);
  await other.signIn();
  return other;
}

describe('a passkey', () => {
  it('that does not hold is not enrolled', async () => {
    const enrol = async (slip: Slip, person = juno): Promise<Answer> =>
      person.post('/api/passkeys/enrolment/verify', {
        response: phone.create(await enrolmentOptions(juno), slip),
      });
    expect(refusal(await enrol({ origin: 'https://evil.example' }))).toEqual(NOT_TAKEN);
    expect(refusal(await enrol({ rpId: 'evil.example' }))).toEqual(NOT_TAKEN);
    expect(refusal(await enrol({ unverified: true }))).toEqual(NOT_TAKEN);
    // Asked for by one, answered by another.
    expect(refusal(await enrol({}, milo))).toEqual(EXPIRED);
    const assertion = await juno.post('/api/passkeys/enrolment/verify', {
      response: phone.get({ challenge: 'x' }),
    });
    expect(refusal(assertion)).toEqual([400, 'That is not what a passkey says.']);
    expect(await passkeysOf(juno)).toEqual([]);
    expect(refusal(await juno.post('/api/passkeys/assertion/options', { confirm: 'x' }))).toEqual([
      409,
      'You have no passkey yet. Add one first.',
    ]);
  });

  it('is not asked for before there is one, though the switch is on, nor while it is off', async () => {
    expect((await biometric(true)).status).toBe(200);
    expect((await payout()).status).toBe(200);
    expect((await biometric(false)).status).toBe(200);
  });

  it('is enrolled once, with a challenge that is good for once', async () => {
    const options = await enrolmentOptions(juno);
    const body = { response: phone.create(options), label: ' My phone ' };
    const enrolled = json(await juno.post('/api/passkeys/enrolment/verify', body));
    expect(enrolled).toEqual({
      id: expect.stringMatching(/^psk_/),
      label: 'My phone',
      createdAt: expect.any(String),
    });
    expect(refusal(await juno.post('/api/passkeys/enrolment/verify', body))).toEqual(EXPIRED);
    expect(await passkeysOf(juno)).toEqual([enrolled]);
    expect(await passkeysOf(milo)).toEqual([]);
  });

  it('is in the log, so that a restore loses none, and says nothing there of what it is', async () => {
    const text = await evidence.text();
    expect(text).toContain('PasskeyEnrolled');
    for (const hidden of ['My phone', phone.credentialId.toString('base64url')])
      expect(text).not.toContain(hidden);
  });
});

describe('with the switch on', () => {
  beforeAll(async () => {
    expect((await payout()).status).toBe(200);
    expect((await biometric(true)).status).toBe(200);
  });

  it('a payout needs a proof, and changes nothing without one', async () => {
    const before = await evidence.text();
    expect(asked(await payout())).toEqual([403, REQUIRED]);
    for (const proof of ['', 'x'.repeat(43)])
      expect(asked(await payout({ [PASSKEY_PROOF_HEADER]: proof }))).toEqual([403, REQUIRED]);
    expect(await evidence.text()).toBe(before);
  });

  it('is told what the passkey signs', async () => {
    expect(confirmationOf(await payout())).toEqual({
      id: expect.any(String),
      expiresAt: expect.any(String),
      words: 'Pay out $1.00 to Harbor Bank ••6789',
      amount: '1.00',
      to: 'Harbor Bank ••6789',
      from: 'Available balance',
      leftAfter: expect.stringMatching(/^\d+\.\d\d$/),
      arrives: 'Within 1-2 business days',
    });
  });

  it('a proof without a key is good for one call, of the session that got it', async () => {
    const proof = await proofFor(juno, phone, await payout());
    const other = await elsewhere();
    expect(asked(await payout(proof, other))).toEqual([403, REQUIRED]);
    expect((await payout(proof)).status).toBe(200);
    expect(asked(await payout(proof))).toEqual([403, REQUIRED]);
    // Two at once: one of them.
    const twice = await proofFor(juno, phone, await payout());
    const answers = await Promise.all([payout(twice), payout(twice)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('a proof of somebody else’s is none', async () => {
    const own = new Authenticator(stack().url);
    await enrolPasskey(milo, own);
    const account = await addBankAccount(milo);
    expect((await biometric(true, {}, milo)).status).toBe(200);
    const proof = await proofFor(milo, own, await payout({}, milo, account));
    expect(asked(await payout(proof))).toEqual([403, REQUIRED]);
  });

  it('a proof is worth nothing after its time, or once its session has ended', async () => {
    const proof = await proofFor(juno, phone, await payout());
    const db = new pg.Client({ connectionString: stack().env.DATABASE_URL });
    await db.connect();
    try {
      await db.query(`update edge.confirmations set expires_at = now() - interval '1 second'`);
      expect(asked(await payout(proof))).toEqual([403, REQUIRED]);
      const other = await elsewhere();
      await proofFor(other, phone, await payout({}, other));
      const count = async (): Promise<number> =>
        (await db.query('select from edge.confirmations where proof_hash is not null and expires_at > now()'))
          .rowCount ?? -1;
      const before = await count();
      await other.signOut();
      expect(await count()).toBe(before - 1);
    } finally {
      await db.end();
    }
  });

  it('what an authenticator says is looked at closely', async () => {
    const say = async (slip: Slip, by = phone) => {
      const refused = await payout();
      return verify(refused, by.get(await assertionOptions(juno, refused), slip));
    };
    for (const slip of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { unverified: true },
      { forged: true },
    ])
      expect(refusal(await say(slip))).toEqual(NOT_TAKEN);
    // A passkey that is nobody's, and one that is somebody else's.
    expect(refusal(await say({}, new Authenticator(stack().url)))).toEqual(NOT_TAKEN);
    const refused = await payout();
    const said = phone.get(await assertionOptions(juno, refused));
    // Signed for one call, shown for another.
    expect(refusal(await verify(await payout(), said))).toEqual(NOT_TAKEN);
    expect((await verify(refused, said)).status).toBe(200);
    expect(refusal(await verify(refused, said))).toEqual(EXPIRED);
    // A challenge for enrolling is none for confirming.
    expect(refusal(await verify(await payout(), phone.get(await enrolmentOptions(juno))))).toEqual(NOT_TAKEN);
    expect(refusal(await say({ counter: 1 }))).toEqual([
      400,
      'This passkey seems to have been copied. Remove it and add a new one.',
    ]);
    expect((await say({ counter: 1000 })).status).toBe(200);
  });

  it('nobody disables it who enrols its id in an account of their own, with the highest count of uses', async () => {
    const thief = await Person.signUp(stack().url, 'Thief');
    const response = phone.create(await enrolmentOptions(thief), { counter: 0xff_ff_ff_ff });
    const enrolled = await thief.post('/api/passkeys/enrolment/verify', { response });
    expect(enrolled.status).toBe(200);
    const refused = await payout();
    const said = phone.get(await assertionOptions(juno, refused), { counter: 1001 });
    expect((await verify(refused, said)).status).toBe(200);
    const { id } = json(enrolled) as { id: string };
    expect((await thief.call('DELETE', `/api/passkeys/${id}`)).status).toBe(200);
    // Nor does its end in that account forget how often it was used in this one.
    const copied = await payout();
    const copy = phone.get(await assertionOptions(juno, copied), { counter: 1001 });
    expect((await verify(copied, copy)).status).toBe(400);
    phone.get({ challenge: 'x' }, { counter: 1001 });
  });

  it('a withdrawal from a wallet asks for it too, and filling one does not', async () => {
    const wallet = json(await juno.post('/api/treasury/wallets', { displayName: 'Tour' })) as { id: string };
    const body = { walletId: wallet.id, amount: '2.00' };
    expect((await juno.post('/api/treasury/transfer', body)).status).toBe(200);
    const left = async (): Promise<unknown> =>
      (json(await juno.get('/api/treasury/wallets')) as { balance: string }[])[0]?.balance;
    const withdraw = (proof: Proof): Promise<Answer> => juno.post('/api/treasury/withdraw', body, proof);
    const refused = await withdraw({});
    expect(asked(refused)).toEqual([403, REQUIRED]);
    expect(confirmationOf(refused).words).toBe('Move $2.00 from the wallet “Tour” to the available balance');
    expect(await left()).toBe('2.00');
    const proof = await proofFor(juno, phone, refused);
    expect((await withdraw(proof)).status).toBe(200);
    expect(await left()).toBe('0.00');
    expect(asked(await withdraw(proof))).toEqual([403, REQUIRED]);
  });

  it('one with the open phone cannot switch it off, add a passkey of their own or remove the owner’s', async () => {
    expect(asked(await biometric(false))).toEqual([403, REQUIRED]);
    expect((await juno.settings()).biometricEnabled).toBe(true);
    await expect(enrolPasskey(juno, new Authenticator(stack().url))).rejects.toThrow('Answered 403');
    const [mine] = await passkeysOf(juno);
    expect(asked(await juno.call('DELETE', `/api/passkeys/${mine?.id}`))).toEqual([403, REQUIRED]);
    expect(await passkeysOf(juno)).toHaveLength(1);
    // What has nothing to do with it is not asked for.
    expect((await juno.put('/api/settings', { transactionAlertsEnabled: false })).status).toBe(200);
  });

  it('the owner can do all of it, and a ledger that starts anew still asks', async () => {
    const second = new Authenticator(stack().url);
    const added = await enrolPasskey(juno, second, phone);
    await stack().part('ledger-1').restart();
    expect(asked(await payout())).toEqual([403, REQUIRED]);
    const remove = (proof: Proof): Promise<Answer> =>
      juno.call('DELETE', `/api/passkeys/${added.id}`, undefined, proof);
    expect(confirmationOf(await remove({})).words).toBe('Remove the passkey “A telephone of the house”');
    expect((await confirmed(juno, second, remove)).status).toBe(200);
    expect((await passkeysOf(juno)).map(({ label }) => label)).toEqual(['My phone']);
    // What was given up says yes to nothing.
    const refused = await payout();
    expect(refusal(await verify(refused, second.get(await assertionOptions(juno, refused))))).toEqual(
      NOT_TAKEN,
    );
    expect((await confirmed(juno, phone, (proof) => biometric(false, proof))).status).toBe(200);
    expect((await payout()).status).toBe(200);
  });
});
