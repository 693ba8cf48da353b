/**
 * Nothing secret where it does not belong. Every flow is driven, with its refusals and its accidents, at the
 * most talkative log level; then all that any process has said, the event store's files, Redis, Postgres and
 * every answer are searched, byte by byte.
 *
 * A new flow belongs into `drive`, and what it is told in confidence into `told`.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PaymentIntentAnswer } from '#contracts/api/payments';
import { eventually } from '#test/conformance/stripe-process';
import { Authenticator, enrolPasskey, proofFor } from '#test/support/authenticator';
import { openEvents } from '#test/support/event-stream';
import { useEvidence } from '#test/support/evidence';
import { ASKS_THE_PAYER, CardProviderWorld, DECLINED, intentOf, VISA } from '#test/support/payer';
import { acceptOnboarding, BANK_NAMES, FAILING_BANKS, Payee, RETURNING_BANK } from '#test/support/payee';
import { json, Person } from '#test/support/person';
import { useStack } from '#test/support/stack';

const BANK = { holder: 'Odalys Quillfeather', account: '7305518264093', routing: '110000000' };
const NOTES = [
  'Marzipan for the second violins',
  'Velvet gloves, size nine',
  'A pass for the ukulele choir',
  'Rosin, every month',
  'Reeds before the gala',
  'Roof of the rehearsal barn',
];
/** What only bertrand is told of: his wallet, and why money goes into it and out of it. */
const WALLET = {
  name: 'Harpsichord strings fund',
  purpose: 'Until the bellows are mended',
  in: 'Put by after the matinee',
  out: 'Paid to the bellows maker',
  refusedIn: 'More than the matinee brought',
  refusedOut: 'More than the bellows cost',
};
/**
 * What is written with payments that are disputed, that are refused, and of somebody who is forgotten after
 * that.
 */
const WORDS = {
  disputed: 'Encore of the lost sonata',
  refused: 'Nobody shall hear this polka',
  cancelled: 'Waltzes until further notice',
  ofTheForgotten: 'Farewell from the prompter',
  forgottenWallet: 'Chest under the prompter',
};
/** Nobody's: somebody types it to find who is to be paid. */
const TYPED_PHONE = '+12125550199';
const CVC = '123';
/** By these the event store shows that it was all driven. */
const HAPPENED = [
  ...['PaymentSettled', 'PaymentRefunded', 'DisputeWon', 'DisputeLost', 'BankAccountAdded'],
  ...['PayoutCompleted', 'PayoutReturned', 'PayoutFailed', 'ForgettingFinished'],
];

const stack = useStack(['all'], {
  env: { LOG_LEVEL: 'trace', CARE_EVERY_SECONDS: '1' },
});
const evidence = useEvidence(stack);
const fetched = globalThis.fetch;
/** Every answer of the app's calls, with the cookies of whoever asked. */
const answers: { readonly what: string; readonly text: string; readonly cookie: string }[] = [];
/** Whose a session is, of all that were looked at. */
const owners = new Map<string, Person>();
const provider = new CardProviderWorld(stack);
let odalys: Person;
let bertrand: Person;
let payee: Payee;
let forgotten: Person;
const clientSecrets: string[] = [];
let sessions: string[] = [];
const proofs: string[] = [];
let phone: Authenticator;

beforeAll(async () => {
  globalThis.fetch = async (input, init) => {
    const answer = await fetched(input, init);
    const url = input instanceof Request ? input.url : String(input);
    if (
      url.startsWith(`${stack().url}/api`) &&
      !answer.headers.get('content-type')?.startsWith('text/event-stream')
    )
      answers.push({
        what: `${init?.method ?? 'GET'} ${url}`,
        text: await answer.clone().text(),
        cookie: new Headers(init?.headers).get('cookie') ?? '',
      });
    return answer;
  };
  phone = new Authenticator(stack().url);
  [odalys, bertrand] = await Promise.all([
    Person.signUp(stack().url, 'Quillfeather'),
    Person.signUp(stack().url, 'Bramblewick'),
  ]);
  await drive();
  await provider.delivered();
  await evidence.shown();
}, 240_000);
afterAll(() => {
  globalThis.fetch = fetched;
});

