/**
 * PaymentIntents: one payment from its opening to success or cancellation, over as many attempts as it takes.
 */
import { ApiError, invalidParameter, noSuch } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { page } from '../listing.js';
import type { AttemptError, CancellationReason, FutureUsage, PaymentIntent } from '../objects.js';
import type { Parameters } from '../parameters.js';
import { pathValue, type Call, type Route } from '../routing.js';
import { matcherOf } from '../search.js';
import type { Transaction } from '../store.js';
import { AUTHENTICATION_REQUIRED, testCardOf, type Decline } from '../test-cards.js';
import { makeCharge } from './charges.js';
import {
  actionFailed,
  checkClientSecret,
  checkUsable,
  currentMethod,
  METHOD_OPTIONS,
  mustAuthenticate,
  readThreeDSecure,
  nextActionOf,
  optionsFor,
  readConfirmation,
  readMethodTypes,
  unexpectedState,
  visible,
  type Confirmation,
  type StoredIntent,
} from './confirmation.js';
import { customerOf } from './customers.js';
import { attach, declineBody, methodOf, takeDecline, type StoredMethod } from './payment-methods.js';

/** How long the test cards made for disputes take to dispute. */
const DISPUTED_AFTER_MS = 1000;
const SMALLEST = 50;
const LARGEST = 99_999_999;
const USAGES: readonly FutureUsage[] = ['off_session', 'on_session'];
const CANCELLATIONS: readonly CancellationReason[] = [
  'abandoned',
  'duplicate',
  'fraudulent',
  'requested_by_customer',
];

function checkAmount(amount: number): number {
  if (amount < 1)
    throw invalidParameter(
      'amount',
      'This value must be greater than or equal to 1.',
      'parameter_invalid_integer',
    );
  if (amount < SMALLEST)
    throw invalidParameter('amount', 'Amount must be at least $0.50 usd', 'amount_too_small');
  if (amount > LARGEST)
    throw invalidParameter('amount', 'Amount must be no more than $999,999.99', 'amount_too_large');
  return amount;
}

/** Refused for cards, which have a prefix of the account's and a suffix of the payment's. */
function readDescriptor(parameters: Parameters, types: readonly string[]): string | null {
  const descriptor = parameters.text('statement_descriptor', 22) ?? null;
  if (descriptor !== null && types.includes('card'))
    throw invalidParameter(
      'statement_descriptor',
      'The statement_descriptor parameter is not supported for PaymentIntents with card payments. Use statement_descriptor_suffix.',
    );
  return descriptor;
}

/** The intent of an id. Throws a 404. */
export function intentOf(transaction: Transaction, id: string): StoredIntent {
  const record = transaction.get('payment_intents', id);
  if (!record) throw noSuch('payment_intent', id, 'intent');
  return record;
}

type NewIntent = Pick<PaymentIntent, 'amount' | 'currency'> & Partial<PaymentIntent>;

/** Opens an intent and tells about it; what is not given is as the API has it by default. */
export function openIntent(transaction: Transaction, given: NewIntent): StoredIntent {
  const id = newId('pi');
  const types = given.payment_method_types ?? ['card'];
  const record = transaction.insert(
    'payment_intents',
    {
      id,
      object: 'payment_intent',
      allowed_payment_method_types: null,
      amount_capturable: 0,
      amount_details: { tip: {} },
      amount_received: 0,
      application: null,
      application_fee_amount: null,
      automatic_payment_methods: null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: 'automatic_async',
      client_secret: `${id}_secret_${randomText(25)}`,
      confirmation_method: 'automatic',
      created: transaction.now,
      customer: null,
      customer_account: null,
      description: null,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: {},
      next_action: null,
      on_behalf_of: null,
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: optionsFor(types, 'payment_intent'),
      payment_method_types: types,
      payment_record: null,
      processing: null,
      receipt_email: null,
      review: null,
      setup_future_usage: null,
      shipping: null,
      source: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: given.payment_method ? 'requires_confirmation' : 'requires_payment_method',
      transfer_data: null,
      transfer_group: null,
      ...given,
    },
    { returnUrl: null, offSession: false },
  );
  transaction.emit('payment_intent.created', record.api);
  return record;
}

