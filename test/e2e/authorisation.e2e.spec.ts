/**
 * Who may do what, for every call of the API description. A call without a line in the table below fails the
 * suite: whoever adds one says whose things it touches. The first user owns one of everything; the second one
 * tries each call on it.
 *
 * No workers run, so nothing in the log moves but by what is tried here.
 */
import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { z } from 'zod';
import { AddedBankAccount } from '#contracts/api/bank-accounts';
import { Session } from '#contracts/api/sessions';
import { TreasuryWallet } from '#contracts/api/treasury';
import { PictureAnswer } from '#contracts/api/users';
import { Authenticator, enrolPasskey } from '#test/support/authenticator';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person, refusal, type Answer } from '#test/support/person';
import { ageSignIns } from '#test/support/sign-in-age';
import { useStack, WITHOUT_WORKERS } from '#test/support/stack';

const stack = useStack(WITHOUT_WORKERS);

/** What the first user has, by id. A line that needs more of it adds a field, and its making to `furnish`. */
interface Things {
  readonly userId: string;
  readonly email: string;
  /** Somebody whom everybody may pay. */
  readonly paidId: string;
  readonly paidEmail: string;
  readonly paymentId: string;
  /** What they were paid. */
  readonly receivedId: string;
  readonly bankAccountId: string;
  /** Still to be paid. */
  readonly openPaymentId: string;
  readonly openIntentId: string;
  readonly subscriptionId: string;
  readonly scheduledPaymentId: string;
  readonly cardId: string;
  readonly passkeyId: string;
  /** Where it is. */
  readonly picture: string;
  readonly walletId: string;
  /** Of another browser of theirs. */
  readonly sessionId: string;
}

/** One way of making a call. `path` is the path with everything filled in. */
interface Attempt {
  readonly path?: string;
  readonly body?: object;
}
type Line =
  /** Nobody has to be signed in; `status` is what a bare call is answered. */
  | { readonly open: number }
  /**
   * It names nothing of anybody's: each reads and changes their own. `body` is a good one, where it takes
   * one, and `query` what it must be asked; `answered` is the status that one who has nothing is answered,
   * where that is a refusal.
   */
  | { readonly own: true; readonly body?: object; readonly query?: string; readonly answered?: number }
  /** It is about other people on purpose; what may be seen of them has specs of its own. */
  | { readonly others: string; readonly attempt: (of: Things) => Attempt }
  /**
   * It names a thing by id, in its path or body: for whoever does not own it, it is not there. `nobodys` is
   * the same with an id that nobody has. The owner may: `allowed` is what the owner is answered, tried last
   * and in the table's order.
   */
  | {
      readonly names: (of: Things) => Attempt;
      readonly nobodys: Attempt;
      readonly allowed: number;
    };

const BANK_ACCOUNT = {
  accountHolderName: 'Eve Valastro',
  accountNumber: '000123456789',
  routingNumber: '110000000',
  bankName: 'Harbor Bank',
};

/** What the first user's tip page says. */
const TIP_PAGE = { stageName: 'The Juno Show', line: 'Requests for a coin', isListed: false };

