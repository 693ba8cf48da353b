/**
 * Step-up by effect: what a thief meets who has the cookie of an aged session, how proofs hold against being
 * raced, replayed and swapped, and how the owner goes on.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { v7 as uuidv7 } from 'uuid';
import { AddedBankAccount } from '#contracts/api/bank-accounts';
import { TreasuryWallet } from '#contracts/api/treasury';
import { Authenticator, confirmationOf, enrolPasskey, proofFor } from '#test/support/authenticator';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person, refusalCode, type Answer } from '#test/support/person';
import { sampled } from '#test/support/sample';
import { ageSignIns } from '#test/support/sign-in-age';
import { useStack, WITHOUT_WORKERS } from '#test/support/stack';

// No workers: what was asked for stays as it is.
const stack = useStack(WITHOUT_WORKERS, { ledgers: 2 });
const evidence = useEvidence(stack);
const provider = new CardProviderWorld(stack);
let juno: Person;
let milo: Person;
let phone: Authenticator;
let theirs: Belongings;

/** What the owner has that a thief is after. */
interface Belongings {
  readonly banks: readonly [string, string];
  readonly walletId: string;
  readonly subscriptionId: string;
  readonly scheduleId: string;
  readonly cardId: string;
}

beforeAll(async () => {
  [juno, milo] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Milo')]);
  phone = new Authenticator(stack().url);
  await provider.card((await milo.pay(juno.id, '500.00')).clientSecret);
  await provider.delivered();
  await evidence.shown();
  theirs = await furnish();
});

async function furnish(): Promise<Belongings> {
  const bank = async (accountNumber: string): Promise<string> => {
    const body = { accountHolderName: 'A Performer', routingNumber: '110000000', bankName: 'Harbor Bank' };
    return AddedBankAccount.parse(json(await juno.post('/api/bank-accounts', { ...body, accountNumber }))).id;
  };
  const banks = [await bank('000123456789'), await bank('000111111116')] as const;
  const wallet = TreasuryWallet.parse(
    json(await juno.post('/api/treasury/wallets', { displayName: 'Tour' })),
  );
  await juno.post('/api/treasury/transfer', { walletId: wallet.id, amount: '100.00' });
  const cardId = await juno.saveCard(provider);
  const { id: subscriptionId } = await juno.subscribe(milo.id, '5.00', 'weekly');
  await juno.call('PATCH', `/api/subscriptions/${subscriptionId}/status`, { status: 'paused' });
  const { id: scheduleId } = await juno.schedule(milo.id, '4.00', new Date('2099-01-01'));
  await juno.put('/api/tip-page/handle', { handle: 'juno_plays' });
  await juno.put('/api/tip-page/published', { isPublished: true });
  return { banks, walletId: wallet.id, subscriptionId, scheduleId, cardId };
}

