// The edge over doubles: what no store is needed for. The flow over real pieces is in test/e2e.
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { STRIPE_PUBLISHED_ORIGINS } from '#contracts/provider-origins';
import { ActiveMethods } from './stripe/active-methods.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import Stripe from 'stripe';
import 'reflect-metadata';
import { ISSUER_NAME, LOG, PUBLIC_URL } from './parts.js';
import { CookieJar } from './sessions/cookies.js';
import { SecurityTrail, type TrailEntry } from './security-trail/security-trail.js';
import { Sessions } from './sessions/sessions.js';
import { DEFAULT_LIMITS } from '#contracts/limits';
import { Declines } from './limits/declines.js';
import { DeclineLimit } from './payments/declined-payments.js';
import { declinesWith } from '#test/support/declines';
import { LimitCounts, OwnCounter } from './limits/counter.js';
import { RequestLimits } from './limits/request-limits.js';
import type { KeyedProvenance } from '#log/record';
import type { JournalCommand } from './journal/commands.js';
import { Journal } from './journal/journal.js';
import type { Receipt } from './journal/receipt.js';
import { PasskeySwitch } from './passkeys/step-up.guard.js';
import { ConfirmationFacts } from '#edge/proof';
import { Confirmations } from './step-up/confirmations.js';
import { ReceivedPayments } from './thanks/thanks.controller.js';
import { PASS_CERTIFICATES } from './passes/pass-certificates.js';
import { Payees } from './passes/passes.controller.js';
import { Rejected, StoreAway, Unavailable } from './rejection.js';
import { ScheduleClock } from './schedules/schedule-clock.js';
import { ScheduleLimits } from './schedules/schedule-counts.js';
import { OwnershipSeal } from '#ledger/stripe/ownership';
import { ProviderAccountUse } from '#ledger/platform-money/platform-money.handlers';
import { RefundCap } from '#ledger/stripe/provider-figures';
import { CardProvider } from './stripe/card-provider.js';
import { PaidTips, ShownTipPages, TipPageLimits, TipPageSettings } from './tip-pages/tip-page-reads.js';
import { Vault } from '#log/vault';
import { READ_CONTROLLERS } from '#projections/controllers';
import { Queryable } from '#projections/engine/read-model';
import { About } from './http/about.controller.js';
import { Readiness } from './http/health.controller.js';
import { PolicyReportCount } from './http/policy-reports.controller.js';
import { ReadModels, ReadYourWrites } from './http/read-models.js';
import { partsFor } from '#test/support/slices';
import { LedgerModule } from './ledger.module.js';
import { ledgerServer } from './server.js';
import { StoreHealth } from '#log/store-health';
import { RecoveryHold } from './recovery-hold.js';
import { KnownPeople } from './users/users.handlers.js';
import { Patience } from './patience.js';

const HOME = 'http://localhost:3000';
const PER_MINUTE = 40;

/** What was noted in the security trail. */
const noted: TrailEntry[] = [];
const trail: SecurityTrail = { note: (entry) => void noted.push(entry) };

const execute = jest.fn<(command: JournalCommand, context: KeyedProvenance) => Promise<Receipt>>();
const waitFor = jest.fn<() => Promise<boolean>>();
const confirmations: Partial<Confirmations> = {
  isRepeat: () => Promise.resolve(false),
  note: () => Promise.resolve(),
  keep: () => Promise.resolve(),
};
const intentFor = jest.fn<CardProvider['intentFor']>();
const counted = jest.fn<PolicyReportCount['inc']>();
const position = { commit: 7n, prepare: 7n };
let app: NestFastifyApplication;
let origin: string;
let visitors = 0;
const refusedLimits: string[] = [];
let isStale = false;
let closed: string | undefined;
let now = 0;
/** A user whose name says so signed in long ago. */
const signedInAt = (userId: string): Date => new Date(userId.startsWith('aged') ? 0 : Date.now());
const store = new StoreHealth(() => now);
/** Each test is another user, for the limit of requests counts by user. */
let user = '';