const TABLE: Readonly<Record<string, Line>> = {
  'GET /api/login': { open: 302 },
  'GET /api/login/callback': { open: 400 },
  'GET /api/logout': { open: 302 },
  'POST /api/backchannel-logout': { open: 400 },
  'POST /api/webhooks/stripe': { open: 400 },
  'POST /api/webhooks/stripe/connect': { open: 400 },
  'POST /api/policy-reports': { open: 400 },
  'GET /api/auth/user': { own: true },
  'PUT /api/user/picture': { own: true, answered: 415 },
  'GET /api/user/picture/{hash}': {
    names: ({ picture }) => ({ path: picture }),
    nobodys: { path: `/api/user/picture/${'A'.repeat(43)}` },
    allowed: 200,
  },
  'DELETE /api/user/picture': { own: true },
  'GET /api/users/{idOrEmail}': {
    others: 'whoever is to be paid can be looked up: docs/explanation/privacy.md',
    attempt: ({ userId }) => ({ path: `/api/users/${userId}` }),
  },
  'POST /api/create-payment-intent': {
    others: 'the recipient is somebody else by nature',
    attempt: ({ userId }) => ({ body: { toUserId: userId, amount: '1.00' } }),
  },
  'GET /api/transactions': { own: true },
  'GET /api/messages': { own: true },
  'GET /api/messages/summary': { own: true },
  'POST /api/messages/read': { own: true, body: { ids: ['msg_of_nobody'] } },
  'GET /api/transactions/{id}': {
    names: ({ paymentId }) => ({ path: `/api/transactions/${paymentId}` }),
    nobodys: { path: '/api/transactions/pay_of_nobody' },
    allowed: 200,
  },
  'GET /api/transactions/{id}/proof': {
    names: ({ paymentId }) => ({ path: `/api/transactions/${paymentId}/proof` }),
    nobodys: { path: '/api/transactions/pay_of_nobody/proof' },
    allowed: 200,
  },
  'GET /api/bank-accounts': { own: true },
  'POST /api/bank-accounts': { own: true, body: BANK_ACCOUNT },
  'POST /api/payouts/onboarding': { own: true },
  'GET /api/payouts': { own: true },
  'GET /api/payouts/funds': { own: true },
  'POST /api/payouts': {
    names: ({ bankAccountId }) => ({ body: { amount: '1.00', bankAccountId } }),
    nobodys: { body: { amount: '1.00', bankAccountId: 'bnk_of_nobody' } },
    allowed: 200,
  },
  'PUT /api/bank-accounts/{id}/primary': {
    names: ({ bankAccountId }) => ({ path: `/api/bank-accounts/${bankAccountId}/primary` }),
    nobodys: { path: '/api/bank-accounts/bnk_of_nobody/primary' },
    allowed: 204,
  },
  'DELETE /api/bank-accounts/{id}': {
    names: ({ bankAccountId }) => ({ path: `/api/bank-accounts/${bankAccountId}` }),
    nobodys: { path: '/api/bank-accounts/bnk_of_nobody' },
    allowed: 204,
  },
  'GET /api/payments/{id}/client-secret': {
    names: ({ openPaymentId }) => ({ path: `/api/payments/${openPaymentId}/client-secret` }),
    nobodys: { path: '/api/payments/pay_00000000000000000000000000/client-secret' },
    allowed: 200,
  },
  'GET /api/payments/of-intent/{intentId}': {
    names: ({ openIntentId }) => ({ path: `/api/payments/of-intent/${openIntentId}` }),
    nobodys: { path: '/api/payments/of-intent/pi_of_nobody' },
    allowed: 200,
  },
  'POST /api/payments/{id}/confirm': {
    names: ({ paymentId }) => ({ path: `/api/payments/${paymentId}/confirm` }),
    nobodys: { path: '/api/payments/pay_00000000000000000000000000/confirm' },
    allowed: 200,
  },
  'GET /api/transactions/totals': { own: true },
  'GET /api/transactions/earnings': { own: true, query: '?begins=2026-01-01T00:00:00Z' },
  'POST /api/transactions/{id}/thanks': {
    names: ({ receivedId }) => ({
      path: `/api/transactions/${receivedId}/thanks`,
      body: { thanks: 'thank_you' },
    }),
    nobodys: {
      path: '/api/transactions/pay_00000000000000000000000000/thanks',
      body: { thanks: 'thank_you' },
    },
    allowed: 204,
  },
  'GET /api/subscriptions': { own: true },
  'POST /api/subscriptions': {
    others: 'the recipient is somebody else by nature',
    attempt: ({ userId }) => ({ body: { toUserId: userId, amount: '1.00', frequency: 'weekly' } }),
  },
  'PATCH /api/subscriptions/{id}': {
    names: ({ subscriptionId }) => ({
      path: `/api/subscriptions/${subscriptionId}`,
      body: { amount: '1.00' },
    }),
    nobodys: { path: '/api/subscriptions/sub_00000000000000000000000000', body: { amount: '1.00' } },
    allowed: 200,
  },
  'POST /api/subscriptions/{id}/pay-now': {
    names: ({ subscriptionId }) => ({
      path: `/api/subscriptions/${subscriptionId}/pay-now`,
      body: { dueAt: '2026-01-01T00:00:00Z' },
    }),
    nobodys: {
      path: '/api/subscriptions/sub_00000000000000000000000000/pay-now',
      body: { dueAt: '2026-01-01T00:00:00Z' },
    },
    // Nothing of it has failed.
    allowed: 409,
  },
  'PATCH /api/subscriptions/{id}/status': {
    names: ({ subscriptionId }) => ({
      path: `/api/subscriptions/${subscriptionId}/status`,
      body: { status: 'paused' },
    }),
    nobodys: { path: '/api/subscriptions/sub_00000000000000000000000000/status', body: { status: 'paused' } },
    allowed: 200,
  },
  'GET /api/scheduled-payments': { own: true },
  'POST /api/scheduled-payments': {
    others: 'the recipient is somebody else by nature',
    attempt: ({ userId }) => ({
      body: { toUserId: userId, amount: '1.00', scheduledDate: '2099-01-01T00:00:00Z' },
    }),
  },
  'PATCH /api/scheduled-payments/{id}': {
    names: ({ scheduledPaymentId }) => ({
      path: `/api/scheduled-payments/${scheduledPaymentId}`,
      body: { amount: '1.00' },
    }),
    nobodys: {
      path: '/api/scheduled-payments/sch_00000000000000000000000000',
      body: { amount: '1.00' },
    },
    allowed: 200,
  },
  'POST /api/scheduled-payments/{id}/pay-now': {
    names: ({ scheduledPaymentId }) => ({
      path: `/api/scheduled-payments/${scheduledPaymentId}/pay-now`,
      body: { dueAt: '2026-01-01T00:00:00Z' },
    }),
    nobodys: {
      path: '/api/scheduled-payments/sch_00000000000000000000000000/pay-now',
      body: { dueAt: '2026-01-01T00:00:00Z' },
    },
    // Nothing of it has failed.
    allowed: 409,
  },
  'PATCH /api/scheduled-payments/{id}/status': {
    names: ({ scheduledPaymentId }) => ({
      path: `/api/scheduled-payments/${scheduledPaymentId}/status`,
      body: { status: 'cancelled' },
    }),
    nobodys: {
      path: '/api/scheduled-payments/sch_00000000000000000000000000/status',
      body: { status: 'cancelled' },
    },
    allowed: 200,
  },
  'GET /api/payment-methods': { own: true },
  'POST /api/tips': {
    names: ({ cardId, paidId }) => ({ body: { toUserId: paidId, amount: '1.00', from: cardId } }),
    nobodys: { body: { toUserId: 'usr_of_nobody', amount: '1.00', from: 'crd_of_nobody' } },
    allowed: 200,
  },
  'POST /api/setup-intent': { own: true },
  'PUT /api/payment-methods/{id}/default': {
    names: ({ cardId }) => ({ path: `/api/payment-methods/${cardId}/default` }),
    nobodys: { path: '/api/payment-methods/pm_nobodys/default' },
    allowed: 200,
  },
  'DELETE /api/payment-methods/{id}': {
    names: ({ cardId }) => ({ path: `/api/payment-methods/${cardId}` }),
    nobodys: { path: '/api/payment-methods/pm_nobodys' },
    allowed: 204,
  },
  'GET /api/treasury/wallets': { own: true },
  'POST /api/treasury/wallets': { own: true, body: { displayName: 'Tour' } },
  'PATCH /api/treasury/wallets/{id}': {
    names: ({ walletId }) => ({ path: `/api/treasury/wallets/${walletId}`, body: { displayName: 'Taxes' } }),
    nobodys: { path: '/api/treasury/wallets/wal_of_nobody', body: { displayName: 'Taxes' } },
    allowed: 200,
  },
  'GET /api/treasury/transactions': {
    own: true,
    names: ({ walletId }) => ({ path: `/api/treasury/transactions?walletId=${walletId}` }),
    nobodys: { path: '/api/treasury/transactions?walletId=wal_of_nobody' },
    allowed: 200,
  },
  'GET /api/statements': {
    names: ({ walletId }) => ({ path: `/api/statements?account=${walletId}` }),
    nobodys: { path: '/api/statements?account=wal_of_nobody' },
    allowed: 200,
  },
  'GET /api/statements/{month}': {
    names: ({ walletId }) => ({ path: `/api/statements/2026-11?account=${walletId}` }),
    nobodys: { path: '/api/statements/2026-11?account=wal_of_nobody' },
    allowed: 200,
  },
  'GET /api/statements/{month}/pdf': {
    names: ({ walletId }) => ({ path: `/api/statements/2026-11/pdf?account=${walletId}` }),
    nobodys: { path: '/api/statements/2026-11/pdf?account=wal_of_nobody' },
    allowed: 200,
  },
  'GET /api/account-entries': {
    names: ({ walletId }) => ({ path: `/api/account-entries?account=${walletId}` }),
    nobodys: { path: '/api/account-entries?account=wal_of_nobody' },
    allowed: 200,
  },
  'POST /api/treasury/transfer': {
    names: ({ walletId }) => ({ body: { walletId, amount: '1.00' } }),
    nobodys: { body: { walletId: 'wal_of_nobody', amount: '1.00' } },
    allowed: 200,
  },
  'POST /api/treasury/withdraw': {
    names: ({ walletId }) => ({ body: { walletId, amount: '1.00' } }),
    nobodys: { body: { walletId: 'wal_of_nobody', amount: '1.00' } },
    allowed: 200,
  },
  'DELETE /api/treasury/wallets/{id}': {
    names: ({ walletId }) => ({ path: `/api/treasury/wallets/${walletId}` }),
    nobodys: { path: '/api/treasury/wallets/wal_of_nobody' },
    allowed: 204,
  },
  'GET /api/tip-page': { own: true },
  'GET /api/tip-page/print': { own: true, answered: 400 },
  'PUT /api/tip-page': { own: true, body: { stageName: '', line: '', isListed: false } },
  'PUT /api/tip-page/handle': { own: true, body: { handle: 'somebody_else' } },
  'POST /api/tip-page/claims': {
    own: true,
    body: { token: 'AAAAAAAAAAAAAAAAAAAAAA' },
    answered: 404,
  },
  'PUT /api/tip-page/published': { own: true, body: { isPublished: true } },
  'GET /api/settings': { own: true },
  'PUT /api/settings': { own: true, body: { privacyModeEnabled: true } },
  'GET /api/events': { own: true },
  'POST /api/apple-wallet/generate-pass': {
    others: 'a pass for another is their payment link, which their id alone makes',
    attempt: ({ userId }) => ({ body: { userId, amount: '1.00' } }),
  },
  'POST /api/apple-wallet/generate-qr-pass': { own: true, body: {} },
  'GET /api/account-recovery': { own: true },
  'POST /api/account-recovery': { own: true, answered: 409 },
  'POST /api/account-recovery/completion': { own: true, answered: 409 },
  'POST /api/account-recovery/refusal': { own: true, answered: 403 },
  'POST /api/account-recovery/refusal-by-link': { open: 400 },
  'POST /api/own-data': { own: true },
  'GET /api/forgetting': { own: true },
  'POST /api/forgetting': { own: true },
  'DELETE /api/forgetting': { own: true },
  'GET /api/passkeys': { own: true },
  'POST /api/passkeys/enrolment/options': { own: true },
  'POST /api/passkeys/enrolment/verify': { own: true, answered: 400 },
  'POST /api/passkeys/assertion/options': { own: true, body: { confirm: 'of_nobody' }, answered: 409 },
  'POST /api/passkeys/assertion/verify': { own: true, answered: 400 },
  'DELETE /api/passkeys/{id}': {
    names: ({ passkeyId }) => ({ path: `/api/passkeys/${passkeyId}` }),
    nobodys: { path: '/api/passkeys/psk_of_nobody' },
    allowed: 200,
  },
  'GET /api/sessions': { own: true },
  'POST /api/sessions/end-others': { own: true },
  'DELETE /api/sessions/{id}': {
    names: ({ sessionId }) => ({ path: `/api/sessions/${sessionId}` }),
    nobodys: { path: '/api/sessions/00000000-0000-4000-8000-000000000000' },
    allowed: 204,
  },
  'GET /api/config': { own: true },
};