async function sessionOf(person: Person): Promise<string> {
  const cookies = await person.jar.getCookies(person.url);
  const session = cookies.find(({ key }) => key === 'encore_session')?.value ?? '';
  owners.set(session, person);
  return session;
}

async function tip(
  from: Person,
  to: Person,
  amount: string,
  description: string,
  card = VISA,
): Promise<string> {
  const { clientSecret } = await from.pay(to.id, amount, { description });
  clientSecrets.push(clientSecret);
  await provider.card(clientSecret, card).catch(() => undefined);
  return clientSecret;
}

const bankAccount = (changes: object = {}) => ({
  accountHolderName: BANK.holder,
  accountNumber: BANK.account,
  routingNumber: BANK.routing,
  accountType: 'checking',
  bankName: 'Harbor Bank',
  ...changes,
});

/** All that people do, and all that goes wrong with it. */
async function drive(): Promise<void> {
  sessions = [await sessionOf(odalys), await sessionOf(bertrand)];
  const stream = await openEvents(bertrand);
  await tip(odalys, bertrand, '20.50', NOTES[0]!);
  await tip(odalys, bertrand, '3.00', NOTES[1]!, DECLINED);
  await tip(bertrand, odalys, '4.00', NOTES[1]!, ASKS_THE_PAYER);
  await stream.next(({ alerts }) => alerts.length > 0);
  stream.close();
  const [intent] = (await provider.stripe.paymentIntents.list({ limit: 1 })).data;
  expect(intent).toBeDefined();
  await provider.stripe.refunds.create({
    payment_intent: clientSecrets[0]!.split('_secret_')[0]!,
    amount: 100,
  });
  await odalys.find(bertrand.email);
  await odalys.get(`/api/users/${bertrand.email}.nobody`);
  await odalys.put('/api/settings', { privacyModeEnabled: true });
  await bertrand.get(`/api/users/${encodeURIComponent(odalys.email)}`);
  await bertrand.find(odalys.id);
  await odalys.post('/api/apple-wallet/generate-pass', {
    userId: bertrand.id,
    amount: '5',
    description: NOTES[2],
  });
  await odalys.post('/api/apple-wallet/generate-qr-pass', {});
  await odalys.transactions();

  // What comes back: a saved card, a subscription, a scheduled payment; and a wallet.
  await odalys.saveCard(provider);
  const later = { toUserId: bertrand.id, amount: '2.00' };
  const subscribed = await odalys.post('/api/subscriptions', {
    ...later,
    frequency: 'weekly',
    description: NOTES[3],
  });
  const scheduled = { ...later, scheduledDate: '2099-01-01T00:00:00Z', description: NOTES[4] };
  for (const { status } of [subscribed, await odalys.post('/api/scheduled-payments', scheduled)])
    expect(status).toBeLessThan(300);
  await changeTheirMind();
  for (const list of ['subscriptions', 'scheduled-payments', 'payment-methods'])
    await odalys.get(`/api/${list}`);
  await bertrand.post('/api/treasury/wallets', { displayName: NOTES[5], description: NOTES[5] });
  await bertrand.get('/api/treasury/wallets');
  await fillAndEmptyAWallet();
  await dispute();

  // A passkey, and what it proves.
  await enrolPasskey(odalys, phone);
  odalys.confirms = async (refused) => {
    const proof = await proofFor(odalys, phone, refused);
    proofs.push(...Object.values(proof));
    return proof;
  };
  await odalys.put('/api/settings', { biometricEnabled: true });
  await odalys.post('/api/payouts', { amount: '1.00', bankAccountId: 'bnk_x' });
  expect(proofs).toHaveLength(1);
  await odalys.get('/api/passkeys');

  // Bank accounts: taken, refused, and cut off.
  expect((await odalys.post('/api/bank-accounts', bankAccount())).status).toBeLessThan(300);
  await payOut();
  await payOutInVain();
  await forget();
  await odalys.post('/api/bank-accounts', bankAccount({ routingNumber: '110000001' }));
  await odalys.post('/api/bank-accounts', bankAccount({ accountType: BANK.account }));
  await odalys.post('/api/bank-accounts', JSON.stringify(bankAccount()).slice(0, -1));
  await odalys.get('/api/bank-accounts');

  // Money that is refused, whatever is written with it.
  const refused = { toUserId: bertrand.id, description: WORDS.refused };
  for (const [path, body, status] of [
    ['create-payment-intent', { ...refused, amount: '0' }, 400],
    ['create-payment-intent', { ...refused, amount: '1.00', toUserId: 'usr_nobody' }, 404],
    ['create-payment-intent', { ...refused, amount: '1.00', description: WORDS.refused.repeat(99) }, 400],
    ['subscriptions', { ...refused, amount: '5.00', frequency: WORDS.refused }, 400],
    ['scheduled-payments', { ...refused, amount: '5.00', scheduledDate: '2001-01-01T00:00:00Z' }, 422],
    ['create-payment-intent', JSON.stringify({ ...refused, amount: '1.00' }).slice(0, -1), 400],
  ] as const)
    expect([path, body, (await odalys.post(`/api/${path}`, body)).status]).toEqual([path, body, status]);

  // What a person may put where it does not belong.
  const email = encodeURIComponent(odalys.email);
  await odalys.get(`/api/${email}?accountNumber=${BANK.account}`);
  await odalys.post(`/api/settings?note=${encodeURIComponent(NOTES[0]!)}`, { [odalys.email]: true });
  await odalys.put('/api/settings', { [BANK.account]: true });
  await odalys.post('/api/create-payment-intent', {
    toUserId: odalys.email,
    amount: VISA,
    description: NOTES[1],
  });
  await odalys.post(
    '/api/webhooks/stripe',
    { object: 'event', note: NOTES[0] },
    { 'stripe-signature': sessions[0]! },
  );
  // A recipient as it was typed, where an id belongs: what is not found is logged, and nothing of it.
  for (const typed of [odalys.email, TYPED_PHONE, 'Bramblewick Valastro']) {
    await odalys.get(`/api/users/${encodeURIComponent(typed)}`);
    for (const [path, more] of [
      ['create-payment-intent', {}],
      ['subscriptions', { frequency: 'weekly' }],
      ['scheduled-payments', { scheduledDate: '2099-01-01T00:00:00Z' }],
      ['apple-wallet/generate-pass', {}],
    ] as const)
      await odalys.post(`/api/${path}`, { userId: typed, toUserId: typed, amount: '1.00', ...more });
    await odalys.call('DELETE', `/api/sessions/${encodeURIComponent(typed)}`);
    await odalys.call('DELETE', `/api/bank-accounts/${encodeURIComponent(typed)}`);
  }
  await odalys.navigate(`/api/login/callback?code=${sessions[0]}&state=${BANK.account}`);

  // Accidents: whatever is away when it is needed is written about, at length.
  for (const part of ['stripe', 'eventstore', 'postgres'] as const) {
    await stack().part(part).stop();
    await odalys.post('/api/bank-accounts', bankAccount());
    await odalys.post('/api/create-payment-intent', {
      toUserId: bertrand.id,
      amount: '6.00',
      description: NOTES[0],
    });
    await odalys.get(`/api/users/${email}`);
    await stack().part(part).start();
  }
  await bertrand.signOut();
  await bertrand.signIn();
  sessions.push(await sessionOf(bertrand));
}