/** What a thief with the open session tries, by what it would do. */
const ATTEMPTS: Readonly<Record<string, (of: Belongings) => [string, string, object?]>> = {
  'subscribe to a stranger': () => [
    'POST',
    '/api/subscriptions',
    { toUserId: milo.id, amount: '450.00', frequency: 'daily' },
  ],
  'resume a subscription': (of) => [
    'PATCH',
    `/api/subscriptions/${of.subscriptionId}/status`,
    { status: 'active' },
  ],
  'raise the amount of a subscription': (of) => [
    'PATCH',
    `/api/subscriptions/${of.subscriptionId}`,
    { amount: '500.00' },
  ],
  'have a failed payment paid now': (of) => [
    'POST',
    `/api/subscriptions/${of.subscriptionId}/pay-now`,
    { dueAt: '2026-01-01T00:00:00Z' },
  ],
  'schedule a payment': () => [
    'POST',
    '/api/scheduled-payments',
    { toUserId: milo.id, amount: '999.00', scheduledDate: '2099-01-01T00:00:00Z' },
  ],
  'change a planned payment': (of) => [
    'PATCH',
    `/api/scheduled-payments/${of.scheduleId}`,
    { amount: '999.00' },
  ],
  'have a planned payment paid now': (of) => [
    'POST',
    `/api/scheduled-payments/${of.scheduleId}/pay-now`,
    { dueAt: '2026-01-01T00:00:00Z' },
  ],
  'pay out': (of) => ['POST', '/api/payouts', { amount: '100.00', bankAccountId: of.banks[0] }],
  'empty a wallet': (of) => ['POST', '/api/treasury/withdraw', { walletId: of.walletId, amount: '100.00' }],
  'close a wallet': (of) => ['DELETE', `/api/treasury/wallets/${of.walletId}`],
  'add a bank account': () => [
    'POST',
    '/api/bank-accounts',
    {
      accountHolderName: 'A Thief',
      accountNumber: '000222222227',
      routingNumber: '110000000',
      bankName: 'Elsewhere',
    },
  ],
  'make another bank account primary': (of) => ['PUT', `/api/bank-accounts/${of.banks[1]}/primary`],
  'remove the primary bank account': (of) => ['DELETE', `/api/bank-accounts/${of.banks[0]}`],
  'open the provider’s page of the account': () => ['POST', '/api/payouts/onboarding', {}],
  'move the tip page': () => ['PUT', '/api/tip-page/handle', { handle: 'somebody_else' }],
  'write another address on the tip page': () => [
    'PUT',
    '/api/tip-page',
    { stageName: 'Juno', line: 'now at @somebody_else', isListed: false },
  ],
  'publish the tip page': () => ['PUT', '/api/tip-page/published', { isPublished: true }],
  'sign the owner out elsewhere': () => ['POST', '/api/sessions/end-others', {}],
  'end one session': () => ['DELETE', '/api/sessions/00000000-0000-4000-8000-000000000000'],
  'download all data': () => ['POST', '/api/own-data', {}],
  'have the account forgotten': () => ['POST', '/api/forgetting', {}],
  'save a card': () => ['POST', '/api/setup-intent', {}],
  'save a card by a payment': () => [
    'POST',
    '/api/create-payment-intent',
    { toUserId: milo.id, amount: '400.00', saveCard: true },
  ],
  'charge another saved card': (of) => ['PUT', `/api/payment-methods/${of.cardId}/default`],
  'remove a saved card': (of) => ['DELETE', `/api/payment-methods/${of.cardId}`],
  'switch the asking on': () => ['PUT', '/api/settings', { biometricEnabled: true }],
  'switch the asking off': () => ['PUT', '/api/settings', { biometricEnabled: false }],
  'remove a passkey': () => ['DELETE', '/api/passkeys/psk_of_nobody'],
  'begin to add a passkey': () => ['POST', '/api/passkeys/enrolment/options', {}],
  'add a passkey': () => [
    'POST',
    '/api/passkeys/enrolment/verify',
    { response: new Authenticator(stack().url).create({ challenge: 'x' }) },
  ],
};
const attempt = (name: string, headers: Record<string, string> = {}): Promise<Answer> => {
  const [method, path, body] = ATTEMPTS[name]!(theirs);
  return juno.call(method, path, body, headers);
};

/** Guarded calls whose thieves have suites or tests of their own. */
const TRIED_ELSEWHERE = [
  // Where some is let through: below, and with the pictures.
  'POST /api/tips',
  'PUT /api/user/picture',
  // account-recovery.e2e
  'POST /api/account-recovery',
  'POST /api/account-recovery/completion',
  'POST /api/account-recovery/refusal',
];

/** Seconds since the sign-in that a person's sessions know of. */
async function signInAges(person: Person): Promise<number[]> {
  const db = new pg.Client({ connectionString: stack().env.DATABASE_URL });
  await db.connect();
  try {
    const { rows } = await db.query<{ age: number }>(
      'select extract(epoch from now() - signed_in_at)::float as age from edge.sessions where user_id = $1',
      [person.id],
    );
    return rows.map(({ age }) => age);
  } finally {
    await db.end();
  }
}

