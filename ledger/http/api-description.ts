/**
 * The API, described once, from the schemas that validate it: an OpenAPI document, and a page that people can
 * read.
 */
import { z } from 'zod';
import { AddBankAccount, AddedBankAccount, BankAccount, Onboarding } from '#contracts/api/bank-accounts';
import { BrowserConfiguration } from '#contracts/api/browser-configuration';
import { ErrorAnswer } from '#contracts/api/error';
import { EventOut, EventsQuery } from '#contracts/api/events-out';
import {
  IDEMPOTENCY_KEY_HEADER,
  NEXT_CURSOR_HEADER,
  PASSKEY_PROOF_HEADER,
  POSITION_HEADER,
  STALE_HEADER,
} from '#contracts/plain/headers';
import { Passkey, PasskeyProof, VerifyAssertion, VerifyEnrolment } from '#contracts/api/passkeys';
import { GeneratePass, GenerateQrPass, PASS_TYPE } from '#contracts/api/passes';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { ShortListQuery } from '#contracts/api/lists';
import { SavedCardAnswer, SetupIntentAnswer } from '#contracts/api/payment-methods';
import {
  CreatePaymentIntent,
  PaymentIntentAnswer,
  Transaction,
  TransactionReceipt,
  TransactionsQuery,
} from '#contracts/api/payments';
import { Payout, PayoutsQuery, RequestPayout } from '#contracts/api/payouts';
import {
  CreateScheduledPayment,
  PatchScheduledPayment,
  ScheduledPayment,
  ScheduledPaymentAnswer,
  ScheduledPaymentsQuery,
} from '#contracts/api/scheduled-payments';
import { PutSettings, SettingsAnswer } from '#contracts/api/settings';
import {
  CreateSubscription,
  PatchSubscription,
  Subscription,
  SubscriptionAnswer,
  SubscriptionsQuery,
} from '#contracts/api/subscriptions';
import {
  CreateWallet,
  MoveFunds,
  TreasuryMovement,
  TreasuryTransaction,
  TreasuryTransactionsQuery,
  TreasuryWallet,
} from '#contracts/api/treasury';
import { CurrentUser, FoundUser } from '#contracts/api/users';

interface Call {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  /** Header names and what they hold. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly answer?: z.ZodType;
  /** What kind of answer it is, where that is not JSON. */
  readonly answerType?: string;
  /** Statuses other than 200, and when they come. */
  readonly otherwise: Readonly<Record<number, string>>;
  readonly open?: true;
}

const BUSY = {
  429: 'Too often; Retry-After says how long to wait',
  503: 'Not now; the same request may be sent again',
};
const SIGNED_IN = { 401: 'Signed out: the message is Unauthorized', ...BUSY };

/** For calls that a passkey confirms while biometricEnabled is on. */
const PROOF = { [PASSKEY_PROOF_HEADER]: z.string().optional() };
const ASKS = { 403: 'Confirm with a passkey first: the code is passkey_required' };

const PASS_CONTENT = z.string().meta({ contentMediaType: PASS_TYPE, format: 'binary' });

/** Why a subscription or scheduled payment is not made. */
const NOT_SCHEDULED = {
  400: 'What is wrong with the body',
  404: 'Recipient user not found',
  422: 'To oneself; a date in the past; the key was used with another body; or the code card_required: neither balance nor card',
};

