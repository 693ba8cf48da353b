/** PaymentMethods: cards and Cash App, loose or attached to a customer. */
import { createHash } from 'node:crypto';
import type { StoredObject } from '../collections.js';
import { ApiError, invalidParameter, noSuch, wrongState } from '../errors.js';
import { newId, randomText } from '../identifiers.js';
import { NO_ADDRESS, PAYMENT_METHOD_TYPES, type BillingDetails, type PaymentMethod } from '../objects.js';
import type { Parameters } from '../parameters.js';
import type { Transaction } from '../store.js';
import {
  brandOf,
  DECLINES,
  isCardNumber,
  testCardOf,
  testCardOfToken,
  type Decline,
  type DeclineName,
  type TestCard,
} from '../test-cards.js';

export type StoredMethod = StoredObject<'payment_methods'>;

function cardError(code: string, param: string, message: string): ApiError {
  return new ApiError(402, { type: 'card_error', code, param, message });
}

/** A decline as the API answers it, before what it is about is added. */
export function declineError(decline: Decline): ApiError {
  return new ApiError(402, declineBody(decline), 'key');
}

export function declineBody(decline: Decline): {
  type: 'card_error';
  code: string;
  decline_code: string;
  message: string;
  doc_url: string;
} {
  return {
    type: 'card_error',
    code: decline.code,
    decline_code: decline.declineCode,
    message: decline.message,
    doc_url: `https://stripe.com/docs/error-codes/${decline.code.replaceAll('_', '-')}`,
  };
}

interface CardInput {
  card: TestCard;
  number: string;
  expMonth: number;
  expYear: number;
  cvc: boolean;
}

function readCard(hash: Parameters, now: number): CardInput {
  const token = hash.text('token');
  if (token !== undefined) {
    hash.refuseUnknown();
    const card = testCardOfToken(token.replace(/^tok_/, 'pm_card_'));
    if (!card) throw noSuch('token', token, 'card[token]', 400);
    return cardInput(card, now);
  }
  const number = (hash.text('number') ?? '').replace(/[ -]/g, '');
  const expMonth = hash.integer('exp_month');
  const expYear = hash.integer('exp_year');
  const cvc = hash.text('cvc');
  hash.ignore('networks');
  hash.refuseUnknown();
  if (number === '')
    throw invalidParameter('card[number]', 'Missing required param: card[number].', 'parameter_missing');
  if (!/^\d{12,19}$/.test(number) || !isCardNumber(number))
    throw cardError('incorrect_number', 'number', 'Your card number is incorrect.');
  if (expMonth === undefined || expMonth < 1 || expMonth > 12)
    throw cardError('invalid_expiry_month', 'exp_month', "Your card's expiration month is invalid.");
  const year = expYear === undefined ? 0 : expYear < 100 ? 2000 + expYear : expYear;
  const today = new Date(now * 1000);
  if (
    year > today.getUTCFullYear() + 50 ||
    year * 12 + expMonth < today.getUTCFullYear() * 12 + today.getUTCMonth() + 1
  )
    throw cardError('invalid_expiry_year', 'exp_year', "Your card's expiration year is invalid.");
  if (cvc !== undefined && !(brandOf(number) === 'amex' ? /^\d{3,4}$/ : /^\d{3}$/).test(cvc))
    throw cardError('invalid_cvc', 'cvc', "Your card's security code is invalid.");
  return { card: testCardOf(number), number, expMonth, expYear: year, cvc: cvc !== undefined };
}

function cardInput(card: TestCard, now: number): CardInput {
  return {
    card,
    number: card.number,
    expMonth: 12,
    expYear: new Date(now * 1000).getUTCFullYear() + 4,
    cvc: true,
  };
}

export function readBillingDetails(hash: Parameters | undefined): BillingDetails {
  const address = hash?.hash('address');
  const details: BillingDetails = {
    address: address
      ? {
          city: address.text('city') ?? null,
          country: address.text('country') ?? null,
          line1: address.text('line1') ?? null,
          line2: address.text('line2') ?? null,
          postal_code: address.text('postal_code') ?? null,
          state: address.text('state') ?? null,
        }
      : { ...NO_ADDRESS },
    email: hash?.text('email') ?? null,
    name: hash?.text('name') ?? null,
    phone: hash?.text('phone') ?? null,
    tax_id: hash?.text('tax_id') ?? null,
  };
  address?.refuseUnknown();
  hash?.refuseUnknown();
  return details;
}