/** Answers that never end; what they hold has a suite of its own. */
/** Under which name the download of one's own data has what a read answers. */
const DOWNLOADED: Readonly<Record<string, string>> = {
  'GET /api/auth/user': 'profile',
  'GET /api/settings': 'settings',
  'GET /api/tip-page': 'tipPage',
  'GET /api/bank-accounts': 'bankAccounts',
  'GET /api/payment-methods': 'savedCards',
  'GET /api/passkeys': 'passkeys',
  'GET /api/sessions': 'sessions',
  'GET /api/treasury/wallets': 'wallets',
  'GET /api/treasury/transactions': 'walletMoves',
  'GET /api/transactions': 'payments',
  'GET /api/payouts': 'payouts',
  'GET /api/subscriptions': 'subscriptions',
  'GET /api/scheduled-payments': 'scheduledPayments',
  'GET /api/messages': 'messages',
};
/** What follows from that, is printed of it, or is known of nobody. */
const NOT_DOWNLOADED: readonly string[] = [
  'GET /api/messages/summary',
  'GET /api/payouts/funds',
  'GET /api/transactions/totals',
  'GET /api/transactions/earnings',
  'GET /api/tip-page/print',
  // What is under way; messages tell of it.
  'GET /api/account-recovery',
  'GET /api/forgetting',
  'GET /api/config',
];