/** What of the ways to pay the account has active. Throws where that is none, as the API does. */
function withoutInactive(
  types: ReturnType<typeof readMethodTypes>,
  { switches }: Transaction,
): ReturnType<typeof readMethodTypes> {
  const active = types.payment_method_types.filter((type) => !switches.inactive.includes(type));
  if (active.length === 0)
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message:
        'No valid payment method types for this Payment Intent. Please ensure that you have activated payment methods compatible ' +
        'with your chosen currency in your dashboard (https://dashboard.stripe.com/settings/payment_methods), and that the amount ' +
        'is not lower (or greater) than the currency specific minimum (or maximum).',
    });
  return { ...types, payment_method_types: active };
}

function create(call: Call): object {
  const { transaction, parameters } = call;
  const amount = parameters.integer('amount');
  if (amount === undefined) throw parameters.missing('amount');
  const customer = parameters.text('customer') ?? null;
  const confirms = parameters.boolean('confirm') ?? false;
  const types = withoutInactive(readMethodTypes(parameters), transaction);
  const currency = parameters.currency('currency');
  if (currency === undefined) throw parameters.missing('currency');
  const given: NewIntent = {
    amount: checkAmount(amount),
    currency,
    customer,
    ...types,
    capture_method:
      parameters.oneOf('capture_method', ['automatic', 'automatic_async'] as const) ?? 'automatic_async',
    confirmation_method: parameters.oneOf('confirmation_method', ['automatic'] as const) ?? 'automatic',
    description: parameters.text('description', 1000) ?? null,
    metadata: parameters.metadata(),
    receipt_email: parameters.email('receipt_email') ?? null,
    setup_future_usage: parameters.oneOf('setup_future_usage', USAGES) ?? null,
    statement_descriptor: readDescriptor(parameters, types.payment_method_types),
    statement_descriptor_suffix: parameters.text('statement_descriptor_suffix', 22) ?? null,
    transfer_group: parameters.text('transfer_group') ?? null,
  };
  const threeDSecure = readThreeDSecure(parameters);
  const confirmation = readConfirmation(call);
  parameters.refuseUnknown();
  if (customer !== null) customerOf(transaction, customer, 'customer');
  if (!confirms && (confirmation.offSession || confirmation.returnUrl !== null)) {
    const param = confirmation.offSession ? 'off_session' : 'return_url';
    throw invalidParameter(
      param,
      `The parameter \`${param}\` cannot be passed when creating a PaymentIntent unless \`confirm\` is set to true.`,
    );
  }
  if (confirms && !confirmation.method)
    throw invalidParameter(
      'payment_method',
      'You cannot confirm this PaymentIntent because it’s missing a payment method. Update it with one, or provide one now.',
      'payment_intent_unexpected_state',
    );
  const record = openIntent(transaction, { ...given, payment_method: confirmation.method?.api.id ?? null });
  if (threeDSecure !== undefined && record.api.payment_method_options.card)
    record.api.payment_method_options.card.request_three_d_secure = threeDSecure;
  if (confirmation.method)
    checkUsable(
      record.api,
      confirmation.method,
      confirms ? confirmation.returnUrl : 'later',
      call,
      confirmation.offSession,
    );
  if (confirms && confirmation.method) attempt(call, record, confirmation.method, confirmation);
  return record.api;
}

