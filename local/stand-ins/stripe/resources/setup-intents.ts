/** SetupIntents: a card is saved for later without a payment. */
import { ApiError, invalidParameter, noSuch } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { page } from '../listing.js';
import type { AttemptError, FutureUsage, SetupIntent } from '../objects.js';
import { pathValue, type Call, type Route } from '../routing.js';
import type { Transaction } from '../store.js';
import { testCardOf } from '../test-cards.js';
import {
  actionFailed,
  checkClientSecret,
  checkUsable,
  currentMethod,
  mustAuthenticate,
  nextActionOf,
  optionsFor,
  readConfirmation,
  readMethodTypes,
  unexpectedState,
  visible,
  type Confirmation,
  type StoredSetup,
} from './confirmation.js';
import { customerOf } from './customers.js';
import { attach, declineBody, methodOf, type StoredMethod } from './payment-methods.js';

const USAGES: readonly FutureUsage[] = ['off_session', 'on_session'];

/** The SetupIntent of an id. Throws a 404. */
export function setupOf(transaction: Transaction, id: string): StoredSetup {
  const record = transaction.get('setup_intents', id);
  if (!record) throw noSuch('setupintent', id, 'intent');
  return record;
}

function create(call: Call): object {
  const { transaction, parameters } = call;
  const id = newId('seti');
  const customer = parameters.text('customer') ?? null;
  const confirms = parameters.boolean('confirm') ?? false;
  const types = readMethodTypes(parameters);
  const usage = parameters.oneOf('usage', USAGES) ?? 'off_session';
  const description = parameters.text('description', 1000) ?? null;
  const metadata = parameters.metadata();
  const confirmation = readConfirmation(call);
  parameters.refuseUnknown();
  if (customer !== null) customerOf(transaction, customer, 'customer');
  if (!confirms && confirmation.returnUrl !== null)
    throw invalidParameter('return_url', 'The parameter `return_url` needs `confirm` to be true.');
  if (confirms && !confirmation.method)
    throw invalidParameter(
      'payment_method',
      'A payment method is needed to confirm.',
      'setup_intent_unexpected_state',
    );
  const record = transaction.insert(
    'setup_intents',
    {
      id,
      object: 'setup_intent',
      application: null,
      cancellation_reason: null,
      client_secret: `${id}_secret_${randomText(25)}`,
      created: transaction.now,
      customer,
      customer_account: null,
      description,
      flow_directions: null,
      last_setup_error: null,
      latest_attempt: null,
      livemode: false,
      mandate: null,
      metadata,
      next_action: null,
      on_behalf_of: null,
      payment_method: confirmation.method?.api.id ?? null,
      payment_method_configuration_details: null,
      payment_method_options: optionsFor(types.payment_method_types, 'setup_intent'),
      single_use_mandate: null,
      status: confirmation.method ? 'requires_confirmation' : 'requires_payment_method',
      usage,
      ...types,
    },
    { returnUrl: null, offSession: false },
  );
  transaction.emit('setup_intent.created', record.api);
  if (confirmation.method)
    checkUsable(record.api, confirmation.method, confirms ? confirmation.returnUrl : 'later', call);
  if (confirms && confirmation.method) attempt(call, record, confirmation.method, confirmation);
  return record.api;
}

function confirm(call: Call): object {
  const { transaction, parameters } = call;
  const record = setupOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  checkClientSecret(call, api);
  const confirmation = readConfirmation(call);
  parameters.refuseUnknown();
  if (api.status === 'succeeded' || api.status === 'canceled')
    throw unexpectedState(api, 'status does not allow confirmation: it could not be confirmed', call.key);
  const method =
    confirmation.method ??
    (api.payment_method === null ? undefined : methodOf(transaction, api.payment_method));
  if (!method) throw unexpectedState(api, 'payment method is missing: it could not be confirmed', call.key);
  checkUsable(api, method, confirmation.returnUrl, call);
  attempt(call, record, method, confirmation);
  return visible(api, call.key);
}

/** One attempt. A decline is recorded and then thrown, as the API answers it. */
function attempt(call: Call, record: StoredSetup, method: StoredMethod, confirmation: Confirmation): void {
  const { transaction } = call;
  const { api, secret } = record;
  Object.assign(api, { payment_method: method.api.id, next_action: null, last_setup_error: null });
  secret.returnUrl = confirmation.returnUrl;
  transaction.changed('setup_intents', record);
  if (mustAuthenticate(method, false)) {
    api.status = 'requires_action';
    api.next_action = nextActionOf(call, api, method, confirmation);
    transaction.emit('setup_intent.requires_action', api);
    return;
  }
  conclude(transaction, record, method);
  const error = api.last_setup_error;
  if (error)
    throw new ApiError(402, { ...error, setup_intent: structuredClone(visible(api, call.key)) }, 'changes');
}