/** All the way to the bank: verified at the provider's page, confirmed with the passkey, and arrived. */
async function payOut(): Promise<void> {
  await provider.control('POST', '/test/balance/top_up', { amount: 100_000 });
  const { onboardingUrl } = json(await odalys.post('/api/payouts/onboarding', {})) as {
    onboardingUrl: string;
  };
  await acceptOnboarding(onboardingUrl);
  await eventually(async () => (await odalys.me()).isVerified, 'the verification to be known');
  await tip(bertrand, odalys, '9.00', NOTES[0]!);
  await eventually(async () => Number((await odalys.me()).earnings) >= 1, 'something to pay out');
  const [bank] = json(await odalys.get('/api/bank-accounts')) as { id: string }[];
  const asked = await odalys.post('/api/payouts', { amount: '1.00', bankAccountId: bank?.id });
  expect(asked.status).toBe(200);
  const status = async (): Promise<unknown> =>
    (json(await odalys.get('/api/payouts')) as { status: string }[])[0]?.status;
  await eventually(async () => (await status()) === 'completed', 'the payout to arrive');
}

/**
 * A subscription is paused, resumed and cancelled, and a scheduled payment is cancelled; then neither goes
 * on.
 */
async function changeTheirMind(): Promise<void> {
  const more = { description: WORDS.cancelled };
  const { id } = await odalys.subscribe(bertrand.id, '3.00', 'monthly', more);
  await eventually(async () => (await odalys.subscription(id)).lastPaymentAt !== null, 'the first payment');
  for (const status of ['paused', 'active', 'cancelled'])
    expect((await odalys.call('PATCH', `/api/subscriptions/${id}/status`, { status, ...more })).status).toBe(
      200,
    );
  expect((await odalys.call('PATCH', `/api/subscriptions/${id}/status`, { status: 'active' })).status).toBe(
    409,
  );
  const once = await odalys.schedule(bertrand.id, '3.00', new Date('2099-01-01T00:00:00Z'), more);
  const path = `/api/scheduled-payments/${once.id}/status`;
  for (const status of [200, 400])
    expect(
      (await odalys.call('PATCH', path, { status: status === 200 ? 'cancelled' : WORDS.cancelled })).status,
    ).toBe(status);
}