function confirm(call: Call): object {
  const { transaction, parameters } = call;
  const record = intentOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  checkClientSecret(call, api);
  const usage = parameters.oneOf('setup_future_usage', USAGES);
  const email = parameters.email('receipt_email');
  const offered = offeredMethods(parameters);
  const confirmation = readConfirmation(call);
  parameters.refuseUnknown();
  if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(api.status))
    throw unexpectedState(api, 'status does not allow confirmation: it could not be confirmed', call.key);
  const method =
    confirmation.method ??
    (api.payment_method === null ? undefined : methodOf(transaction, api.payment_method));
  if (!method)
    throw new ApiError(
      400,
      {
        type: 'invalid_request_error',
        code: 'payment_intent_unexpected_state',
        message:
          'You cannot confirm this PaymentIntent because it’s missing a payment method. Update it with one, or provide one now.',
        payment_intent: visible(api, call.key),
      },
      'key',
    );
  if (offered) Object.assign(api, offered);
  checkUsable(api, method, confirmation.returnUrl, call, confirmation.offSession);
  if (usage) api.setup_future_usage = usage;
  if (email) api.receipt_email = email;
  attempt(call, record, method, confirmation);
  return visible(api, call.key);
}

/** One attempt. A decline is recorded and then thrown, as the API answers it. */
function attempt(call: Call, record: StoredIntent, method: StoredMethod, confirmation: Confirmation): void {
  const { transaction } = call;
  const { api, secret } = record;
  Object.assign(api, { payment_method: method.api.id, next_action: null, last_payment_error: null });
  Object.assign(secret, { returnUrl: confirmation.returnUrl, offSession: confirmation.offSession });
  transaction.changed('payment_intents', record);
  const [waiting] = method.secret.nextDeclines ?? [];
  const isUnsent = waiting === 'authentication_required_unsent';
  const challenged = isUnsent || waiting === 'authentication_required';
  if (challenged) takeDecline(transaction, method);
  if (challenged || mustAuthenticate(method, confirmation.offSession, api.payment_method_options)) {
    if (confirmation.offSession && !isUnsent) {
      decline(transaction, record, method, AUTHENTICATION_REQUIRED);
      throw attemptRefused(api, call.key);
    }
    if (confirmation.offSession || confirmation.errorOnAction) {
      fail(transaction, record, {
        ...declineBody(AUTHENTICATION_REQUIRED),
        payment_method: method.api,
        payment_method_type: 'card',
      });
      throw attemptRefused(api, call.key);
    }
    api.status = 'requires_action';
    api.next_action = nextActionOf(call, api, method, confirmation);
    transaction.emit('payment_intent.requires_action', api);
    return;
  }
  settle(transaction, record, method, false);
  if (api.last_payment_error) throw attemptRefused(api, call.key);
}

function attemptRefused(api: PaymentIntent, key: Call['key']): ApiError {
  const error = api.last_payment_error;
  if (!error) throw new Error(`${api.id} was refused without a reason.`);
  // A copy: the error inside the intent must not come to hold the intent.
  return new ApiError(402, { ...error, payment_intent: structuredClone(visible(api, key)) }, 'changes');
}

/** The issuer decides: at once, or later when the switches say that payments take their time. */
function settle(
  transaction: Transaction,
  record: StoredIntent,
  method: StoredMethod,
  authenticated: boolean,
): void {
  const { api } = record;
  const wait = transaction.switches.processingMs;
  api.next_action = null;
  if (wait > 0) {
    api.status = 'processing';
    api.processing = { type: 'card', card: {} };
    transaction.changed('payment_intents', record);
    transaction.emit('payment_intent.processing', api);
    transaction.schedule(wait, { kind: 'settle_intent', intent: api.id });
    return;
  }
  conclude(transaction, record, method, authenticated);
}

function conclude(
  transaction: Transaction,
  record: StoredIntent,
  method: StoredMethod,
  authenticated: boolean,
): void {
  const byCard = method.api.type === 'card' ? testCardOf(method.secret.card).charge : 'approved';
  const verdict = takeDecline(transaction, method) ?? byCard;
  if (verdict === 'approved') succeed(transaction, record, method, { authenticated });
  else decline(transaction, record, method, verdict);
}

/** Ends `processing`. Quietly nothing when the intent is no longer there. */
export function settleProcessing(transaction: Transaction, id: string): void {
  const record = transaction.get('payment_intents', id);
  if (record?.api.status === 'processing')
    conclude(transaction, record, currentMethod(transaction, record.api), false);
}

