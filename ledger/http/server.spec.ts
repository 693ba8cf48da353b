// The edge over doubles: what no store is needed for. The flow over real pieces is in test/e2e.
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ActiveMethods } from '../stripe/active-methods.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import 'reflect-metadata';
import { ISSUER_NAME, LOG, PUBLIC_URL } from '../parts.js';
import { ChangeFeed } from '../events-out/change-feed.js';
import { CookieJar } from '../sessions/cookies.js';
import { IdentityProvider } from '../identity/identity-provider.js';
import { Sessions } from '../sessions/sessions.js';
import { SignIns } from '../identity/sign-ins.js';
import type { KeyedProvenance } from '#log/record';
import type { JournalCommand } from '../journal/commands.js';
import { Journal } from '../journal/journal.js';
import type { Receipt } from '../journal/receipt.js';
import { BiometricSwitch } from '../passkeys/passkeys.guard.js';
import { PasskeyTokens } from '../passkeys/passkey-tokens.js';
import { Usernames } from '../passkeys/passkeys.controller.js';
import { PASS_CERTIFICATES } from '../passes/pass-certificates.js';
import { Payees } from '../passes/passes.controller.js';
import { Rejected, StoreAway, Unavailable } from '../rejection.js';
import { ScheduleClock } from '../schedules/schedule-clock.js';
import { ScheduledPaymentAnswers, SubscriptionAnswers } from '../schedules/answers.js';
import { LivingSchedules } from '../schedules/schedules.handlers.js';
import { PayoutAccountOwners } from '../bank-accounts/bank-accounts.handlers.js';
import { PayoutQueue } from '#ledger/payouts/payout-turns';
import { PayoutAnswers, PayoutDestinations } from '../payouts/payout-answers.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { BalanceTables } from '#ledger/platform-money/balance-tables';
import { ProviderAccountUse } from '#ledger/platform-money/platform-money';
import { ProviderBalance } from '#ledger/stripe/provider-balance';
import { LostEntries } from '#ledger/start-gate/lost-entries';
import { ProviderFigures, RefundCap } from '#ledger/stripe/provider-figures';
import { CardProvider } from '../stripe/card-provider.js';
import { SavedCards } from '../stripe/saved-cards.js';
import { StreamRunner } from '../streams/runner.js';
import { WalletAnswers } from '../treasury/treasury.controller.js';
import { Vault } from '#log/vault';
import { READ_CONTROLLERS } from '#projections/controllers';
import { Queryable } from '#projections/engine/read-model';
import { About } from './about.controller.js';
import { Readiness } from './health.controller.js';
import { ReadModels, ReadYourWrites } from './read-models.js';
import { ledgerServer } from './server.js';
import { StoreHealth } from '#log/store-health';
import { KnownPeople } from '../users/users.handlers.js';
import { Patience } from '../patience.js';
import { Freshness } from './freshness.js';

const HOME = 'http://localhost:3000';
const PER_MINUTE = 40;