beforeAll(async () => {
  const log = pino({ level: 'silent' });
  const provider = new CardProvider({
    secretKey: 'sk_test_a',
    webhookSecrets: { current: 'whsec_a' },
    seal: new OwnershipSeal(Buffer.alloc(32), () => 'led_spec'),
    apiUrl: 'http://127.0.0.1:9',
    publicUrl: HOME,
  });
  provider.intentFor = intentFor;
  const vault: Partial<Vault> = {
    seal: (owner, text) => Promise.resolve(`sealed:${owner}:${Buffer.from(text).toString('hex')}`),
    fingerprint: () => Promise.resolve('fingerprint'),
  };
  app = await ledgerServer({
    log,
    addPages: () => Promise.resolve(),
    origins: {
      publicUrl: HOME,
      stripeScriptUrl: 'https://js.stripe.com/endive/stripe.js',
      stripeApiUrl: undefined,
      stripeOrigins: STRIPE_PUBLISHED_ORIGINS,
    },
    gate: {
      publicOrigin: HOME,
      limits: new RequestLimits(
        new LimitCounts({
          counter: new OwnCounter(),
          limits: { ...DEFAULT_LIMITS, 'read-user': PER_MINUTE, 'webhook-address': 5 },
          secret: Buffer.alloc(32),
          refused: (limit) => refusedLimits.push(limit),
        }),
      ),
      log,
      trail,
      observe: () => undefined,
      isEnding: () => false,
      isStale: () => isStale,
      closed: () => closed,
      sessionOf: (request) => {
        const userId = /^session=(\w+)$/.exec(request.headers.cookie ?? '')?.[1];
        return Promise.resolve(
          userId === undefined
            ? undefined
            : { userId, sessionId: `session-${userId}`, signedInAt: signedInAt(userId) },
        );
      },
    },
    reads: READ_CONTROLLERS,
    parts: partsFor(LedgerModule.of([], READ_CONTROLLERS), [
      { provide: LOG, useValue: log },
      { provide: PUBLIC_URL, useValue: HOME },
      { provide: Journal, useValue: { execute, look: () => Promise.resolve(undefined) } },
      { provide: Vault, useValue: vault },
      { provide: CardProvider, useValue: provider },
      { provide: ISSUER_NAME, useValue: 'local' },
      { provide: Patience, useValue: new Patience(store) },
      { provide: KnownPeople, useValue: { isLeaving: () => Promise.resolve(false) } },
      { provide: RecoveryHold, useValue: { assertNone: () => Promise.resolve() } },
      { provide: Sessions, useValue: { end: () => Promise.resolve(undefined) } },
      { provide: SecurityTrail, useValue: trail },
      { provide: PasskeySwitch, useValue: { isOn: () => Promise.resolve(false) } },
      { provide: Confirmations, useValue: confirmations },
      { provide: ConfirmationFacts, useValue: { nameOf: () => Promise.resolve('Milo') } },
      { provide: PASS_CERTIFICATES, useValue: undefined },
      { provide: Payees, useValue: { byId: (id: string) => Promise.resolve({ id, username: 'juno' }) } },
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
          stripeScriptUrl: 'https://js.stripe.com/endive/stripe.js',
        }),
      },
      { provide: PolicyReportCount, useValue: { inc: counted } },
      { provide: RefundCap, useValue: { perHour: 30 } },
      { provide: ScheduleLimits, useValue: { limits: DEFAULT_LIMITS } satisfies ScheduleLimits },
      { provide: Declines, useValue: declinesWith() },
      { provide: DeclineLimit, useValue: { perPayment: 5 } satisfies DeclineLimit },
      { provide: ProviderAccountUse, useValue: { isExclusive: true } },
      { provide: ActiveMethods, useValue: new ActiveMethods(() => Promise.resolve(['card', 'cashapp'])) },
      { provide: TipPageLimits, useValue: { limits: DEFAULT_LIMITS } satisfies TipPageLimits },
      {
        provide: ShownTipPages,
        useValue: {
          byKey: () => Promise.resolve(undefined),
          closedOwner: () => Promise.resolve(undefined),
          isOthersUsername: () => Promise.resolve(false),
          isImitation: () => Promise.resolve(false),
        } satisfies ShownTipPages,
      },
      {
        provide: ReceivedPayments,
        useValue: { of: () => Promise.resolve(undefined) } satisfies ReceivedPayments,
      },
      {
        provide: PaidTips,
        useValue: {
          ofGuest: () => Promise.resolve(undefined),
          ofPayer: () => Promise.resolve(undefined),
        } satisfies PaidTips,
      },
      {
        provide: TipPageSettings,
        useValue: { publicUrl: HOME, isStaging: false, script: () => '', font: () => undefined },
      },
      { provide: ScheduleClock, useValue: { now: () => new Date() } },
      {
        provide: Queryable,
        useValue: { query: () => Promise.reject(new Error('password=hunter2')) },
      },
    ]),
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
    needsAction: false,
    isUnderWay: false,
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
    redirect: 'manual',
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

  it('a path that is no API call is answered 404', async () =>
    expect((await call('GET', '/missing.png')).statusCode).toBe(404));

  it('health, readiness and metrics are answered without a session', async () => {
    expect((await call('GET', '/healthz')).statusCode).toBe(200);
    expect((await call('GET', '/readyz')).json()).toEqual({
      ready: false,
      reasons: ['Postgres does not answer.'],
    });
    expect((await call('GET', '/metrics')).body).not.toContain('encore_');
  });
});