/**
 * The payment went through. `amount` and `currency` differ from the intent's only where a suite wants a wrong
 * one.
 */
export function succeed(
  transaction: Transaction,
  record: StoredIntent,
  method: StoredMethod,
  how: { authenticated: boolean; amount?: number; currency?: string },
): void {
  const { api } = record;
  const amount = how.amount ?? api.amount;
  const currency = how.currency ?? api.currency;
  Object.assign(api, {
    amount,
    currency,
    amount_received: amount,
    status: 'succeeded',
    last_payment_error: null,
  });
  Object.assign(api, { next_action: null, processing: null, payment_method: method.api.id });
  const charge = makeCharge(transaction, {
    intent: api,
    method,
    amount,
    currency,
    decline: undefined,
    authenticated: how.authenticated,
    chargedAt: record.secret.chargedAt,
  });
  api.latest_charge = charge.api.id;
  if (api.setup_future_usage !== null && api.customer !== null) {
    attach(transaction, method, api.customer);
    method.secret.setUpForAbsence ||= api.setup_future_usage === 'off_session';
  }
  method.secret.spent = method.api.customer === null;
  transaction.changed('payment_methods', method);
  transaction.changed('payment_intents', record);
  transaction.emit('payment_intent.succeeded', api);
  const dispute = testCardOf(method.secret.card).disputes;
  if (dispute)
    transaction.schedule(DISPUTED_AFTER_MS, {
      kind: 'dispute_opens',
      charge: charge.api.id,
      reason: dispute,
    });
}

function decline(
  transaction: Transaction,
  record: StoredIntent,
  method: StoredMethod,
  reason: Decline,
): void {
  const { api } = record;
  const { amount, currency } = api;
  const { chargedAt } = record.secret;
  const charge = makeCharge(transaction, {
    intent: api,
    method,
    amount,
    currency,
    decline: reason,
    authenticated: false,
    chargedAt,
  });
  api.latest_charge = charge.api.id;
  fail(transaction, record, {
    ...declineBody(reason),
    charge: charge.api.id,
    network_decline_code: '05',
    payment_method: method.api,
    payment_method_type: method.api.type,
  });
}

/** The attempt failed; the intent waits for another payment method. */
function fail(transaction: Transaction, record: StoredIntent, error: AttemptError): void {
  const { api } = record;
  Object.assign(api, {
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    processing: null,
  });
  api.last_payment_error = error;
  transaction.changed('payment_intents', record);
  transaction.emit('payment_intent.payment_failed', api);
}

/** The payer did, or refused, what `next_action` asked. Throws when nothing is pending. */
export function finishAction(
  transaction: Transaction,
  record: StoredIntent,
  outcome: 'succeed' | 'fail',
): void {
  const { api } = record;
  if (api.status !== 'requires_action') throw unexpectedState(api, 'action could not be finished', 'secret');
  const method = currentMethod(transaction, api);
  if (outcome === 'fail') fail(transaction, record, actionFailed(api, method));
  else settle(transaction, record, method, true);
}

/** What a call says about the ways to pay, when it says anything. */
function offeredMethods(parameters: Parameters): ReturnType<typeof readMethodTypes> | undefined {
  const names = ['payment_method_types', 'allowed_payment_method_types', 'excluded_payment_method_types'];
  return names.some((name) => parameters.has(name)) ? readMethodTypes(parameters) : undefined;
}