/** Every call of the public API. */
export const CALLS: readonly Call[] = [
  {
    method: 'get',
    path: '/api/login',
    summary: 'Signs in: navigate here. returnTo is a path of ours to come back to.',
    query: z.object({ returnTo: z.string().optional() }),
    otherwise: { 302: 'To the identity provider', ...BUSY },
    open: true,
  },
  {
    method: 'get',
    path: '/api/login/callback',
    summary: 'Where the identity provider sends the browser back to.',
    otherwise: { 302: 'Signed in', 400: 'The sign-in has expired or was begun in another browser', ...BUSY },
    open: true,
  },
  {
    method: 'get',
    path: '/api/logout',
    summary: 'Signs out here and at the identity provider: navigate here.',
    otherwise: { 302: 'Signed out', ...BUSY },
    open: true,
  },
  {
    method: 'get',
    path: '/api/auth/user',
    summary: 'The signed-in user.',
    answer: CurrentUser,
    otherwise: SIGNED_IN,
  },
  {
    method: 'get',
    path: '/api/users/{idOrEmail}',
    summary: 'A user by id, or by an address that they have proven.',
    answer: FoundUser,
    otherwise: { ...SIGNED_IN, 404: 'User not found' },
  },
  {
    method: 'post',
    path: '/api/create-payment-intent',
    summary: 'Opens a card or Cash App payment. The same Idempotency-Key and body give the same payment.',
    body: CreatePaymentIntent,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: PaymentIntentAnswer,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the amount, the recipient or the note',
      404: 'Recipient user not found',
      409: 'The payment was canceled meanwhile: make a new key',
      422: 'To oneself; or the key was used with another body',
      502: 'The card provider refused',
    },
  },
  {
    method: 'get',
    path: '/api/transactions',
    summary: `The signed-in user’s payments and transfers, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    query: TransactionsQuery,
    answer: z.array(Transaction),
    otherwise: SIGNED_IN,
  },
  {
    method: 'get',
    path: '/api/transactions/{id}',
    summary: 'One of the user’s own payments or transfers, with what a receipt says.',
    answer: TransactionReceipt,
    otherwise: { ...SIGNED_IN, 404: 'Transaction not found' },
  },
  {
    method: 'get',
    path: '/api/bank-accounts',
    summary: 'The user’s bank accounts, the primary one first. Numbers are masked.',
    query: ShortListQuery,
    answer: z.array(BankAccount),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/bank-accounts',
    summary:
      'Adds a bank account. Its numbers become the provider’s token and are not kept. The first one is primary.',
    body: AddBankAccount,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: AddedBankAccount,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is missing or wrong, by field',
      422: 'Added already, too many, not accepted by the provider; or the key was used with another body',
    },
  },
  {
    method: 'put',
    path: '/api/bank-accounts/{id}/primary',
    summary: 'Makes a bank account the primary one.',
    otherwise: { 204: 'Done', ...SIGNED_IN, 404: 'Bank account not found', 409: 'It is still being added' },
  },
  {
    method: 'delete',
    path: '/api/bank-accounts/{id}',
    summary: 'Removes a bank account; another one becomes primary if it was that.',
    otherwise: { 204: 'Done', ...SIGNED_IN, 404: 'Bank account not found' },
  },
  {
    method: 'get',
    path: '/api/payouts',
    summary: `The user’s payouts, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    query: PayoutsQuery,
    answer: z.array(Payout),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/payouts',
    summary:
      'Asks for money to be sent to a bank account. It leaves the available balance at once and waits for its turn.',
    body: RequestPayout,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional(), ...PROOF },
    answer: Payout,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the amount or the choice of a bank account',
      ...ASKS,
      404: 'Bank account not found',
      422: 'More than the available balance; or the key was used with another body',
    },
  },
  {
    method: 'post',
    path: '/api/payouts/onboarding',
    summary:
      'A fresh page of the provider’s where the user verifies themselves; it leads back to /bank-accounts.',
    answer: Onboarding,
    otherwise: { ...SIGNED_IN, 422: 'There is no bank account yet', 502: 'The provider refused' },
  },
  {
    method: 'get',
    path: '/api/payments/{id}/client-secret',
    summary:
      'What the browser confirms an open payment of the user’s with: one whose bank asks for its payer.',
    answer: PaymentIntentAnswer,
    otherwise: { ...SIGNED_IN, 404: 'Payment not found', 409: 'It has been paid or canceled meanwhile' },
  },
  {
    method: 'get',
    path: '/api/subscriptions',
    summary: `The user’s subscriptions, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    query: SubscriptionsQuery,
    answer: z.array(Subscription),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/subscriptions',
    summary:
      'Subscribes: the first payment is due at once. The same Idempotency-Key and body make one subscription.',
    body: CreateSubscription,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: SubscriptionAnswer,
    otherwise: { ...SIGNED_IN, ...NOT_SCHEDULED },
  },
  {
    method: 'patch',
    path: '/api/subscriptions/{id}/status',
    summary: 'Pauses, resumes or cancels. A payment that is under way is not stopped; the notice says so.',
    body: PatchSubscription,
    answer: SubscriptionAnswer,
    otherwise: { ...SIGNED_IN, 400: 'Another status', 404: 'Subscription not found', 409: 'It is cancelled' },
  },
  {
    method: 'get',
    path: '/api/scheduled-payments',
    summary: `The user’s scheduled payments, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    query: ScheduledPaymentsQuery,
    answer: z.array(ScheduledPayment),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/scheduled-payments',
    summary: 'Schedules a payment. The same Idempotency-Key and body make one.',
    body: CreateScheduledPayment,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: ScheduledPaymentAnswer,
    otherwise: { ...SIGNED_IN, ...NOT_SCHEDULED },
  },
  {
    method: 'patch',
    path: '/api/scheduled-payments/{id}/status',
    summary: 'Cancels. A payment that is under way is not stopped; the notice says so.',
    body: PatchScheduledPayment,
    answer: ScheduledPaymentAnswer,
    otherwise: {
      ...SIGNED_IN,
      400: 'Another status',
      404: 'Scheduled payment not found',
      409: 'It was made, or has failed',
    },
  },
  {
    method: 'get',
    path: '/api/payment-methods',
    summary: 'The user’s saved cards, newest first.',
    query: ShortListQuery,
    answer: z.array(SavedCardAnswer),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/setup-intent',
    summary: 'Begins to save a card: the browser confirms it with the card provider.',
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: SetupIntentAnswer,
    otherwise: SIGNED_IN,
  },
  {
    method: 'put',
    path: '/api/payment-methods/{id}/default',
    summary: 'Chooses the card that subscriptions and scheduled payments are charged to; answers all cards.',
    answer: z.array(SavedCardAnswer),
    otherwise: { ...SIGNED_IN, 404: 'Saved card not found' },
  },
  {
    method: 'delete',
    path: '/api/payment-methods/{id}',
    summary: 'Removes a saved card.',
    otherwise: { 204: 'Done', ...SIGNED_IN, 404: 'Saved card not found' },
  },
  {
    method: 'get',
    path: '/api/treasury/wallets',
    summary: 'The user’s treasury wallets, oldest first.',
    query: ShortListQuery,
    answer: z.array(TreasuryWallet),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/treasury/wallets',
    summary: 'Opens a wallet. The same Idempotency-Key and body give the same wallet.',
    body: CreateWallet,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: TreasuryWallet,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the name or the description',
      422: 'The key was used with another body',
    },
  },
  {
    method: 'post',
    path: '/api/treasury/transfer',
    summary:
      'Adds funds: from the available balance into a wallet. The same Idempotency-Key and body move it once.',
    body: MoveFunds,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional() },
    answer: TreasuryMovement,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the amount or the description',
      404: 'Wallet not found',
      422: 'The available balance does not cover it, said with both amounts; or the key was used with another body',
    },
  },
  {
    method: 'post',
    path: '/api/treasury/withdraw',
    summary:
      'Takes money out of a wallet, back to the available balance. The same Idempotency-Key and body move it once.',
    body: MoveFunds,
    headers: { [IDEMPOTENCY_KEY_HEADER]: IdempotencyKey.optional(), ...PROOF },
    answer: TreasuryMovement,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the amount or the description',
      ...ASKS,
      404: 'Wallet not found',
      422: 'The wallet does not hold so much, said with both amounts; or the key was used with another body',
    },
  },
  {
    method: 'get',
    path: '/api/treasury/transactions',
    summary: `What moved in and out of the user’s wallets, newest first. ${NEXT_CURSOR_HEADER} tells of another page.`,
    query: TreasuryTransactionsQuery,
    answer: z.array(TreasuryTransaction),
    otherwise: { ...SIGNED_IN, 404: 'The wallet that was asked for is none of theirs' },
  },
  {
    method: 'get',
    path: '/api/settings',
    summary: 'The user’s preferences.',
    answer: SettingsAnswer,
    otherwise: SIGNED_IN,
  },
  {
    method: 'put',
    path: '/api/settings',
    summary: 'Switches one preference.',
    body: PutSettings,
    answer: SettingsAnswer,
    headers: PROOF,
    otherwise: { ...SIGNED_IN, ...ASKS, 400: 'Not exactly one known setting' },
  },
  {
    method: 'post',
    path: '/api/apple-wallet/generate-pass',
    summary:
      'A signed Apple Wallet pass that leads to a payment to a person, oneself unless another is named.',
    body: GeneratePass,
    answer: PASS_CONTENT,
    answerType: PASS_TYPE,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the amount or the description',
      404: 'Recipient user not found',
      500: 'Not made; the message says to try again',
      501: 'Passes are not set up on this server',
    },
  },
  {
    method: 'post',
    path: '/api/apple-wallet/generate-qr-pass',
    summary: 'A signed Apple Wallet pass with the user’s own code; without an amount the payer chooses it.',
    body: GenerateQrPass,
    answer: PASS_CONTENT,
    answerType: PASS_TYPE,
    otherwise: {
      ...SIGNED_IN,
      400: 'What is wrong with the amount',
      500: 'Not made; the message says to try again',
      501: 'Passes are not set up on this server',
    },
  },
  {
    method: 'get',
    path: '/api/passkeys',
    summary: 'The user’s passkeys.',
    answer: z.array(Passkey),
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/passkeys/enrolment/options',
    summary: 'What to hand to the authenticator for a new passkey: navigator.credentials.create.',
    answer: z.looseObject({ challenge: z.string() }),
    otherwise: { ...SIGNED_IN, 422: 'Ten already' },
  },
  {
    method: 'post',
    path: '/api/passkeys/enrolment/verify',
    summary: 'Adds the passkey that the authenticator made.',
    body: VerifyEnrolment,
    headers: PROOF,
    answer: Passkey,
    otherwise: { ...SIGNED_IN, ...ASKS, 400: 'It does not hold, or it took too long', 422: 'Ten already' },
  },
  {
    method: 'post',
    path: '/api/passkeys/assertion/options',
    summary: 'What to hand to the authenticator to confirm with a passkey: navigator.credentials.get.',
    answer: z.looseObject({ challenge: z.string() }),
    otherwise: { ...SIGNED_IN, 409: 'No passkey yet' },
  },
  {
    method: 'post',
    path: '/api/passkeys/assertion/verify',
    summary: 'A proof, for one call within two minutes, that the user confirmed with a passkey.',
    body: VerifyAssertion,
    answer: PasskeyProof,
    otherwise: { ...SIGNED_IN, 400: 'It does not hold, or it took too long' },
  },
  {
    method: 'delete',
    path: '/api/passkeys/{id}',
    summary: 'Gives a passkey up.',
    headers: PROOF,
    answer: z.array(Passkey),
    otherwise: { ...SIGNED_IN, ...ASKS, 404: 'There is no such passkey' },
  },
  {
    method: 'get',
    path: '/api/events',
    summary:
      'Server-sent events: which of the user’s lists have changed. Each message’s data is one object of this shape, its id the position.',
    query: EventsQuery,
    headers: { 'last-event-id': z.string().optional() },
    answer: EventOut,
    answerType: 'text/event-stream',
    otherwise: SIGNED_IN,
  },
  {
    method: 'get',
    path: '/api/config',
    summary: 'What the browser needs to reach the card provider.',
    answer: BrowserConfiguration,
    otherwise: SIGNED_IN,
  },
  {
    method: 'post',
    path: '/api/webhooks/stripe/connect',
    summary: 'The payout provider’s webhook for users’ accounts, signed with a secret of its own.',
    otherwise: {
      400: 'Not signed by the provider, or too long ago',
      503: 'Not booked yet: deliver it again',
    },
    open: true,
  },
  {
    method: 'post',
    path: '/api/webhooks/stripe',
    summary: 'The card provider’s webhook, signed.',
    otherwise: {
      400: 'Not signed by the provider, or too long ago',
      503: 'Not booked yet: deliver it again',
    },
    open: true,
  },
];

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const json = (schema: z.ZodType, io: 'input' | 'output', type = 'application/json') => ({
  [type]: { schema: schemaOf(schema, io) },
});