const execute = jest.fn<(command: JournalCommand, context: KeyedProvenance) => Promise<Receipt>>();
const waitFor = jest.fn<() => Promise<boolean>>();
const intentFor = jest.fn<CardProvider['intentFor']>();
const position = { commit: 7n, prepare: 7n };
let app: NestFastifyApplication;
let origin: string;
let visitors = 0;
let isStale = false;
let closed: string | undefined;
let now = 0;
const store = new StoreHealth(() => now);
/** Each test is another user, for the limit of requests counts by user. */
let user = '';

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const provider = new CardProvider({
    secretKey: 'sk_test_a',
    webhookSecret: 'whsec_a',
    seal: new OwnershipSeal(Buffer.alloc(32), () => 'led_spec'),
    apiUrl: 'http://127.0.0.1:9',
  });
  provider.intentFor = intentFor;
  const vault: Partial<Vault> = {
    seal: (owner, text) => Promise.resolve(`sealed:${owner}:${Buffer.from(text).toString('hex')}`),
    fingerprint: () => Promise.resolve('fingerprint'),
  };
  app = await ledgerServer({
    log,
    addPages: () => Promise.resolve(),
    origins: { publicUrl: HOME, stripeScriptUrl: 'https://js.stripe.com/v3/', stripeApiUrl: undefined },
    gate: {
      publicOrigin: HOME,
      requestsPerMinute: PER_MINUTE,
      log,
      observe: () => undefined,
      isEnding: () => false,
      isStale: () => isStale,
      closed: () => closed,
      userOf: (request) => Promise.resolve(/^session=(\w+)$/.exec(request.headers.cookie ?? '')?.[1]),
    },
    reads: READ_CONTROLLERS,
    parts: [
      { provide: LOG, useValue: log },
      { provide: PUBLIC_URL, useValue: HOME },
      { provide: Journal, useValue: { execute, look: () => Promise.resolve(undefined) } },
      { provide: Vault, useValue: vault },
      { provide: StreamRunner, useValue: {} },
      { provide: CardProvider, useValue: provider },
      { provide: IdentityProvider, useValue: {} },
      { provide: ISSUER_NAME, useValue: 'local' },
      { provide: Patience, useValue: new Patience(store) },
      { provide: Freshness, useValue: {} },
      { provide: KnownPeople, useValue: {} },
      { provide: Sessions, useValue: {} },
      { provide: ChangeFeed, useValue: {} },
      { provide: PasskeyTokens, useValue: {} },
      { provide: Usernames, useValue: {} },
      { provide: PayoutQueue, useValue: {} },
      { provide: BiometricSwitch, useValue: { isOn: () => Promise.resolve(false) } },
      { provide: PASS_CERTIFICATES, useValue: undefined },
      { provide: Payees, useValue: { byId: (id: string) => Promise.resolve({ id, username: 'juno' }) } },
      { provide: SignIns, useValue: {} },
      { provide: CookieJar, useValue: new CookieJar(false) },
      { provide: ReadModels, useValue: { waitFor } },
      { provide: ReadYourWrites, useValue: new ReadYourWrites({ waitFor }, 50, () => false) },
      {
        provide: Readiness,
        useValue: { check: () => Promise.resolve({ ready: false, reasons: ['Postgres does not answer.'] }) },
      },
      {
        provide: About,
        useValue: new About({
          stripePublishableKey: 'pk_test_a',
          stripeScriptUrl: 'https://js.stripe.com/v3/',
        }),
      },
      { provide: PayoutProvider, useValue: {} },
      { provide: LostEntries, useValue: {} },
      { provide: ProviderFigures, useValue: {} },
      { provide: RefundCap, useValue: { perHour: 30 } },
      { provide: ProviderBalance, useValue: {} },
      { provide: BalanceTables, useValue: {} },
      { provide: ProviderAccountUse, useValue: { isExclusive: true } },
      { provide: PayoutAnswers, useValue: {} },
      { provide: PayoutDestinations, useValue: {} },
      { provide: ActiveMethods, useValue: new ActiveMethods(() => Promise.resolve(['card', 'cashapp'])) },
      { provide: PayoutAccountOwners, useValue: {} },
      { provide: WalletAnswers, useValue: {} },
      { provide: SubscriptionAnswers, useValue: {} },
      { provide: ScheduledPaymentAnswers, useValue: {} },
      { provide: LivingSchedules, useValue: {} },
      { provide: ScheduleClock, useValue: { now: () => new Date() } },
      { provide: SavedCards, useValue: {} },
      {
        provide: Queryable,
        useValue: { query: () => Promise.reject(new Error('password=hunter2')) },
      },
    ],
  });
  await app.listen(0, '127.0.0.1');
  origin = await app.getUrl();
});
afterAll(() => app.close());