function update(call: Call): object {
  const { transaction, parameters } = call;
  const record = intentOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  const amount = parameters.integer('amount');
  const currency = parameters.currency('currency');
  const customer = parameters.text('customer');
  const methodId = parameters.text('payment_method');
  const offered = offeredMethods(parameters);
  const usage = parameters.has('setup_future_usage')
    ? (parameters.oneOf('setup_future_usage', USAGES) ?? null)
    : undefined;
  const group = parameters.text('transfer_group');
  const description = parameters.has('description')
    ? (parameters.text('description', 1000) ?? null)
    : api.description;
  const email = parameters.has('receipt_email')
    ? (parameters.email('receipt_email') ?? null)
    : api.receipt_email;
  const metadata = parameters.metadata(api.metadata);
  const threeDSecure = readThreeDSecure(parameters);
  parameters.only('payment_method_options', METHOD_OPTIONS);
  parameters.refuseUnknown();
  const changesTerms = [amount, currency, customer, methodId, offered, usage, group, threeDSecure].some(
    (value) => value !== undefined,
  );
  const open = ['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(api.status);
  if (changesTerms && !open) throw unexpectedState(api, 'terms could not be updated', call.key);
  if (amount !== undefined) api.amount = checkAmount(amount);
  if (currency !== undefined) api.currency = currency;
  if (customer !== undefined) {
    if (api.customer !== null && api.customer !== customer)
      throw invalidParameter(
        'customer',
        'You cannot change the customer of a PaymentIntent once it has one. Create a new PaymentIntent.',
      );
    api.customer = customerOf(transaction, customer, 'customer').api.id;
  }
  if (offered)
    Object.assign(api, offered, {
      payment_method_options: optionsFor(offered.payment_method_types, 'payment_intent'),
    });
  if (threeDSecure !== undefined && api.payment_method_options.card)
    api.payment_method_options.card.request_three_d_secure = threeDSecure;
  if (usage !== undefined) api.setup_future_usage = usage;
  if (group !== undefined) api.transfer_group = group;
  if (methodId !== undefined) {
    const method = methodOf(transaction, methodId);
    checkUsable(api, method, 'later', call);
    Object.assign(api, { payment_method: method.api.id, status: 'requires_confirmation', next_action: null });
  }
  Object.assign(api, { description, metadata, receipt_email: email });
  transaction.changed('payment_intents', record);
  return api;
}

function cancel(call: Call): object {
  const { transaction, parameters } = call;
  const record = intentOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  const reason = parameters.oneOf('cancellation_reason', CANCELLATIONS) ?? null;
  parameters.refuseUnknown();
  if (['succeeded', 'canceled', 'processing'].includes(api.status))
    throw unexpectedState(api, 'cancellation is not possible: you cannot cancel it', call.key);
  Object.assign(api, {
    status: 'canceled',
    canceled_at: transaction.now,
    cancellation_reason: reason,
    next_action: null,
  });
  transaction.changed('payment_intents', record);
  transaction.emit('payment_intent.canceled', api);
  return api;
}

function search(call: Call): object {
  const { parameters, transaction } = call;
  const matches = matcherOf(parameters.requiredText('query'));
  const limit = parameters.integer('limit') ?? 10;
  const startingAfter = parameters.text('page');
  parameters.refuseUnknown();
  const { data, hasMore } = transaction.list('payment_intents', { limit, startingAfter, matches });
  return {
    object: 'search_result',
    url: '/v1/payment_intents/search',
    has_more: hasMore,
    data,
    next_page: hasMore ? (data.at(-1)?.id ?? null) : null,
  };
}

export const paymentIntentRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/payment_intents', access: 'secret', run: create },
  {
    method: 'GET',
    path: '/v1/payment_intents',
    access: 'secret',
    run: (call) =>
      page(call, 'payment_intents', '/v1/payment_intents', {
        where: { customer: call.parameters.text('customer') },
      }),
  },
  { method: 'GET', path: '/v1/payment_intents/search', access: 'secret', run: search },
  {
    method: 'GET',
    path: '/v1/payment_intents/:id',
    access: 'publishable',
    run: (call) => {
      const { api } = intentOf(call.transaction, pathValue(call, 'id'));
      checkClientSecret(call, api);
      call.parameters.refuseUnknown();
      return visible(api, call.key);
    },
  },
  { method: 'POST', path: '/v1/payment_intents/:id', access: 'secret', run: update },
  { method: 'POST', path: '/v1/payment_intents/:id/confirm', access: 'publishable', run: confirm },
  { method: 'POST', path: '/v1/payment_intents/:id/cancel', access: 'secret', run: cancel },
];