const STREAMS: ReadonlySet<string> = new Set(['GET /api/events']);

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let eve: Person;
let nobody: Person;
let things: Things;

beforeAll(async () => {
  [juno, eve] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Eve')]);
  nobody = new Person(stack().url, 'Nobody', 'nobody', 'nobody@valastro.example');
  things = await furnish();
  await provider.delivered();
  await evidence.shown();
});

/**
 * Gives the first user one of everything. Her payments are to a third person, so that the second one has no
 * part in them.
 */
async function uploadedPicture(person: Person): Promise<string> {
  const background = '#c02030';
  const photo = sharp({ create: { width: 9, height: 9, channels: 3, background } });
  const answer = await fetch(`${stack().url}/api/user/picture`, {
    method: 'PUT',
    headers: { cookie: await person.jar.getCookieString(stack().url), 'content-type': 'image/png' },
    body: new Uint8Array(await photo.png().toBuffer()),
  });
  return PictureAnswer.parse(await answer.json()).profileImageUrl;
}

async function furnish(): Promise<Things> {
  await juno.put('/api/tip-page', TIP_PAGE);
  const milo = await Person.signUp(stack().url, 'Milo');
  const { paymentId, clientSecret } = await juno.pay(milo.id, '12.34', { description: 'For the encore' });
  await provider.card(clientSecret);
  const back = await milo.pay(juno.id, '56.78');
  await provider.card(back.clientSecret);
  const added = AddedBankAccount.parse(json(await juno.post('/api/bank-accounts', BANK_ACCOUNT)));
  const wallet = TreasuryWallet.parse(
    json(await juno.post('/api/treasury/wallets', { displayName: 'Encores' })),
  );
  const open = await juno.pay(milo.id, '3.21');
  const cardId = await juno.saveCard(provider);
  const body = { toUserId: milo.id, amount: '1.00' };
  const made = z.object({ id: z.string() });
  const subscription = made.parse(
    json(await juno.post('/api/subscriptions', { ...body, frequency: 'weekly' })),
  );
  const later = { ...body, scheduledDate: '2099-01-01T00:00:00Z' };
  const scheduled = made.parse(json(await juno.post('/api/scheduled-payments', later)));
  await juno.elsewhere('Spec').signIn();
  const signedIn = z.array(Session).parse(json(await juno.get('/api/sessions')));
  const sessionId = signedIn.find(({ isCurrent }) => !isCurrent)!.id;
  const passkey = await enrolPasskey(juno, new Authenticator(stack().url));
  return {
    userId: juno.id,
    email: juno.email,
    paidId: milo.id,
    paidEmail: milo.email,
    paymentId,
    receivedId: back.paymentId,
    bankAccountId: added.id,
    openPaymentId: open.paymentId,
    openIntentId: open.clientSecret.split('_secret_')[0]!,
    subscriptionId: subscription.id,
    scheduledPaymentId: scheduled.id,
    cardId,
    passkeyId: passkey.id,
    picture: await uploadedPicture(juno),
    walletId: wallet.id,
    sessionId,
  };
}