beforeEach(() => {
  user = `user${++visitors}`;
  execute.mockReset().mockResolvedValue({ key: 'k', revision: 5, position, repeated: false });
  waitFor.mockReset().mockResolvedValue(true);
  intentFor.mockReset().mockResolvedValue({
    intentId: 'pi_a',
    clientSecret: 'pi_a_secret_b',
    methods: undefined,
    isCanceled: false,
    savesFor: undefined,
  });
});

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
async function call(
  method: Method,
  path: string,
  headers: Record<string, string> = {},
  payload?: string | object,
) {
  const isText = payload === undefined || typeof payload === 'string';
  const answer = await fetch(origin + path, {
    method,
    headers: isText ? headers : { 'content-type': 'application/json', ...headers },
    body: isText ? payload : JSON.stringify(payload),
  });
  const body = await answer.text();
  const json = <T>(): T => JSON.parse(body) as T;
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body, json };
}
const signedIn = (
  method: Method,
  url: string,
  payload?: string | object,
  headers: Record<string, string> = {},
) => call(method, url, { cookie: `session=${user}`, ...headers }, payload);
const tip = { amount: 20, toUserId: 'usr_b' };

describe('signed out', () => {
  it.each([
    ['GET', '/api'],
    ['GET', '/api/auth/user'],
    ['GET', '/%61pi/auth/user'],
    ['GET', '/api//auth/user'],
    ['GET', '/api/nothing'],
    ['POST', '/api/create-payment-intent'],
    ['DELETE', '/api/settings'],
    ['PATCH', '/api/nothing'],
    ['GET', '/api/docs'],
    ['GET', '/api/login/other'],
  ] as const)('%s %s is 401 and says Unauthorized', async (method, url) => {
    const answer = await call(method, url);
    expect([answer.statusCode, answer.json()]).toEqual([401, { message: 'Unauthorized' }]);
    expect(execute).not.toHaveBeenCalled();
  });

  it('a path that is no call is nobody’s secret', async () =>
    expect((await call('GET', '/missing.png')).statusCode).toBe(404));

  it('whoever runs it is told how it is', async () => {
    expect((await call('GET', '/healthz')).statusCode).toBe(200);
    expect((await call('GET', '/readyz')).json()).toEqual({
      ready: false,
      reasons: ['Postgres does not answer.'],
    });
    expect((await call('GET', '/metrics')).body).not.toContain('encore_');
  });
});

