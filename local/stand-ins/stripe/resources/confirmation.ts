/** What confirming a PaymentIntent and confirming a SetupIntent have in common. */
import type { StoredObject } from '../collections.js';
import { ApiError, invalidParameter, wrongState } from '../errors.js';
import { newId } from '../identifiers.js';
import type {
  AttemptError,
  NextAction,
  PaymentIntent,
  PaymentMethodOptions,
  PaymentMethodType,
  SetupIntent,
} from '../objects.js';
import { PAYMENT_METHOD_TYPES } from '../objects.js';
import type { Names, Parameters } from '../parameters.js';
import type { Call } from '../routing.js';
import type { Transaction } from '../store.js';
import { testCardOf } from '../test-cards.js';
import { cannotReuse, methodFrom, methodOf, type StoredMethod } from './payment-methods.js';

/** How long a Cash App code may be scanned, in seconds. */
const CODE_SECONDS = 600;

/** What may be said about a way to pay; none of it changes anything here. */
export const METHOD_OPTIONS: Names = {
  card: {
    capture_method: true,
    cvc_token: true,
    installments: true,
    mandate_options: true,
    moto: true,
    network: true,
    request_extended_authorization: true,
    request_incremental_authorization: true,
    request_multicapture: true,
    request_overcapture: true,
    request_three_d_secure: true,
    require_cvc_recollection: true,
    setup_future_usage: true,
    statement_descriptor_suffix_kana: true,
    statement_descriptor_suffix_kanji: true,
    three_d_secure: true,
  },
  cashapp: { capture_method: true, setup_future_usage: true },
  link: { capture_method: true, persistent_token: true, setup_future_usage: true },
};

export interface Confirmation {
  method: StoredMethod | undefined;
  returnUrl: string | null;
  offSession: boolean;
  /** The browser's script shows what is to be done; without it the payer is sent to a page. */
  usesScript: boolean;
  errorOnAction: boolean;
}

type Intent = PaymentIntent | SetupIntent;