const keyOf = (call: { method: string; path: string }): string => `${call.method.toUpperCase()} ${call.path}`;
const methodOf = (key: string): string => key.split(' ')[0]!;
const pathOf = (key: string): string => key.split(' ')[1]!;
const filled = (key: string): string => pathOf(key).replaceAll(/\{\w+\}/g, 'nothing');
const linesOf = <K extends string>(kind: K) =>
  Object.entries(TABLE).filter(
    (entry): entry is [string, Extract<Line, Record<K, unknown>>] => kind in entry[1],
  );
const call = (person: Person, key: string, { path = pathOf(key), body }: Attempt): Promise<Answer> =>
  person.call(methodOf(key), path, body);

/** The reads of what is one's own, each with the path that it is asked by. */
const ownReads = (): [key: string, path: string, answered: number | undefined][] =>
  linesOf('own').flatMap(([key, { query = '', answered }]) =>
    methodOf(key) === 'GET' && !STREAMS.has(key) ? [[key, `${pathOf(key)}${query}`, answered]] : [],
  );

/** All that the owner can read. */
async function seenByOwner() {
  await evidence.shown();
  return Promise.all(ownReads().map(async ([key, path]) => [key, (await juno.get(path)).text]));
}
/** Everything that an attempt of somebody else must leave as it is: that, the whole log, and all rows. */
async function everything() {
  const seen = await seenByOwner();
  return { log: await evidence.text(), rows: await evidence.rows(), seen };
}