describe('the security trail', () => {
  beforeEach(() => void noted.splice(0));

  it('has a refusal with its call, its status and where it came from, and nothing of what was sent', async () => {
    await call('POST', '/api/create-payment-intent?to=odalys@example.org', { cookie: 'session=' }, tip);
    expect(noted).toMatchObject([
      {
        what: 'refused',
        outcome: 'refused',
        network: '127.0.0.0/24',
        device: 'Unknown device',
        detail: { method: 'POST', route: '/api/create-payment-intent', status: 401 },
      },
    ]);
    expect(JSON.stringify(noted)).not.toContain('odalys');
  });

  it('has who was told no, and why', async () => {
    execute.mockRejectedValue(new Rejected('PaymentCanceled'));
    await signedIn('POST', '/api/create-payment-intent', tip);
    const foreign = await signedIn('POST', '/api/create-payment-intent', tip, {
      origin: 'https://evil.example',
    });
    expect(foreign.statusCode).toBe(403);
    expect(noted.at(-1)).toMatchObject({ what: 'refused', userId: user, detail: { status: 403 } });
  });

  it('is not filled by pages that ask whether anybody is signed in', async () => {
    await call('GET', '/api/auth/user');
    expect(noted).toEqual([]);
  });
});

describe('signed in', () => {
  it('an unknown call is 404 with a sentence', async () => {
    const answer = await signedIn('GET', '/api/nothing');
    expect([answer.statusCode, answer.json()]).toEqual([404, { message: 'There is no such page or call.' }]);
  });

  it('a call with an overlong id is 414, not 405', async () => {
    const answer = await signedIn('GET', `/api/users/${'x'.repeat(1_000)}`);
    expect([answer.statusCode, answer.json()]).toEqual([414, { message: 'The address is too long.' }]);
  });

  it.each([
    ['DELETE', '/api/create-payment-intent', 'POST'],
    ['DELETE', '/api/settings?a=1', 'GET, HEAD, PUT'],
    ['POST', '/api/users/milo-1', 'GET, HEAD'],
  ] as const)(
    'a call with a method that it has not is 405, and says which it has: %s %s',
    async (method, url, allow) => {
      const answer = await signedIn(method, url);
      expect([answer.statusCode, answer.headers.allow, answer.json()]).toEqual([
        405,
        allow,
        { message: 'This page or call cannot be asked for with this method.' },
      ]);
    },
  );

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

  it.each([
    ['/api/subscriptions/%00', { amount: '20' }, 'Subscription not found'],
    ['/api/scheduled-payments/%00', { amount: '20' }, 'Scheduled payment not found'],
  ])('is told of an id that nobody has, whatever is in it: %s', async (path, body, message) => {
    user = `aged${visitors}`;
    const answer = await signedIn('PATCH', path, body);
    expect([answer.statusCode, answer.json()]).toEqual([404, { message }]);
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

  it('looks up six people by address in a minute, and is then told to wait; others are found by id', async () => {
    const statuses = [];
    for (let n = 0; n < 9; n++)
      statuses.push((await signedIn('GET', `/api/users/${n}%40valastro.example`)).statusCode);
    // The database of this spec answers nothing: 500 is a look-up that was let through.
    expect(statuses).toEqual([500, 500, 500, 500, 500, 500, 429, 429, 429]);
    const refused = await signedIn('GET', '/api/users/%2B1%20555%20010%202030');
    expect(refused.statusCode).toBe(429);
    expect(refused.json<{ message: string }>().message).toMatch(
      /^Too many people were looked up\. Please wait \d+ seconds and try again\.$/,
    );
    expect((await signedIn('GET', '/api/users/usr_a')).statusCode).toBe(500);
    expect(refusedLimits).toContain('look-up-user');
  });

  it.each([
    ['a call', '/api/auth/user', 'application/json; charset=utf-8'],
    ['a call that is none', '/api/nothing', 'application/json; charset=utf-8'],
    ['the description of the calls', '/api/docs', 'text/html; charset=utf-8'],
    ['a public page', '/@nobody', 'text/html; charset=utf-8'],
    ['a public page without a handle', '/@', 'text/html; charset=utf-8'],
  ])('every answer carries the page’s bounds: %s', async (_, path, type) => {
    const { headers } = await signedIn('GET', path);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe-inline');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers['content-type']).toBe(type);
    expect(headers['reporting-endpoints']).toBe('policy="/api/policy-reports"');
    expect(headers['permissions-policy']).toContain('camera=(self)');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each(['/healthz', '/readyz', '/assets/nothing.js', '/%', '/api/%ED%A0%80'])(
    'no answer may be framed, guessed at or kept: %s',
    async (path) => {
      const { headers } = await call('GET', path);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.any(String),
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      });
    },
  );
});

describe('a sign-out', () => {
  it.each([
    ['cross-site', false],
    ['same-site', false],
    ['same-origin', true],
    ['none', true],
    [undefined, true],
  ])('that a browser says is asked for by %s is carried out: %s', async (site, isDone) => {
    const answer = await call('GET', '/api/logout', {
      'sec-fetch-dest': 'document',
      ...(site !== undefined && { 'sec-fetch-site': site }),
    });
    const done = [answer.headers['clear-site-data'], answer.headers['set-cookie']].map(
      (header) => header !== undefined,
    );
    expect([answer.statusCode, ...done]).toEqual([302, isDone, isDone]);
  });
});

describe('what the app keeps in a browser', () => {
  it.each([
    ['goes when its user logs out', 'document', '"cache", "storage"'],
    ['goes also in a browser that does not say what it loads', undefined, '"cache", "storage"'],
    ['stays when a picture of another site names the address', 'image', undefined],
    ['stays when a frame of another site does', 'iframe', undefined],
  ])('%s', async (_, dest, cleared) => {
    const answer = await call('GET', '/api/logout', dest === undefined ? {} : { 'sec-fetch-dest': dest });
    expect([answer.statusCode, answer.headers['clear-site-data']]).toEqual([302, cleared]);
  });
});

describe('what a browser reports of a page', () => {
  const report = {
    'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': 'https://evil.example/' },
  };

  it('is counted, from whoever sends it', async () => {
    counted.mockReset();
    const answer = await call(
      'POST',
      '/api/policy-reports',
      { 'content-type': 'application/csp-report', origin: 'null', 'sec-fetch-site': 'cross-site' },
      JSON.stringify(report),
    );
    expect([answer.statusCode, counted.mock.calls]).toEqual([204, [[{ directive: 'img-src' }]]]);
  });

  it('is the only body of its kind that is read', async () => {
    const headers = { 'content-type': 'application/csp-report' };
    const answer = await signedIn('POST', '/api/create-payment-intent', JSON.stringify(tip), headers);
    expect(answer.statusCode).toBe(400);
    expect(execute).not.toHaveBeenCalled();
  });
});

/** Writes these bytes to a connection of their own and reads until it is closed or silent. */
async function sent(...parts: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let heard = '';
  const closed = new Promise<void>((close) => {
    socket.on('data', (part) => {
      heard += part.toString('latin1');
      if (/^HTTP[^]*\r\n\r\n[^]*\}$/.test(heard)) socket.end();
    });
    socket.once('close', () => close());
    socket.on('error', () => undefined);
  });
  for (const part of parts) socket.write(part);
  // Whoever is told to wait for more hears that no more comes.
  socket.end();
  await closed;
  return heard;
}