describe('a thief with the cookie of an aged session, where there is no passkey', () => {
  beforeAll(() => ageSignIns(stack().env.DATABASE_URL, juno.id));

  it('tries every call that needs a proof', async () => {
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))) })
      .parse(json(await juno.get('/api/openapi.json')));
    const guarded = Object.entries(paths).flatMap(([path, calls]) =>
      Object.entries(calls).flatMap(([method, { 'x-encore-proof': proof }]) =>
        typeof proof === 'string' && !proof.startsWith('none') ? [`${method.toUpperCase()} ${path}`] : [],
      ),
    );
    const tried = Object.values(ATTEMPTS).map((of) => of(theirs).slice(0, 2).join(' '));
    const isTried = (call: string): boolean =>
      TRIED_ELSEWHERE.includes(call) ||
      tried.some((one) => new RegExp(`^${call.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(one));
    expect(guarded.length).toBeGreaterThan(25);
    expect(guarded.filter((call) => !isTried(call))).toEqual([]);
  });

  it.each(Object.keys(ATTEMPTS))('cannot %s', async (name) => {
    const before = await evidence.text();
    const answer = await attempt(name, { 'idempotency-key': uuidv7() });
    expect(refusalCode(answer)).toEqual([403, 'sign_in_required']);
    expect(await evidence.text()).toBe(before);
  });

  it('cannot do it with a proof of their own either, nor with a session that never signed in', async () => {
    for (const proof of ['', 'x'.repeat(43)])
      expect(refusalCode(await attempt('pay out', { 'x-encore-passkey-proof': proof }))).toEqual([
        403,
        'sign_in_required',
      ]);
    const db = new pg.Client({ connectionString: stack().env.DATABASE_URL });
    await db.connect();
    await db.query('update edge.sessions set signed_in_at = null where user_id = $1', [juno.id]);
    await db.end();
    expect(refusalCode(await attempt('pay out'))).toEqual([403, 'sign_in_required']);
  });
});

describe('tips by what is there already', () => {
  const tip = (amount: string, from: string, headers: Record<string, string> = {}): Promise<Answer> =>
    juno.post('/api/tips', { toUserId: milo.id, amount, from }, { 'idempotency-key': uuidv7(), ...headers });
  const statusOf = (answer: Answer): unknown[] => [
    answer.status,
    (json(answer) as { status?: string; code?: string }).status ?? (json(answer) as { code?: string }).code,
  ];

  it('name a card by an id of ours, and the older id of one stays good', async () => {
    const [card] = await juno.cards();
    expect(card?.id).toMatch(/^crd_[0-9a-z]{26}$/);
    expect(theirs.cardId).toMatch(/^pm_/);
    for (const path of ['/api/payment-methods', '/api/config', '/api/auth/user'])
      expect((await juno.get(path)).text).not.toContain('pm_');
    await juno.signInAgain();
    for (const id of [card!.id, theirs.cardId])
      expect((await juno.call('PUT', `/api/payment-methods/${id}/default`)).status).toBe(200);
  });

  it('need no proof up to $50 a day, through two ledgers at once too, and one beyond it', async () => {
    await ageSignIns(stack().env.DATABASE_URL, juno.id);
    const [card] = await juno.cards();
    // Whoever confirms that a card is saved reads that it pays these, too.
    const { confirm } = json(await attempt('save a card')) as { confirm?: object };
    expect(confirm).toEqual({ words: 'Save a card for tips, subscriptions and scheduled payments' });
    expect(statusOf(await tip('50.01', 'balance'))).toEqual([403, 'sign_in_required']);
    const key = { 'idempotency-key': uuidv7() };
    const paid = await tip('20.00', card!.id, key);
    expect(statusOf(paid)).toEqual([200, 'completed']);
    expect(paid.text).not.toContain('pm_');
    const raced = await Promise.all(Array.from({ length: 10 }, () => tip('10.00', 'balance')));
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array<number>(7).fill(403)]);
    for (const from of ['balance', card!.id])
      expect(statusOf(await tip('0.50', from))).toEqual([403, 'sign_in_required']);
    // A repeat is what it was.
    expect(json(await tip('20.00', card!.id, key))).toEqual(json(paid));
    await juno.signInAgain();
    expect(statusOf(await tip('60.00', 'balance'))).toEqual([200, 'completed']);
  });

  it('by a card whose bank asks go on in the browser, and by one that is declined move nothing', async () => {
    await juno.saveCard(provider, '4000002760003184');
    const [asking] = await juno.cards();
    const answer = json(await tip('5.00', asking!.id)) as { status: string; clientSecret: string };
    expect([answer.status, answer.clientSecret.includes('_secret_')]).toEqual(['action_required', true]);
    expect(statusOf(await tip('5.00', 'crd_of_nobody'))[0]).toBe(404);
  });
});

describe('an owner without a passkey', () => {
  it('signs in again, goes on under the same key, and is asked for no second sign-in by a repeat', async () => {
    await ageSignIns(stack().env.DATABASE_URL, juno.id);
    const key = { 'idempotency-key': uuidv7() };
    const body = { toUserId: milo.id, amount: '2.00', scheduledDate: '2099-01-01T00:00:00Z' };
    const schedule = (headers: Record<string, string> = key): Promise<Answer> =>
      juno.post('/api/scheduled-payments', body, headers);
    const refused = await schedule();
    expect(json(refused)).toEqual({
      message: 'Please sign in again to confirm this.',
      code: 'sign_in_required',
      confirm: {
        words: `Pay $2.00 to Milo Valastro (@${milo.username}) on Jan 1, 2099, 12:00 AM UTC`,
        amount: '2.00',
        to: `Milo Valastro (@${milo.username})`,
        from: 'Available balance, else your saved card',
        arrives: '2099-01-01T00:00:00.000Z',
      },
    });
    await juno.signInAgain('/scheduled-payments');
    const made = await schedule();
    expect(made.status).toBe(200);
    await ageSignIns(stack().env.DATABASE_URL, juno.id);
    await minutesAfterConfirming(30, juno);
    const before = await evidence.text();
    expect(json(await schedule())).toMatchObject({ id: (json(made) as { id: string }).id });
    expect(await evidence.text()).toBe(before);
    // Another one is another request.
    expect(refusalCode(await schedule({ 'idempotency-key': uuidv7() }))).toEqual([403, 'sign_in_required']);
  });
});

const payout = (amount: string, headers: Record<string, string>, by = juno, bank = theirs.banks[0]) =>
  by.post('/api/payouts', { amount, bankAccountId: bank }, headers);

/** As if minutes had passed since a person's calls were confirmed. */
const minutesAfterConfirming = (minutes: number, { id }: Person) =>
  evidence.db.query(
    'update edge.confirmations set used_at = used_at - make_interval(mins => $1), expires_at = expires_at - make_interval(mins => $1) where user_id = $2',
    [minutes, id],
  );

describe('what was refused once', () => {
  it('is not confirmed for later: no thief with a young session prepares what there is no money for yet', async () => {
    const owner = await Person.signUp(stack().url, 'Nia');
    const key = { 'idempotency-key': uuidv7() };
    const subscribe = () =>
      owner.post('/api/subscriptions', { toUserId: milo.id, amount: '450.00', frequency: 'daily' }, key);
    const refused = await subscribe();
    expect(refusalCode(refused)).toEqual([422, 'card_required']);
    await ageSignIns(stack().env.DATABASE_URL, owner.id);
    // A network that lost the answer asks again at once.
    expect(json(await subscribe())).toEqual(json(refused));
    await minutesAfterConfirming(3, owner);
    expect(refusalCode(await subscribe())).toEqual([403, 'sign_in_required']);
    await owner.signInAgain();
    await enrolPasskey(owner, new Authenticator(stack().url));
    expect((await owner.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
    expect(refusalCode(await subscribe())).toEqual([403, 'passkey_required']);
  });
});

describe('where a passkey guards', () => {
  beforeAll(async () => {
    await juno.signInAgain();
    await enrolPasskey(juno, phone);
    expect((await juno.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
  });

  it.each(Object.keys(ATTEMPTS).filter((name) => !/switch the asking on|passkey/.test(name)))(
    'nobody can %s with the session alone, however young',
    async (name) => {
      const before = await evidence.text();
      const answer = await attempt(name, { 'idempotency-key': uuidv7() });
      expect(refusalCode(answer)).toEqual([403, 'passkey_required']);
      expect(await evidence.text()).toBe(before);
    },
  );

  it('nobody adds a passkey with one that is there but an old sign-in, nor with a young one alone', async () => {
    const added = new Authenticator(stack().url);
    await expect(enrolPasskey(juno, added)).rejects.toThrow('"code":"passkey_required"');
    await ageSignIns(stack().env.DATABASE_URL, juno.id);
    await expect(enrolPasskey(juno, added, phone)).rejects.toThrow('"code":"sign_in_required"');
    // Otherwise an old sign-in does not matter where a passkey confirms.
    expect(refusalCode(await attempt('pay out'))).toEqual([403, 'passkey_required']);
  });

  it('a proof fits one amount, destination, key, call, session and user', async () => {
    const key = { 'idempotency-key': uuidv7() };
    const shown = await proofFor(juno, phone, await payout('1.00', key));
    const proof = { ...key, ...shown };
    const elsewhere = new Person(stack().url, juno.firstName, juno.username, juno.email);
    await elsewhere.signIn();
    const before = await evidence.text();
    const swapped = [
      await payout('1.01', proof),
      await payout('1.00', proof, juno, theirs.banks[1]),
      await payout('1.00', { ...proof, 'idempotency-key': uuidv7() }),
      await payout('1.00', shown),
      await juno.post('/api/treasury/withdraw', { walletId: theirs.walletId, amount: '1.00' }, proof),
      await juno.post('/api/payouts?again', { amount: '1.00', bankAccountId: theirs.banks[0] }, proof),
      await juno.call('PUT', `/api/bank-accounts/${theirs.banks[1]}/primary`, undefined, proof),
      await payout('1.00', proof, elsewhere),
    ];
    expect(swapped.map(refusalCode)).toEqual(swapped.map(() => [403, 'passkey_required']));
    expect((await payout('1.00', proof, milo)).status).toBe(404);
    expect(await evidence.text()).toBe(before);
    expect((await payout('1.00', proof)).status).toBe(200);
  });

  it('fifty proofs, each shown for every other call, do nothing; raced and replayed, each has one effect', async () => {
    const calls = Array.from({ length: 50 }, (_, n) => ({
      amount: (0.5 + n / 100).toFixed(2),
      key: { 'idempotency-key': uuidv7() },
    }));
    const proven: ((typeof calls)[number] & { proof: Record<string, string> })[] = [];
    for (const call of calls)
      proven.push({ ...call, proof: await proofFor(juno, phone, await payout(call.amount, call.key)) });
    const before = await evidence.text();
    const swapped = await Promise.all(
      proven.map(({ proof }, n) => {
        const other = proven[(n + 1) % proven.length]!;
        return payout(other.amount, { ...other.key, ...proof });
      }),
    );
    expect(new Set(swapped.map(({ status }) => status))).toEqual(new Set([403]));
    expect(await evidence.text()).toBe(before);
    const [first, ...others] = proven;
    const raced = await Promise.all(
      Array.from({ length: 50 }, () => payout(first!.amount, { ...first!.key, ...first!.proof })),
    );
    expect(new Set(raced.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(raced.map((answer) => (json(answer) as { id: string }).id)).size).toBe(1);
    await Promise.all(others.map(({ amount, key, proof }) => payout(amount, { ...key, ...proof })));
    // Sent again, as after a network that failed: no second finger, no second payout.
    await minutesAfterConfirming(30, juno);
    const again = await Promise.all(
      proven.map(({ amount, key, proof }) => payout(amount, { ...key, ...proof })),
    );
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    const requested = (await evidence.text()).split('"PayoutRequested"').length - 1;
    expect(requested - (before.split('"PayoutRequested"').length - 1)).toBe(50);
  });

  it('a read model that is behind opens nothing', async () => {
    const projections = stack().part('projections');
    const other = await Person.signUp(stack().url, 'Noa');
    await enrolPasskey(other, new Authenticator(stack().url));
    await projections.stop();
    try {
      expect((await other.put('/api/settings', { biometricEnabled: true })).status).toBe(200);
      expect((await other.settings()).biometricEnabled).toBe(false);
      const body = { walletId: 'wal_of_nobody', amount: '1.00' };
      expect(refusalCode(await other.post('/api/treasury/withdraw', body))).toEqual([
        403,
        'passkey_required',
      ]);
    } finally {
      await projections.start();
    }
  });

  it('says what is signed, and asks the words again when what they name has changed', async () => {
    const close = (headers: Record<string, string> = {}): Promise<Answer> =>
      juno.call('DELETE', `/api/treasury/wallets/${theirs.walletId}`, undefined, headers);
    const refused = await close();
    expect(confirmationOf(refused).words).toBe(
      'Close the wallet “Tour” and move what is in it to the available balance',
    );
    const proof = await proofFor(juno, phone, refused);
    await juno.call('PATCH', `/api/treasury/wallets/${theirs.walletId}`, { displayName: 'Rent' });
    await evidence.shown();
    expect(refusalCode(await close(proof))).toEqual([403, 'passkey_required']);
  });
});

describe('one proof', () => {
  // The switch and passkeys have tests of their own above; here they would change what guards the others.
  const raced = Object.keys(ATTEMPTS).filter((name) => !/switch the asking|passkey/.test(name));
  const TIMES = sampled(50, 6);

  it.each(raced)('shown many times at once does it once: %s', async (name) => {
    const key = { 'idempotency-key': uuidv7() };
    const proof = await proofFor(juno, phone, await attempt(name, key));
    const before = (await evidence.events()).length;
    const answers = await Promise.all(
      Array.from({ length: TIMES }, () => attempt(name, { ...key, ...proof })),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(answers.filter(({ text }) => text.includes('passkey_required'))).toEqual([]);
    const done = (await evidence.events()).slice(before).map(({ stream, type }) => `${stream} ${type}`);
    expect(done.sort()).toEqual([...new Set(done)].sort());
  });
});

describe('a fresh sign-in', () => {
  it('asks for the password again, although the provider knows who it is, and makes the session young', async () => {
    await ageSignIns(stack().env.DATABASE_URL, juno.id, 60);
    const before = await signInAges(juno);
    expect(before.every((age) => age > 3_500)).toBe(true);
    // An ordinary one is let through by the provider, and stays as old as it is there.
    await juno.signInAgain('/profile');
    const after = await signInAges(juno);
    expect([after.length, after.some((age) => age < 60)]).toEqual([before.length, true]);
  });

  it('is not finished by somebody else', async () => {
    // The provider asks whoever is signed in there already to leave first: they are.
    for (const name of ['encore_identity', 'encore_identity.sig'])
      await juno.jar.setCookie(`${name}=; Max-Age=0; Path=/identity`, `${stack().url}/identity`);
    const form = await juno.navigate('/api/login?fresh=1');
    const page = await juno.navigate(form.url, { email: milo.email, password: 'correct horse battery' });
    expect([page.status, page.text.includes('You signed in as somebody else.')]).toEqual([400, true]);
    expect((await juno.me()).id).toBe(juno.id);
  });
});

describe('where a passkey guards, during an outage', () => {
  it('while the event store is away a guarded call is refused, proof or not', async () => {
    const key = { 'idempotency-key': uuidv7() };
    const proof = await proofFor(juno, phone, await attempt('schedule a payment', key));
    await stack().part('eventstore').stop();
    try {
      for (const headers of [key, { ...key, ...proof }])
        expect((await attempt('schedule a payment', headers)).status).toBe(503);
      expect((await juno.put('/api/settings', { biometricEnabled: false })).status).toBe(503);
    } finally {
      await stack().part('eventstore').start();
    }
  });
});