/** Reads what only a confirmation may carry. The caller has still to refuse unknown parameters. */
export function readConfirmation({ transaction, parameters, key }: Call): Confirmation {
  const data = parameters.hash('payment_method_data');
  const id = parameters.text('payment_method');
  const returnUrl = parameters.text('return_url') ?? null;
  const offSession = parameters.oneOf('off_session', ['true', 'false', 'one_off', 'recurring'] as const);
  const usesScript = parameters.boolean('use_stripe_sdk') ?? false;
  const errorOnAction = parameters.boolean('error_on_requires_action') ?? false;
  parameters.ignore('mandate_data', 'expected_payment_method_type', 'confirmation_token', 'client_secret');
  parameters.only('payment_method_options', METHOD_OPTIONS);
  if (returnUrl !== null && !/^https?:\/\//.test(returnUrl) && !/^[a-z][a-z0-9+.-]*:\/\//.test(returnUrl))
    throw invalidParameter('return_url', 'Not a valid URL', 'url_invalid');
  if (key === 'publishable' && offSession !== undefined)
    throw invalidParameter(
      'off_session',
      'off_session can only be given with a secret key',
      'secret_key_required',
    );
  const method = data
    ? methodFrom(transaction, data)
    : id === undefined
      ? undefined
      : methodOf(transaction, id);
  return {
    method,
    returnUrl,
    offSession: offSession !== undefined && offSession !== 'false',
    usesScript,
    errorOnAction,
  };
}

type OfferedMethods = Pick<
  PaymentIntent,
  | 'allowed_payment_method_types'
  | 'excluded_payment_method_types'
  | 'automatic_payment_methods'
  | 'payment_method_types'
>;

function known(types: readonly string[]): PaymentMethodType[] {
  return PAYMENT_METHOD_TYPES.filter((type) => types.includes(type));
}

/**
 * Which ways to pay an intent offers: those allowed, those not excluded, or all of them. The API version has
 * no `payment_method_types` to write any more; the answer's tells what came of the others.
 */
export function readMethodTypes(parameters: Parameters): OfferedMethods {
  if (parameters.has('payment_method_types'))
    throw invalidParameter(
      'payment_method_types',
      '`payment_method_types` is no longer supported. Use `allowed_payment_method_types`, or leave it to the Dashboard.',
      'parameter_unknown',
    );
  const allowed = parameters.texts('allowed_payment_method_types');
  const excluded = parameters.texts('excluded_payment_method_types');
  const automatic = parameters.hash('automatic_payment_methods');
  if (allowed && (excluded || automatic))
    throw invalidParameter(
      'allowed_payment_method_types',
      'Only one of allowed_payment_method_types, excluded_payment_method_types and automatic_payment_methods may be given.',
      'parameters_exclusive',
    );
  const enabled = automatic?.boolean('enabled') ?? true;
  const allowRedirects = automatic?.oneOf('allow_redirects', ['always', 'never'] as const) ?? 'always';
  automatic?.refuseUnknown();
  if (!enabled)
    throw invalidParameter(
      'automatic_payment_methods[enabled]',
      'Automatic payment methods cannot be turned off here.',
    );
  const offered = PAYMENT_METHOD_TYPES.filter(
    (type) =>
      (allowed?.includes(type) ?? true) &&
      !excluded?.includes(type) &&
      (type === 'card' || allowRedirects === 'always'),
  );
  if (offered.length === 0)
    throw invalidParameter(
      'allowed_payment_method_types',
      `None of these payment methods is there: known are ${PAYMENT_METHOD_TYPES.join(', ')}.`,
    );
  return {
    allowed_payment_method_types: allowed ? known(allowed) : null,
    excluded_payment_method_types: excluded ? known(excluded) : null,
    automatic_payment_methods: allowed ? null : { allow_redirects: allowRedirects, enabled: true },
    payment_method_types: offered,
  };
}

/** The options that an intent's answer lists, by the kind of intent. */
export function optionsFor(
  types: readonly PaymentMethodType[],
  kind: Intent['object'],
): PaymentMethodOptions {
  const card = { mandate_options: null, network: null, request_three_d_secure: 'automatic' as const };
  return {
    ...(types.includes('card')
      ? { card: kind === 'payment_intent' ? { installments: null, ...card } : card }
      : {}),
    ...(types.includes('cashapp') && kind === 'payment_intent' ? { cashapp: {} } : {}),
  };
}

/** What a call asks of the payer's bank, when it says anything. */
export function readThreeDSecure(
  parameters: Parameters,
): NonNullable<PaymentMethodOptions['card']>['request_three_d_secure'] | undefined {
  return parameters
    .hash('payment_method_options')
    ?.hash('card')
    ?.oneOf('request_three_d_secure', ['any', 'automatic', 'challenge'] as const);
}

/** Checks that an intent may be confirmed with a payment method. Throws the provider's refusals. */
export function checkUsable(
  intent: Intent,
  method: StoredMethod,
  returnUrl: string | null,
  call: Call,
  offSession = false,
): void {
  const { api, secret } = method;
  if (!intent.payment_method_types.includes(api.type))
    throw wrongState(
      'payment_intent_incompatible_payment_method',
      `The PaymentMethod provided (${api.type}) is not allowed for this ${nameOf(intent)}. Please provide a PaymentMethod of one ` +
        `of these types: ${intent.payment_method_types.join(', ')}.`,
    );
  if (api.customer !== null && api.customer !== intent.customer)
    throw wrongState(
      undefined,
      `The provided PaymentMethod belongs to a customer other than the ${nameOf(intent)}'s; give that customer in the customer parameter.`,
      { param: 'payment_method' },
    );
  if (secret.spent) throw cannotReuse();
  const mayRedirect =
    call.key === 'secret' &&
    (call.transaction.switches.needsReturnUrl ||
      (intent.automatic_payment_methods?.allow_redirects === 'always' && !offSession));
  if (
    returnUrl === null &&
    (api.type === 'cashapp' || mayRedirect) &&
    !(api.type === 'cashapp' && secret.setUpForAbsence)
  )
    throw invalidParameter(
      'return_url',
      mayRedirect
        ? 'This intent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods ' +
            'might redirect your customer off of your page, you must provide a `return_url`. If you do not want to accept them, ' +
            'set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never`.'
        : 'You must provide a `return_url` when confirming using a Cash App payment method.',
      'parameter_missing',
    );
}

export function nameOf(intent: Intent): string {
  return intent.object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent';
}

/** Whether the payer must prove who they are before this method may be used. */
export function mustAuthenticate(
  method: StoredMethod,
  offSession: boolean,
  options: PaymentMethodOptions = {},
): boolean {
  if (method.api.type === 'cashapp') return !(offSession && method.secret.setUpForAbsence);
  const { authenticates } = testCardOf(method.secret.card);
  const isAsked = ['any', 'challenge'].includes(options.card?.request_three_d_secure ?? 'automatic');
  return (
    authenticates === 'always' ||
    (authenticates === 'if_asked' && isAsked && !offSession) ||
    (authenticates === 'unless_set_up' && !(offSession && method.secret.setUpForAbsence))
  );
}

/** Where the payer goes next: the bank's challenge, or Cash App. */
export function nextActionOf(
  call: Pick<Call, 'publicUrl' | 'transaction'>,
  intent: Intent,
  method: StoredMethod,
  confirmation: Confirmation,
): NextAction {
  const url = `${call.publicUrl}/hosted/${intent.id}?client_secret=${intent.client_secret}`;
  if (method.api.type === 'cashapp')
    return {
      type: 'cashapp_handle_redirect_or_display_qr_code',
      cashapp_handle_redirect_or_display_qr_code: {
        hosted_instructions_url: url,
        mobile_auth_url: url,
        qr_code: {
          expires_at: call.transaction.now + CODE_SECONDS,
          image_url_png: `${call.publicUrl}/hosted/code.svg`,
          image_url_svg: `${call.publicUrl}/hosted/code.svg`,
        },
      },
    };
  if (confirmation.usesScript || confirmation.returnUrl === null)
    return {
      type: 'use_stripe_sdk',
      use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url, source: newId('src') },
    };
  return { type: 'redirect_to_url', redirect_to_url: { return_url: confirmation.returnUrl, url } };
}