/** Money into a wallet and out of it, with words; and more of it than there is. */
async function fillAndEmptyAWallet(): Promise<void> {
  await eventually(async () => Number((await bertrand.me()).earnings) >= 5, 'something to put by');
  const opened = await bertrand.post('/api/treasury/wallets', {
    displayName: WALLET.name,
    description: WALLET.purpose,
  });
  const { id: walletId } = json(opened) as { id: string };
  for (const [way, amount, description, status] of [
    ['transfer', '5.00', WALLET.in, 200],
    ['withdraw', '2.00', WALLET.out, 200],
    ['transfer', '9000.00', WALLET.refusedIn, 422],
    ['transfer', 'a lot', WALLET.refusedIn, 400],
    ['withdraw', '9000.00', WALLET.refusedOut, 422],
  ] as const)
    expect([
      way,
      (await bertrand.post(`/api/treasury/${way}`, { walletId, amount, description })).status,
    ]).toEqual([way, status]);
  expect(
    (await odalys.post('/api/treasury/withdraw', { walletId, amount: '1.00', description: WORDS.refused }))
      .status,
  ).toBe(404);
  for (const list of ['wallets', 'transactions', `transactions?search=${encodeURIComponent(WALLET.name)}`])
    for (const person of [bertrand, odalys])
      expect((await person.get(`/api/treasury/${list}`)).status).toBe(200);
}

/** Two payments are disputed: one dispute is won, the other lost. */
async function dispute(): Promise<void> {
  for (const outcome of ['won', 'lost']) {
    const clientSecret = await tip(odalys, bertrand, '2.00', WORDS.disputed);
    const [charge] = (await provider.stripe.charges.list({ payment_intent: intentOf(clientSecret) })).data;
    const { id } = await provider.control('POST', `/test/charges/${charge?.id}/dispute`, {});
    await provider.control('POST', `/test/disputes/${String(id)}/close`, { outcome });
  }
  await provider.delivered();
  await eventually(async () => {
    const ends = (await odalys.transactions()).map(({ disputeStatus }) => disputeStatus);
    return ends.includes('won') && ends.includes('lost');
  }, 'both disputes to end');
}

/** To a bank that refuses, and to one that returns what was paid. */
async function payOutInVain(): Promise<void> {
  ({ payee } = await Payee.verified(stack().url, provider, bertrand, '9.00'));
  sessions.push(await sessionOf(payee.person));
  const asked = await Promise.all(
    [FAILING_BANKS.no_account, RETURNING_BANK].map(async (number) => {
      const { id } = await payee.addBank(number);
      return payee.requestPayout(id, '4.00');
    }),
  );
  await Promise.all(asked.map(({ id }) => payee.until(id, { status: 'failed' })));
}