function parametersOf(call: Call): object[] {
  const path = [...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    in: 'path',
    name,
    required: true,
    schema: { type: 'string' },
  }));
  const query = Object.entries(call.query?.shape ?? {}).map(([name, schema]) => ({
    in: 'query',
    name,
    schema: schemaOf(schema as z.ZodType, 'input'),
  }));
  const headers = Object.entries(call.headers ?? {}).map(([name, schema]) => ({
    in: 'header',
    name,
    schema: schemaOf(schema, 'input'),
  }));
  return [...path, ...query, ...headers];
}

function operationOf(call: Call): object {
  const refused = Object.fromEntries(
    Object.entries(call.otherwise).map(([status, description]) => [
      status,
      Number(status) < 400 ? { description } : { description, content: json(ErrorAnswer, 'output') },
    ]),
  );
  return {
    summary: call.summary,
    parameters: parametersOf(call),
    ...(call.body ? { requestBody: { required: true, content: json(call.body, 'input') } } : {}),
    responses: {
      ...(call.answer
        ? { 200: { description: 'Done', content: json(call.answer, 'output', call.answerType) } }
        : {}),
      ...refused,
    },
    ...(call.open ? { security: [] } : {}),
  };
}

/** The OpenAPI 3.1 document. */
export function openApi(publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of CALLS) paths[call.path] = { ...paths[call.path], [call.method]: operationOf(call) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Encore',
      version: '1',
      description:
        `Amounts are decimal text in dollars. An answer to a change carries ${POSITION_HEADER}, its place in the log; ` +
        `${STALE_HEADER}: true says that lists may not show it yet. Every error is a status and { message }.`,
    },
    servers: [{ url: publicUrl }],
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'encore_session' } } },
    security: [{ session: [] }],
    paths,
  };
}