/** What an attempt failed with when the payer did not prove who they are, or said no in Cash App. */
export function actionFailed(intent: Intent, method: StoredMethod): AttemptError {
  const cash = method.api.type === 'cashapp';
  return {
    type: 'invalid_request_error',
    code: cash
      ? 'payment_method_customer_decline'
      : intent.object === 'payment_intent'
        ? 'payment_intent_authentication_failure'
        : 'setup_intent_authentication_failure',
    message: cash
      ? 'The customer declined the request in Cash App.'
      : `The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt ` +
        `to fulfill this ${nameOf(intent)} again.`,
    payment_method: method.api,
    payment_method_type: method.api.type,
  };
}

/** The method of an intent under way; it exists because the intent names it. */
export function currentMethod(transaction: Transaction, intent: Intent): StoredMethod {
  if (intent.payment_method === null) throw new Error(`${intent.id} has no payment method under way.`);
  return methodOf(transaction, intent.payment_method);
}

/**
 * Refuses a browser that does not hold the intent's client secret. A secret key needs none, but a wrong one
 * is an error.
 */
export function checkClientSecret(call: Call, intent: Intent): void {
  const given = call.parameters.text('client_secret');
  if (given === undefined && call.key === 'secret') return;
  if (given === undefined)
    throw invalidParameter('client_secret', 'Missing required param: client_secret.', 'parameter_missing');
  if (given !== intent.client_secret)
    throw invalidParameter(
      'client_secret',
      `The client_secret provided does not match the client_secret associated with this ${nameOf(intent)}.`,
      intent.object === 'payment_intent'
        ? 'payment_intent_invalid_parameter'
        : 'setup_intent_invalid_parameter',
    );
}

const PUBLIC_FIELDS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'object',
    'amount',
    'amount_details',
    'automatic_payment_methods',
    'canceled_at',
    'cancellation_reason',
  ],
  ...[
    'capture_method',
    'client_secret',
    'confirmation_method',
    'created',
    'currency',
    'description',
    'last_payment_error',
  ],
  ...[
    'last_setup_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'processing',
    'receipt_email',
  ],
  ...['setup_future_usage', 'shipping', 'source', 'status', 'usage'],
]);

/** What a holder of the key may see: a browser sees neither metadata nor customer nor charge. */
export function visible(intent: Intent, key: Call['key']): object {
  if (key === 'secret') return intent;
  return Object.fromEntries(Object.entries(intent).filter(([field]) => PUBLIC_FIELDS.has(field)));
}

/** An intent is in a state that does not allow the call. */
export function unexpectedState(intent: Intent, what: string, key: Call['key']): ApiError {
  const message = `This ${nameOf(intent)}'s ${what} because it has a status of ${intent.status}.`;
  return intent.object === 'payment_intent'
    ? wrongState('payment_intent_unexpected_state', message, { payment_intent: visible(intent, key) })
    : wrongState('setup_intent_unexpected_state', message, { setup_intent: visible(intent, key) });
}

export type StoredIntent = StoredObject<'payment_intents'>;
export type StoredSetup = StoredObject<'setup_intents'>;