/** The same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

describe('a hostile request', () => {
  const INSIDE =
    /FST_|fastify|nest|statusCode|node_modules|\.[jt]s\b|\bat \w+ \(|SyntaxError|TypeError|Unexpected token/i;

  /** Refused, in our shape, with nothing of the inside. */
  function expectRefusal(request: string, answer: string): void {
    const [head = '', ...rest] = answer.split('\r\n\r\n');
    // What was sent behind the request is a request of its own, with an answer of its own.
    const length = /^content-length: (\d+)$/im.exec(head)?.[1];
    const body = rest.join('\r\n\r\n').slice(0, length === undefined ? undefined : Number(length));
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    const told = `${request}\n${answer}`;
    if (!(status >= 400 && status < 500)) throw new Error(`no refusal of ${told}`);
    // Node answers a request without a Host, or with an Expect of no meaning, by itself, and says nothing.
    if (body === '' || body === '0\r\n\r\n') return;
    if (INSIDE.test(body)) throw new Error(`the inside is seen in the answer to ${told}`);
    const { message, code, ...more } = JSON.parse(body) as Record<string, unknown>;
    if (typeof message !== 'string' || message === '' || !['undefined', 'string'].includes(typeof code))
      throw new Error(`no sentence for ${told}`);
    if (Object.keys(more).length > 0) throw new Error(`more than a sentence for ${told}`);
  }

  it.each([
    ['an address that is no UTF-8', 'GET /api/users/%ED%A0%80 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an address that is no UTF-8, of no call', 'GET /%ED%A0%80 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a broken escape', 'GET /api/users/%zz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a long id', `GET /api/users/${'a'.repeat(2000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a very long address', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['very long headers', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['what is no HTTP', 'GIMME\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a method that nobody has', 'BREW /api/settings HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a method that would send all of it back', 'TRACE /api/settings HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a method that we have not', 'PROPFIND /api/settings HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no host', 'GET /api/settings HTTP/1.1\r\n\r\n'],
  ])('is refused in our words: %s', async (_, request) => expectRefusal(request, await sent(request)));

  // A proxy that reads the end of such a message elsewhere would take the rest for another's request.
  it.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length and pieces', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['pieces of no size', 'Transfer-Encoding: chunked\r\n\r\nxyz\r\n'],
  ])('ends its connection, and nothing behind it is read: %s', async (_, framing) => {
    const behind = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const request = `POST /api/login HTTP/1.1\r\nHost: a\r\n${framing}`;
    const answer = await sent(request + behind);
    expectRefusal(request, answer);
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400']);
  });

  it.each([
    ['application/json', '{"amount":'],
    ['application/json', '{"__proto__":{"amount":1}}'],
    ['application/json', '{"constructor":{"prototype":{}}}'],
    ['application/json', '\ufeff{}'],
    ['application/json', '"'.repeat(10)],
    ['application/json; charset=utf-7', '+AHs-'],
    ['text/plain', 'amount=1'],
    ['application/x-www-form-urlencoded', 'amount=1'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/xml', '<a/>'],
    ['x'.repeat(500), 'y'],
    [';;;', 'y'],
  ])('is refused in our words: a body of %s, %j', async (type, body) => {
    const answer = await signedIn('POST', '/api/create-payment-intent', body, { 'content-type': type });
    expect([400, 413, 415]).toContain(answer.statusCode);
    expect(answer.json()).toEqual({ message: expect.stringMatching(/^[A-Z][^\n]*\.$/) });
    expect(answer.body).not.toMatch(INSIDE);
    expect(execute).not.toHaveBeenCalled();
  });

  // Whoever has no body says no length of it either, and may name its kind all the same.
  it.each([
    ['POST', '/api/create-payment-intent', 'Send the payment as a JSON object.'],
    ['PATCH', '/api/subscriptions/sub_a/status', 'Send the status as a JSON object.'],
    ['DELETE', '/api/nothing', 'There is no such page or call.'],
  ])(
    '%s without a body and without a length is read as one without a body',
    async (method, path, message) => {
      const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nCookie: session=${user}\r\nConnection: close\r\n`;
      for (const kind of ['', 'Content-Type: application/json\r\n']) {
        const answer = await sent(`${head}${kind}\r\n`);
        expect(answer).toContain(JSON.stringify({ message }));
      }
    },
  );

  it('is refused in our words, whatever its bytes are', async () => {
    const seed = 20_261_123;
    const next = numbersFrom(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!;
    const noise = (): string =>
      Array.from({ length: 1 + Math.floor(next() * 12) }, () =>
        pick([
          '%',
          '%ED%A0%80',
          '%00',
          '/',
          '..',
          '?',
          '#',
          ';',
          '\\',
          '\xff',
          'a',
          '%2f',
          '{',
          '[',
          '<',
          '\x01',
        ]),
      ).join('');
    for (let n = 0; n < 200; n += 1) {
      const lines = [
        `${pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])} /api/${noise()} HTTP/1.1`,
        'Host: encore.example',
        `Cookie: session=hostile${n}`,
        pick([
          'Content-Length: 3',
          'Content-Length: -1',
          'Transfer-Encoding: gzip',
          'Expect: teapot',
          'X-A: \x01',
        ]),
        pick(['Content-Type: application/json', 'Content-Type: \xff', 'X-B: b']),
      ];
      const request = `${lines.join('\r\n')}\r\n\r\n${pick(['', '{}{', 'abc'])}`;
      const answer = await sent(Buffer.from(request, 'latin1'));
      // Nothing at all, where the request never came to its end.
      if (answer !== '') expectRefusal(`seed ${seed}, ${n}: ${request}`, answer);
    }
  });
});

describe('a webhook without a valid signature', () => {
  const json = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.66' };
  const forged = { ...json, 'stripe-signature': 't=1,v1=00' };
  it('is refused a few times a minute and then told to wait; signed ones are never limited', async () => {
    const send = (headers: Record<string, string>) => call('POST', '/api/webhooks/stripe', headers, '{}');
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await send(forged)).statusCode);
    expect(statuses).toEqual([400, 400, 400, 400]);
    expect((await send(json)).statusCode).toBe(400);
    const tooOften = await send(forged);
    expect([tooOften.statusCode, tooOften.headers['retry-after']]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect((await send(json)).json()).toEqual({
      message: expect.stringMatching(/^Too many requests\. Please wait \d+ seconds and try again\.$/),
    });
    // What the provider has signed is taken however many forged ones came from the same address.
    const body = JSON.stringify({ id: 'evt_a', object: 'event', type: 'ping', data: { object: {} } });
    const signature = new Stripe('sk_test_a').webhooks.generateTestHeaderString({
      payload: body,
      secret: 'whsec_a',
    });
    const signed = await call(
      'POST',
      '/api/webhooks/stripe',
      { ...json, 'stripe-signature': signature },
      body,
    );
    expect(signed.statusCode).toBe(200);
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