describe('the table', () => {
  it('has a line for every call that the API description knows, and for no other', async () => {
    const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
    const { paths } = document.parse(json(await juno.get('/api/openapi.json')));
    const described = Object.entries(paths).flatMap(([path, calls]) =>
      Object.keys(calls).map((method) => keyOf({ method, path })),
    );
    expect(Object.keys(TABLE).sort()).toEqual(described.sort());
  });

  it('calls nothing its own that has an id in its path', () => {
    expect(linesOf('own').filter(([key]) => key.includes('{'))).toEqual([]);
  });
});

/**
 * Says in every way there is that the app stands at another address: this as a proxy that is trusted could
 * pass it on.
 */
const FORGED = {
  host: 'evil.example',
  forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '8443',
  'x-forwarded-server': 'evil.example',
  'x-forwarded-prefix': '/evil',
  'x-original-url': '/evil',
  'x-rewrite-url': '/evil',
};
/** Made anew for each answer; whatever else differs depends on what the request said. */
const OF_ONE_ANSWER = new RegExp(
  [
    'nonce(?:-|=")[\\w+/=-]+',
    '(?<=[?&](?:state|nonce|code_challenge)=)[\\w-]+',
    'encore_sign_in=[\\w-]+',
    // When a PDF was made, and the id that follows from it.
    'D:\\d{14}Z',
    '/ID \\[[^\\]]+\\]',
  ].join('|'),
  'g',
);
const OF_ONE_MOMENT: ReadonlySet<string> = new Set(['date', 'x-correlation-id']);