const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign,
  );

const schemaText = (title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string =>
  schema
    ? `<details><summary>${title}</summary><pre>${escaped(JSON.stringify(schemaOf(schema, io), null, 2))}</pre></details>`
    : '';

/** The same as a page without scripts. */
export function apiPage(): string {
  const calls = CALLS.map(
    (call) => `<section><h2><code>${call.method.toUpperCase()} ${escaped(call.path)}</code></h2>
<p>${escaped(call.summary)}${call.open ? ' Open to everyone.' : ''}</p>
${Object.keys(call.headers ?? {})
  .map((name) => `<p>Header <code>${name}</code>, optional.</p>`)
  .join('')}
${schemaText('Query', call.query, 'input')}${schemaText('Body', call.body, 'input')}${schemaText('Answer', call.answer, 'output')}
<ul>${Object.entries(call.otherwise)
      .map(([status, when]) => `<li><code>${status}</code> ${escaped(when)}</li>`)
      .join('')}</ul></section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Encore API</title><style>body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}
pre{background:#f4f4f6;padding:1rem;overflow:auto}h2{font-size:1.1rem;margin-top:2rem}
@media(prefers-color-scheme:dark){body{background:#16161a;color:#eee}pre{background:#222228}a{color:#9bf}}</style></head>
<body><h1>Encore API</h1><p>Every error is a status and <code>{ "message": … }</code>.
Signed out, every call but the open ones answers 401. Machines read <a href="/api/openapi.json">/api/openapi.json</a>.</p>
${calls.join('\n')}</body></html>`;
}