function conclude(transaction: Transaction, record: StoredSetup, method: StoredMethod): void {
  const { api } = record;
  const verdict = method.api.type === 'card' ? testCardOf(method.secret.card).attach : 'approved';
  if (verdict !== 'approved') {
    fail(transaction, record, {
      ...declineBody(verdict),
      payment_method: method.api,
      payment_method_type: method.api.type,
    });
    return;
  }
  if (api.customer !== null) attach(transaction, method, api.customer);
  method.secret.setUpForAbsence ||= api.usage === 'off_session';
  transaction.changed('payment_methods', method);
  Object.assign(api, { status: 'succeeded', next_action: null });
  transaction.changed('setup_intents', record);
  transaction.emit('setup_intent.succeeded', api);
}

function fail(transaction: Transaction, record: StoredSetup, error: AttemptError): void {
  const { api } = record;
  Object.assign(api, { status: 'requires_payment_method', payment_method: null, next_action: null });
  api.last_setup_error = error;
  transaction.changed('setup_intents', record);
  transaction.emit('setup_intent.setup_failed', api);
}

/** The payer did, or refused, what `next_action` asked. Throws when nothing is pending. */
export function finishSetupAction(
  transaction: Transaction,
  record: StoredSetup,
  outcome: 'succeed' | 'fail',
): void {
  const { api } = record;
  if (api.status !== 'requires_action') throw unexpectedState(api, 'action could not be finished', 'secret');
  const method = currentMethod(transaction, api);
  if (outcome === 'fail') fail(transaction, record, actionFailed(api, method));
  else conclude(transaction, record, method);
}

function cancel(call: Call): object {
  const { transaction, parameters } = call;
  const record = setupOf(transaction, pathValue(call, 'id'));
  const { api } = record;
  const reason =
    parameters.oneOf('cancellation_reason', ['abandoned', 'duplicate', 'requested_by_customer'] as const) ??
    null;
  parameters.refuseUnknown();
  if (api.status === 'succeeded' || api.status === 'canceled')
    throw unexpectedState(api, 'cancellation is not possible: you cannot cancel it', call.key);
  Object.assign(api, { status: 'canceled', cancellation_reason: reason, next_action: null });
  transaction.changed('setup_intents', record);
  transaction.emit('setup_intent.canceled', api);
  return api;
}

export const setupIntentRoutes: readonly Route[] = [
  { method: 'POST', path: '/v1/setup_intents', access: 'secret', run: create },
  {
    method: 'GET',
    path: '/v1/setup_intents',
    access: 'secret',
    run: (call) => {
      const { parameters } = call;
      const where = {
        customer: parameters.text('customer'),
        payment_method: parameters.text('payment_method'),
      };
      return page(call, 'setup_intents', '/v1/setup_intents', { where });
    },
  },
  {
    method: 'GET',
    path: '/v1/setup_intents/:id',
    access: 'publishable',
    run: (call): object => {
      const { api }: { api: SetupIntent } = setupOf(call.transaction, pathValue(call, 'id'));
      checkClientSecret(call, api);
      call.parameters.refuseUnknown();
      return visible(api, call.key);
    },
  },
  {
    method: 'POST',
    path: '/v1/setup_intents/:id',
    access: 'secret',
    run: (call) => {
      const { transaction, parameters } = call;
      const record = setupOf(transaction, pathValue(call, 'id'));
      const { api } = record;
      const customer = parameters.text('customer');
      if (customer !== undefined) api.customer = customerOf(transaction, customer, 'customer').api.id;
      if (parameters.has('description')) api.description = parameters.text('description', 1000) ?? null;
      api.metadata = parameters.metadata(api.metadata);
      parameters.refuseUnknown();
      transaction.changed('setup_intents', record);
      return api;
    },
  },
  { method: 'POST', path: '/v1/setup_intents/:id/confirm', access: 'publishable', run: confirm },
  { method: 'POST', path: '/v1/setup_intents/:id/cancel', access: 'secret', run: cancel },
];