describe('signed in', () => {
  it('an unknown call is 404 with a sentence', async () => {
    const answer = await signedIn('GET', '/api/nothing');
    expect([answer.statusCode, answer.json()]).toEqual([404, { message: 'There is no such page or call.' }]);
  });

  it('pays: the journal first, then the provider, then the secret and its place in the log', async () => {
    const answer = await signedIn('POST', '/api/create-payment-intent', { ...tip, description: 'Great set' });
    expect(answer.json()).toEqual({
      clientSecret: 'pi_a_secret_b',
      paymentId: expect.stringMatching(/^pay_/),
    });
    expect(answer.headers['x-encore-position']).toBe('7/7');
    expect(answer.headers['x-encore-stale']).toBeUndefined();
    expect(execute.mock.calls.map(([command]) => command.type)).toEqual(['OpenPayment', 'SubmitPayment']);
    expect(JSON.stringify(intentFor.mock.calls)).not.toContain('Great set');
  });

  it('says so when the read models do not show it in time', async () => {
    waitFor.mockResolvedValue(false);
    expect((await signedIn('POST', '/api/create-payment-intent', tip)).headers['x-encore-stale']).toBe(
      'true',
    );
  });

  it('keeps the correlation id of the click into the journal', async () => {
    const answer = await signedIn('POST', '/api/create-payment-intent', tip, {
      'x-correlation-id': 'click-12345678',
    });
    expect(answer.headers['x-correlation-id']).toBe('click-12345678');
    expect(execute.mock.calls[0]?.[1]).toMatchObject({ correlationId: 'click-12345678', actorId: user });
  });

  it('hears the journal’s no in its own words', async () => {
    execute.mockRejectedValue(new Rejected('RecipientNotFound', { recipientId: 'secret detail' }));
    const answer = await signedIn('POST', '/api/create-payment-intent', tip);
    expect([answer.statusCode, answer.json()]).toEqual([404, { message: 'Recipient user not found' }]);
  });

  it('is told to come back when the ledger cannot say now, after it has tried again', async () => {
    execute.mockRejectedValue(new Unavailable('Come back soon.'));
    const answer = await signedIn('POST', '/api/create-payment-intent', tip);
    expect([answer.statusCode, answer.json(), answer.headers['retry-after']]).toEqual([
      503,
      { message: 'Come back soon.' },
      '1',
    ]);
    expect(execute).toHaveBeenCalledTimes(3);
  });

  it('learns nothing of the inside from a fault', async () => {
    const answer = await signedIn('GET', '/api/settings');
    expect([answer.statusCode, answer.body.includes('hunter2')]).toEqual([500, false]);
  });

  it.each([
    ['{"a', 400],
    ['null', 400],
    ['[]', 400],
    [{ ...tip, amount: '1e3' }, 400],
    [{ amount: 20, toUserId: 'x'.repeat(300_000) }, 413],
  ])('a body that is none is refused before the journal hears of it (%#)', async (body, status) => {
    const answer = await signedIn('POST', '/api/create-payment-intent', body, {
      'content-type': 'application/json',
    });
    expect([answer.statusCode, typeof answer.json<{ message: string }>().message]).toEqual([
      status,
      'string',
    ]);
    expect(execute).not.toHaveBeenCalled();
  });

  it('a key that is no UUIDv7 is refused', async () => {
    const answer = await signedIn('POST', '/api/create-payment-intent', tip, { 'idempotency-key': 'again' });
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { message: 'The Idempotency-Key must be a UUID of version 7.' },
    ]);
  });

  it('another site makes nobody pay', async () => {
    expect(
      (await signedIn('POST', '/api/create-payment-intent', tip, { origin: 'https://evil.example' }))
        .statusCode,
    ).toBe(403);
    expect((await signedIn('PUT', '/api/settings', {}, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(
      403,
    );
    expect(execute).not.toHaveBeenCalled();
  });

  it('a user who calls too often waits, and nobody else does', async () => {
    const answers = [];
    for (let n = 0; n < PER_MINUTE + 2; n++) answers.push((await signedIn('GET', '/api/nothing')).statusCode);
    expect(answers.filter((status) => status === 429)).toHaveLength(2);
    const refused = await signedIn('GET', '/api/nothing');
    expect(refused.json<{ message: string }>().message).toMatch(
      /^Too many requests\. Please wait \d+ seconds and try again\.$/,
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    user = `user${++visitors}`;
    expect((await signedIn('GET', '/api/nothing')).statusCode).toBe(404);
  });

  it('every answer carries the page’s bounds', async () => {
    const { headers } = await signedIn('GET', '/api/docs');
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('while nothing may be appended to the log', () => {
  const SENTENCE =
    'Payments and changes are closed for now, because records have to be put in order first. Nothing was done: please try again later.';
  beforeEach(() => {
    closed = 'The log is in recovery.';
    execute.mockClear();
  });
  afterEach(() => (closed = undefined));

  it.each<['POST' | 'PUT' | 'DELETE', string]>([
    ['POST', '/api/create-payment-intent'],
    ['PUT', '/api/settings'],
    ['DELETE', '/api/subscriptions/sub_a'],
  ])('a command is put off in a plain sentence, and nothing is asked: %s %s', async (method, path) => {
    const answer = await signedIn(method, path, method === 'DELETE' ? undefined : {});
    expect([answer.statusCode, answer.json(), answer.headers['retry-after']]).toEqual([
      503,
      { message: SENTENCE, code: 'outage' },
      '5',
    ]);
    expect(execute).not.toHaveBeenCalled();
  });

  it('a webhook is put off, so that the provider sends it again', async () => {
    const answer = await call('POST', '/api/webhooks/stripe', { 'content-type': 'application/json' }, '{}');
    expect(answer.statusCode).toBe(503);
  });

  it('who is signed out, and who calls from elsewhere, is told so first', async () => {
    expect((await call('POST', '/api/settings')).statusCode).toBe(401);
    const cookie = { cookie: `session=${user}`, origin: 'https://elsewhere.example' };
    expect((await call('POST', '/api/settings', cookie)).statusCode).toBe(403);
  });

  it('a GET is served and says so, and a pass is drawn', async () => {
    expect((await signedIn('GET', '/api/docs')).headers['x-encore-closed']).toBe('true');
    expect((await signedIn('POST', '/api/apple-wallet/generate-pass', {})).statusCode).toBe(501);
  });
});

describe('while the event store is away', () => {
  beforeEach(() => {
    isStale = true;
    // Long enough for whoever asks to be told at once.
    store.unanswered();
    now += 5_000;
  });
  afterEach(() => {
    isStale = false;
    store.appended();
  });

  it.each(['/healthz', '/api/nothing', '/api/settings', '/api/docs', '/missing'])(
    'a GET carries the mark: %s',
    async (path) => expect((await signedIn('GET', path)).headers['x-encore-stale']).toBe('true'),
  );

  it('neither a command nor what browsers keep for good carries it', async () => {
    for (const [method, path] of [
      ['POST', '/api/create-payment-intent'],
      ['GET', '/assets/index-a1b2c3d4.js'],
    ] as const)
      expect((await signedIn(method, path, method === 'POST' ? tip : undefined)).headers).not.toHaveProperty(
        'x-encore-stale',
      );
  });

  it.each(['/api/passkeys', '/api/payment-methods', '/api/payments/pay_1/client-secret'])(
    'what is read from the log says at once when to come back: %s',
    async (path) => {
      const answer = await signedIn('GET', path);
      expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toEqual([
        503,
        '5',
        {
          message:
            'This could not be finished right now. Nothing is lost, and nothing is done twice: please try again in a moment.',
          code: 'outage',
        },
      ]);
    },
  );

  it('a write that was let wait says so in words that promise nothing of what was written', async () => {
    execute.mockRejectedValue(new StoreAway());
    const answer = await signedIn('POST', '/api/create-payment-intent', tip);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(execute).toHaveBeenCalledTimes(1);
  });
});

describe('a wallet pass', () => {
  it.each(['generate-pass', 'generate-qr-pass'])(
    'that cannot be signed here is said so plainly (%s)',
    async (name) => {
      const answer = await signedIn('POST', `/api/apple-wallet/${name}`, {});
      expect([answer.statusCode, answer.json()]).toEqual([
        501,
        { message: 'Apple Wallet passes are not set up on this server.' },
      ]);
    },
  );
});

describe('the webhook', () => {
  const payload = JSON.stringify({
    id: 'evt_a',
    object: 'event',
    type: 'customer.created',
    data: { object: { object: 'customer' } },
  });
  const json = { 'content-type': 'application/json' };

  it.each<Record<string, string>>([{}, { 'stripe-signature': 't=1,v1=00' }, { 'stripe-signature': 'x' }])(
    'is refused with %j',
    async (headers) => {
      const answer = await call('POST', '/api/webhooks/stripe', { ...json, ...headers }, payload);
      expect(answer.statusCode).toBe(400);
    },
  );

  it('is taken with the provider’s signature, from any origin and without a session', async () => {
    const { default: Stripe } = await import('stripe');
    const signature = new Stripe('sk_test_a').webhooks.generateTestHeaderString({
      payload,
      secret: 'whsec_a',
    });
    const headers = { ...json, 'stripe-signature': signature, origin: 'https://elsewhere.example' };
    expect((await call('POST', '/api/webhooks/stripe', headers, payload)).statusCode).toBe(200);
    expect((await call('POST', '/api/webhooks/stripe', headers, `${payload} `)).statusCode).toBe(400);
  });
});

describe('a server that is told to end', () => {
  it('answers a request of which the beginning had come, and then closes the connection', async () => {
    const server = app.getHttpServer() as Server;
    const { hostname, port } = new URL(origin);
    const accepted = new Promise<Socket>((accept) => server.once('connection', accept));
    const socket = connect(Number(port), hostname);
    let heard = '';
    socket.on('data', (part) => (heard += part.toString()));
    const closed = new Promise<void>((close) => socket.once('close', () => close()));
    socket.write('GET /healthz HTTP/1.1\r\n');
    const there = await accepted;
    while (there.bytesRead === 0) await new Promise((turn) => setImmediate(turn));
    const ended = app.close();
    while (server.listening) await new Promise((turn) => setImmediate(turn));
    socket.write('host: encore.example\r\n\r\n');
    await Promise.all([ended, closed]);
    expect(heard).toMatch(/^HTTP\/1\.1 200 /);
    expect(heard).toContain('{"alive":true}');
  });
});