/** Somebody with a card, a bank account, a wallet and something to come has the app forget them. */
async function forget(): Promise<void> {
  forgotten = await Person.signUp(stack().url, 'Fotheringay');
  sessions.push(await sessionOf(forgotten));
  const more = { description: WORDS.ofTheForgotten };
  await forgotten.saveCard(provider);
  await forgotten.schedule(bertrand.id, '3.00', new Date('2099-01-01T00:00:00Z'), more);
  await tip(forgotten, bertrand, '2.00', WORDS.ofTheForgotten);
  for (const [path, body] of [
    ['treasury/wallets', { displayName: WORDS.forgottenWallet, ...more }],
    ['bank-accounts', bankAccount()],
  ] as const)
    expect((await forgotten.post(`/api/${path}`, body)).status).toBe(200);
  await payAsGuest(forgotten);
  await provider.delivered();
  const answer = await fetched(`http://127.0.0.1:${stack().ports['ledger-1-internal']}/internal/commands`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack().env.ENCORE_INTERNAL_TOKEN}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ type: 'ForgetUser', userId: forgotten.id }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  expect((await forgotten.get('/api/auth/user')).status).toBe(401);
  await forgotten.navigate('/api/login');
}

/** Somebody pays without an account, and takes the receipt into theirs. */
async function payAsGuest(person: Person): Promise<void> {
  expect((await bertrand.put('/api/tip-page/handle', { handle: 'bramble_plays' })).status).toBe(200);
  expect((await bertrand.put('/api/tip-page/published', { isPublished: true })).status).toBe(200);
  const token = randomBytes(16).toString('base64url');
  const terms = { amount: '2.00', method: 'card', note: WORDS.ofTheForgotten, name: person.firstName, token };
  let clientSecret = '';
  await eventually(async () => {
    const answer = await fetched(`${stack().url}/@bramble_plays/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(terms),
    });
    if (answer.status !== 200) return false;
    ({ clientSecret } = PaymentIntentAnswer.parse(await answer.json()));
    return true;
  }, 'the tip page');
  await provider.card(clientSecret, VISA);
  await eventually(
    async () => (await person.post('/api/tip-page/claims', { token })).status === 204,
    'the receipt',
  );
  expect(
    (await bertrand.transactions()).some(({ counterpartyName }) => counterpartyName === person.firstName),
  ).toBe(true);
}

/** What was told in confidence, by what it is. */
function told(): {
  persons: Record<string, string>;
  numbers: Record<string, string>;
  keys: Record<string, string>;
} {
  const { secrets } = {
    secrets: JSON.parse(readFileSync(join(stack().dataFolder, 'secrets.json'), 'utf8')) as Record<
      string,
      string
    >,
  };
  // The browser's own key is no secret.
  const { STRIPE_PUBLISHABLE_KEY: _, ...keys } = secrets;
  const persons = [odalys, bertrand, payee.person, forgotten].flatMap(({ email, username }, n) => [
    [`address ${n}`, email],
    [`username ${n}`, username],
  ]);
  return {
    persons: {
      ...Object.fromEntries(persons as [string, string][]),
      'first name': 'Quillfeather',
      'other first name': 'Bramblewick',
      'first name of the forgotten': forgotten.firstName,
      'last name': 'Valastro',
      'account holder': BANK.holder,
      ...Object.fromEntries(BANK_NAMES.map((name, n) => [`the payee’s bank ${n}`, name])),
      ...Object.fromEntries(
        Object.entries({ ...WALLET, ...WORDS }).map(([what, words]) => [`words: ${what}`, words]),
      ),
      'passkey’s name': 'A telephone of the house',
      passkey: phone.credentialId.toString('base64url'),
      ...Object.fromEntries(NOTES.map((note, n) => [`note ${n}`, note])),
    },
    numbers: {
      'account number': BANK.account,
      'refusing account': FAILING_BANKS.no_account,
      'returning account': RETURNING_BANK,
      card: VISA,
      'typed phone number': TYPED_PHONE,
      'declined card': DECLINED,
      'checked card': ASKS_THE_PAYER,
    },
    keys: {
      ...keys,
      password: 'correct horse battery',
      ...Object.fromEntries(sessions.map((session, n) => [`session ${n}`, session])),
      ...Object.fromEntries(proofs.map((proof, n) => [`proof ${n}`, proof])),
      ...Object.fromEntries(
        clientSecrets.map((secret, n) => [`client secret ${n}`, secret.split('_secret_')[1]!]),
      ),
    },
  };
}

/** The forms of each secret that was searched for: hundreds of answers are searched for the same ones. */
const knownForms = new Map<string, readonly string[]>();

/** A secret in the forms in which it could be written down. */
function formsOf(secret: string): readonly string[] {
  const known = knownForms.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret, 'utf8');
  // The middle of a longer text in base64, wherever it begins in it: three alignments, their ends cut off.
  const within = [0, 1, 2].map((lead) =>
    Buffer.concat([Buffer.alloc(lead), bytes])
      .toString('base64')
      .slice(lead === 0 ? 0 : 4, -4),
  );
  const forms = [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...within.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
  ];
  const found = [...new Set(forms)].filter((form) => form.length >= 8);
  knownForms.set(secret, found);
  return found;
}

/**
 * Which of the secrets stand in the bytes. Letters of either case are the same: an address may be written in
 * small ones.
 */
function foundIn(content: Buffer, ...groups: readonly Record<string, string>[]): string[] {
  const text = content.toString('latin1');
  const lower = text.toLowerCase();
  return groups.flatMap((group) =>
    Object.entries(group)
      .filter(([, secret]) => {
        const asWritten = Buffer.from(secret, 'utf8').toString('latin1').toLowerCase();
        return lower.includes(asWritten) || formsOf(secret).some((form) => text.includes(form));
      })
      .map(([name]) => name),
  );
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

async function redisContent(): Promise<Buffer> {
  const redis = new Redis(stack().env.REDIS_URL!);
  try {
    const parts: unknown[] = [];
    for (const key of await redis.keys('*')) {
      const type = await redis.type(key);
      parts.push(key);
      if (type === 'string') parts.push(await redis.get(key));
      else if (type === 'hash') parts.push(await redis.hgetall(key));
      else if (type === 'list') parts.push(await redis.lrange(key, 0, -1));
      else if (type === 'set') parts.push(await redis.smembers(key));
      else if (type === 'zset') parts.push(await redis.zrange(key, '0', '-1'));
      else if (type === 'stream') parts.push(await redis.xrange(key, '-', '+'));
      // The workers go on meanwhile, and some of their keys go.
      else if (type !== 'none') throw new Error(`Redis holds a ${type}, which this suite cannot read.`);
    }
    return Buffer.from(JSON.stringify(parts));
  } finally {
    redis.disconnect();
  }
}

/** All rows of all tables of these schemas, as text. */
async function rowsOf(...schemas: readonly string[]): Promise<Buffer> {
  const client = new pg.Client({ connectionString: stack().env.DATABASE_URL });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_schema = any($1)`,
      [schemas],
    );
    expect(tables.length).toBeGreaterThan(0);
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
      texts.push(name, ...rows.map(({ row }) => row));
    }
    return Buffer.from(texts.join('\n'));
  } finally {
    await client.end();
  }
}