function insertMethod(
  transaction: Transaction,
  kind: { type: 'card'; input: CardInput } | { type: 'cashapp' },
  billing: BillingDetails,
  rest: Pick<PaymentMethod, 'metadata' | 'allow_redisplay'>,
): StoredMethod {
  const base = {
    id: newId('pm'),
    object: 'payment_method' as const,
    ...rest,
    billing_details: billing,
    created: transaction.now,
    customer: null,
    customer_account: null,
    livemode: false as const,
  };
  if (kind.type === 'cashapp')
    return transaction.insert(
      'payment_methods',
      { ...base, type: 'cashapp', cashapp: { buyer_id: null, cashtag: null } },
      { card: null, setUpForAbsence: false, spent: false },
    );
  const { input } = kind;
  const brand = brandOf(input.number);
  return transaction.insert(
    'payment_methods',
    {
      ...base,
      type: 'card',
      card: {
        brand,
        checks: {
          address_line1_check: null,
          address_postal_code_check: billing.address.postal_code === null ? null : 'unchecked',
          cvc_check: input.cvc ? 'unchecked' : null,
        },
        country: 'US',
        display_brand: brand,
        exp_month: input.expMonth,
        exp_year: input.expYear,
        // Of a test card it can be the same each time; of any other number not even a hash is kept.
        fingerprint: input.card.number
          ? createHash('sha256').update(input.number).digest('hex').slice(0, 16)
          : randomText(16),
        funding: input.card.funding,
        generated_from: null,
        last4: input.number.slice(-4),
        networks: { available: [brand], preferred: null },
        regulated_status: 'unregulated',
        three_d_secure_usage: { supported: true },
        wallet: null,
      },
    },
    { card: input.card.number === '' ? null : input.card.number, setUpForAbsence: false, spent: false },
  );
}

/** Makes a payment method from a create call's parameters or from an intent's `payment_method_data`. */
export function methodFrom(transaction: Transaction, parameters: Parameters): StoredMethod {
  const type = parameters.oneOf('type', PAYMENT_METHOD_TYPES);
  if (!type) throw parameters.missing('type');
  const cardHash = parameters.hash('card');
  const billing = readBillingDetails(parameters.hash('billing_details'));
  const rest = {
    metadata: parameters.metadata(),
    allow_redisplay:
      parameters.oneOf('allow_redisplay', ['always', 'limited', 'unspecified'] as const) ?? 'unspecified',
  };
  parameters.ignore('cashapp', 'radar_options', 'expand');
  parameters.refuseUnknown();
  if (type === 'cashapp') return insertMethod(transaction, { type }, billing, rest);
  if (!cardHash) throw parameters.missing('card');
  return insertMethod(transaction, { type, input: readCard(cardHash, transaction.now) }, billing, rest);
}

/** The payment method of an id; `pm_card_visa` and its like make a new one each time. */
export function methodOf(transaction: Transaction, id: string, param = 'payment_method'): StoredMethod {
  const token = testCardOfToken(id);
  if (token)
    return insertMethod(
      transaction,
      { type: 'card', input: cardInput(token, transaction.now) },
      readBillingDetails(undefined),
      {
        metadata: {},
        allow_redisplay: 'unspecified',
      },
    );
  const record = transaction.get('payment_methods', id);
  if (!record) throw noSuch('PaymentMethod', id, param, param === 'id' ? 404 : 400);
  return record;
}

/** Gives a payment method to a customer. Throws when it belongs to another, or its issuer refuses. */
export function attach(transaction: Transaction, record: StoredMethod, customer: string): void {
  if (record.api.customer === customer) return;
  if (record.api.customer !== null)
    throw wrongState(
      undefined,
      'The payment method you provided has already been attached to a customer.',
      {},
    );
  record.api.customer = customer;
  if (record.api.card?.checks.cvc_check) record.api.card.checks.cvc_check = 'pass';
  transaction.changed('payment_methods', record);
  transaction.emit('payment_method.attached', record.api);
}

/** Has a card's issuer refuse its next charges, once more for each time this is said. */
export function declineNext(
  transaction: Transaction,
  record: StoredMethod,
  decline: DeclineName,
  times: number,
): void {
  const ahead = record.secret.nextDeclines ?? [];
  record.secret.nextDeclines = [...ahead, ...Array.from({ length: times }, () => decline)];
  transaction.changed('payment_methods', record);
}

/** The refusal that waits for the next charge, which this charge uses up. */
export function takeDecline(transaction: Transaction, record: StoredMethod): Decline | undefined {
  const [next, ...rest] = record.secret.nextDeclines ?? [];
  if (next === undefined) return undefined;
  record.secret.nextDeclines = rest;
  transaction.changed('payment_methods', record);
  return DECLINES[next];
}

/** A payment method that was charged without a customer, or was detached, is used up. */
export function cannotReuse(): ApiError {
  return new ApiError(
    400,
    {
      type: 'invalid_request_error',
      message:
        'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a ' +
        'connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a ' +
        'PaymentMethod multiple times, you must attach it to a Customer first.',
    },
    'key',
  );
}

export function detach(transaction: Transaction, record: StoredMethod): void {
  const previous = { customer: record.api.customer };
  record.api.customer = null;
  record.secret.spent = true;
  transaction.changed('payment_methods', record);
  transaction.emit('payment_method.detached', record.api, previous);
}