/** What a ledger answers to a GET with these headers, straight from its port. */
function answered(path: string, headers: Record<string, string>): Promise<[number, string, string]> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: stack().ports['ledger-1'], path, headers };
    httpRequest(options, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => {
        const plain = (text: string): string => text.replaceAll(OF_ONE_ANSWER, '');
        const kept = Object.entries(answer.headers).filter(([name]) => !OF_ONE_MOMENT.has(name));
        const body = Buffer.concat(pieces).toString('latin1');
        resolve([answer.statusCode ?? 0, plain(JSON.stringify(kept)), plain(body)]);
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('a GET', () => {
  const HANDLE = 'juno_forged';
  beforeAll(async () => {
    await juno.put('/api/tip-page/handle', { handle: HANDLE });
    await juno.put('/api/tip-page/published', { isPublished: true });
    await evidence.shown();
  });

  const kinds = ['poster', 'table-card', 'stickers'].map(
    (kind) => `/api/tip-page/print?kind=${kind}&paper=a4`,
  );
  const pages = [
    '/',
    '/history',
    `/@${HANDLE}`,
    `/%40${HANDLE}`,
    '/@nobody_has_it',
    '/api/docs',
    '/api/openapi.json',
  ];
  const signIns = [
    '/api/login?returnTo=/history',
    '/api/login?fresh=1',
    '/api/login/callback?code=x&state=y',
  ];
  const own = ownReads().map(([, path]) => path);
  const named = linesOf('names').flatMap(([key, { names }]) =>
    methodOf(key) === 'GET' ? [(): string => names(things).path!] : [],
  );

  it('changes nothing: not the log, not the rows, nothing that its owner sees', async () => {
    const cookie = await juno.jar.getCookieString(stack().url);
    const before = await everything();
    const paths = [...pages, ...kinds, ...own, ...named.map((path) => path())];
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) await answered(path, { cookie, 'sec-fetch-site': 'cross-site', ...FORGED });
    expect(await everything()).toEqual(before);
  });

  it('that claims another address of the app is answered as any other: pages, redirects, prints, lists', async () => {
    const cookie = await juno.jar.getCookieString(stack().url);
    const paths = [...pages, ...signIns, ...kinds, ...own, ...named.map((path) => path())];
    for (const path of paths)
      for (const who of [{}, { cookie }] as Record<string, string>[]) {
        const honest = await answered(path, { host: new URL(stack().url).host, ...who });
        expect([path, ...(await answered(path, { ...who, ...FORGED }))]).toEqual([path, ...honest]);
      }
    // A sign-out ends the session: it comes last, and in a browser of its own.
    const other = juno.elsewhere('Spec');
    await other.signIn();
    const left = await answered('/api/logout', {
      cookie: await other.jar.getCookieString(stack().url),
      ...FORGED,
    });
    expect([left[0], left.join().includes('evil')]).toEqual([302, false]);
    expect(decodeURIComponent(left[1])).toContain(`post_logout_redirect_uri=${stack().url}/`);
  });
});

describe('signed out', () => {
  it.each(Object.keys(TABLE).filter((key) => !('open' in TABLE[key]!)))(
    '%s is 401 and changes nothing',
    async (key) => {
      const before = await evidence.text();
      const line = TABLE[key]!;
      const attempts: Attempt[] = [{ path: filled(key) }];
      if ('own' in line && line.body) attempts.push({ body: line.body });
      if ('others' in line) attempts.push(line.attempt(things));
      if ('names' in line) attempts.push(line.names(things));
      for (const attempt of attempts)
        expect(refusal(await call(nobody, key, attempt))).toEqual([401, 'Unauthorized']);
      expect(await evidence.text()).toBe(before);
    },
  );

  it.each(linesOf('open'))('%s is open', async (key, { open }) =>
    expect((await call(nobody, key, {})).status).toBe(open),
  );
});

describe('a second user', () => {
  const mine = ownReads().filter(([, , answered]) => answered === undefined);
  it.each(mine)('%s shows nothing of the first one’s', async (key, path) => {
    const { status, text } = await call(eve, key, { path });
    expect(status).toBe(200);
    for (const [name, value] of Object.entries(things))
      expect([name, text.includes(value)]).toEqual([name, false]);
  });

  const changes = linesOf('own').filter(([key]) => methodOf(key) !== 'GET');
  let before: unknown;
  beforeAll(async () => {
    before = await seenByOwner();
  });
  it.each(changes)('%s changes nothing of the first one’s', async (key, { body, answered }) => {
    const { status } = await call(eve, key, { body: { ...body } });
    expect(answered === undefined ? Math.min(status, 300) < 300 : status === answered).toBe(true);
    expect(await seenByOwner()).toEqual(before);
  });

  for (const [key, { names, nobodys }] of linesOf('names'))
    it(`${key} on the first one’s is 404, as if it were not there, and changes nothing`, async () => {
      const before = await everything();
      const [theirs, missing] = [await call(eve, key, names(things)), await call(eve, key, nobodys)];
      expect([theirs.status, theirs.text]).toEqual([404, missing.text]);
      expect(missing.status).toBe(404);
      expect(await everything()).toEqual(before);
    });
});

describe('a download of one’s own data', () => {
  it('has a part for each read of what is one’s own, or the table above says that it needs none', async () => {
    const known = [...Object.keys(DOWNLOADED), ...NOT_DOWNLOADED];
    expect(
      ownReads()
        .map(([key]) => key)
        .toSorted(),
    ).toEqual(known.toSorted());
    const parts = Object.keys(json(await juno.post('/api/own-data', {})) as object);
    expect(parts).toEqual(expect.arrayContaining(Object.values(DOWNLOADED)));
  });

  it('holds everything of the person, no address of another, and nothing that pays or signs in', async () => {
    const answer = await juno.post('/api/own-data', {});
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="encore-my-data.json"',
    ]);
    const data = json(answer) as Record<string, unknown>;
    expect(data).toMatchObject({
      profile: { id: things.userId, email: things.email, profileImageUrl: things.picture },
      settings: { biometricEnabled: false },
      tipPage: TIP_PAGE,
      bankAccounts: [{ id: things.bankAccountId, bank: 'Harbor Bank', account: '••••6789' }],
      savedCards: [{ brand: 'visa', last4: '4242', isDefault: true }],
      passkeys: [{ label: expect.any(String), addedAt: expect.any(String) }],
      wallets: [{ id: things.walletId, displayName: 'Encores' }],
      payouts: [],
      walletMoves: [],
      subscriptions: [{ id: things.subscriptionId, toUserId: things.paidId, amount: '1.00' }],
      scheduledPayments: [{ id: things.scheduledPaymentId, toUserId: things.paidId }],
      whatIsKept: { afterForgetting: expect.any(Array), notInThisFile: expect.any(Array) },
    });
    expect(data['payments']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: things.paymentId,
          amount: '12.34',
          description: 'For the encore',
          counterpartyName: 'Milo Valastro',
        }),
        expect.objectContaining({ type: 'payment_received', amount: '56.78' }),
      ]),
    );
    expect(data['payments']).toHaveLength((await juno.transactions()).length);
    expect(data['sessions']).toHaveLength(
      z.array(Session).parse(json(await juno.get('/api/sessions'))).length,
    );
    expect(answer.text).not.toContain(things.paidEmail);
    expect(answer.text).not.toMatch(
      /\b(?:pi|pm|cus|acct|ba|seti|tok)_\w|_secret_|000123456789|110000000|publicKey/,
    );
    const { cookie } = { cookie: await juno.jar.getCookieString(stack().url) };
    expect(answer.text).not.toContain(cookie.split('=')[1]);
  });

  it('tells the owner of it', async () => {
    const { text } = await juno.get('/api/messages');
    expect(text).toContain('Your data was downloaded');
  });

  it('is refused without a proof', async () => {
    const pell = await Person.signUp(stack().url, 'Pell');
    await ageSignIns(stack().env['DATABASE_URL'], pell.id);
    const answer = await pell.post('/api/own-data', {});
    expect([answer.status, json(answer)]).toMatchObject([
      403,
      { code: 'sign_in_required', confirm: { words: 'Download all of my data' } },
    ]);
    expect((await pell.get('/api/messages')).text).not.toContain('Your data was downloaded');
  });
});

describe('the owner', () => {
  it('reads their own', async () =>
    expect((await juno.transactions()).map(({ id }) => id)).toContain(things.paymentId));

  for (const [key, { names, allowed }] of linesOf('names'))
    it(`${key} may do the same`, async () => {
      expect((await call(juno, key, names(things))).status).toBe(allowed);
    });
});