describe('the search', () => {
  it('finds a secret as it is, in either case, in hexadecimal, in an address and within base64', () => {
    const secret = { it: 'Marzipan & more' };
    const hidden = Buffer.from('{"note":"Marzipan & more","x":1}');
    const forms = [
      hidden.toString(),
      hidden.toString().toUpperCase(),
      hidden.toString('hex'),
      hidden.toString('base64'),
      hidden.toString('base64url'),
    ];
    for (const form of [...forms, encodeURIComponent('Marzipan & more')])
      expect(foundIn(Buffer.from(form), secret)).toEqual(['it']);
    expect(foundIn(Buffer.from('marzipan'), secret)).toEqual([]);
  });
});

describe('nothing that was told in confidence', () => {
  it('is in what any process has said', () => {
    const { persons, numbers, keys } = told();
    const logs = filesUnder(join(stack().dataFolder, 'logs'));
    const all = logs.map((path) => [path.split('/').at(-1), readFileSync(path)] as const);
    const text = Buffer.concat(all.map(([, content]) => content)).toString('utf8');
    // It did speak, of these people, and of what went wrong.
    for (const said of [odalys.id, bertrand.id, '/api/bank-accounts', '"level":50'])
      expect(text).toContain(said);
    const found = all.map(([name, content]) => [name, foundIn(content, persons, numbers, keys)]);
    expect(found).toEqual(all.map(([name]) => [name, []]));
  });

  it('is in the event store’s files', () => {
    const { persons, numbers, keys } = told();
    const content = Buffer.concat(
      filesUnder(join(stack().dataFolder, 'eventstore')).map((path) => readFileSync(path)),
    );
    for (const held of [odalys.id, ...HAPPENED, 'sealed:'])
      expect([held, content.includes(held)]).toEqual([held, true]);
    expect(foundIn(content, persons, numbers, keys)).toEqual([]);
  });

  it('is in Redis', async () => {
    const { persons, numbers, keys } = told();
    const content = await redisContent();
    expect(content.includes('encore-reconcile')).toBe(true);
    expect(foundIn(content, persons, numbers, keys)).toEqual([]);
  });

  it('is with the sessions and data keys; and the read models hold names for their readers, but no number and no key', async () => {
    const { persons, numbers, keys } = told();
    expect(foundIn(await rowsOf('edge', 'vault'), persons, numbers, keys)).toEqual([]);
    const rows = await rowsOf('read');
    expect(foundIn(rows, numbers, keys)).toEqual([]);
    expect(foundIn(rows, persons)).toEqual(
      expect.arrayContaining(['address 0', 'words: name', 'words: disputed']),
    );
    // Of the forgotten not even those hold anything.
    const { email, username, firstName } = forgotten;
    expect(
      foundIn(rows, {
        email,
        username,
        firstName,
        wallet: WORDS.forgottenWallet,
        words: WORDS.ofTheForgotten,
      }),
    ).toEqual([]);
  });

  it('is in an answer to anybody but its owner', () => {
    const { numbers, keys } = told();
    expect(answers.length).toBeGreaterThan(30);
    const {
      STRIPE_SECRET_KEY,
      ENCORE_MASTER_KEY,
      ENCORE_INTERNAL_TOKEN,
      OIDC_CLIENT_SECRET,
      STRIPE_WEBHOOK_SECRET,
      password,
    } = keys;
    const ours = {
      STRIPE_SECRET_KEY,
      ENCORE_MASTER_KEY,
      ENCORE_INTERNAL_TOKEN,
      OIDC_CLIENT_SECRET,
      STRIPE_WEBHOOK_SECRET,
      password,
    };
    const tokens = Object.fromEntries(Object.entries(keys).filter(([name]) => name.startsWith('session')));
    for (const { what, text } of answers)
      expect([what, foundIn(Buffer.from(text), numbers, ours as Record<string, string>, tokens)]).toEqual([
        what,
        [],
      ]);
    // Nor a token of the identity provider's.
    expect(answers.filter(({ text }) => /\beyJ[\w-]{8,}\.eyJ/.test(text)).map(({ what }) => what)).toEqual(
      [],
    );
  });

  it('is in an answer to somebody else: what is written with wallets, and the name on a bank account', () => {
    const ofWhom = (cookie: string) =>
      [...owners].find(([session]) => cookie.includes(`encore_session=${session}`))?.[1];
    const seen = new Set<string>();
    for (const { what, text, cookie } of answers)
      for (const [owner, words] of [
        [bertrand, WALLET],
        [payee.person, { holder: BANK_NAMES[0]!, bank: BANK_NAMES[1]! }],
        [forgotten, { wallet: WORDS.forgottenWallet }],
      ] as const) {
        const found = foundIn(Buffer.from(text), words);
        if (ofWhom(cookie) === owner) for (const name of found) seen.add(name);
        else expect([what, found]).toEqual([what, []]);
      }
    // Their owners were told, or nothing would be shown by that.
    expect([...seen]).toEqual(
      expect.arrayContaining(['name', 'purpose', 'in', 'out', 'holder', 'bank', 'wallet']),
    );
  });

  it('is in an answer as a whole account number: even its owner sees four digits of it', async () => {
    const list = json(await odalys.get('/api/bank-accounts')) as {
      accountNumber: string;
      routingNumber: string;
    }[];
    for (const { accountNumber, routingNumber } of list)
      for (const shown of [accountNumber, routingNumber])
        expect(shown.replaceAll(/\D/g, '').length).toBeLessThanOrEqual(4);
    expect(list.length).toBeGreaterThan(0);
  });

  it('is a card’s security code, which no log line has a field for', () => {
    const text = filesUnder(join(stack().dataFolder, 'logs'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    expect(text).not.toMatch(new RegExp(`cvc\\W{1,5}${CVC}`, 'i'));
  });
});
