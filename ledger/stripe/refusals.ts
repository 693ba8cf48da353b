/**
 * What a refusal of the provider proves. Only a code that says so of this card, account, bank account or
 * amount is a no for good. Everything else may be a fault of ours or of the provider's: it changes nothing
 * for anybody, is tried again under another key, and is counted for an alarm. A code that is not in the table
 * is of the second kind.
 *
 * Sources: https://docs.stripe.com/error-codes, https://docs.stripe.com/api/errors and
 * https://docs.stripe.com/error-low-level (which failures an idempotency key remembers).
 */
import Stripe from 'stripe';
import { wordsOf } from './provider-words.js';

/** What a no for good is about. */
export type RefusedThing = 'card' | 'account' | 'bank-account' | 'amount';

export type ProviderRefusal =
  /** It will be no again: `about` says of what. */
  | { readonly kind: 'never'; readonly about: RefusedThing; readonly code: string }
  /** The state of money or of an account stands against it, and may change by itself. */
  | { readonly kind: 'not-now'; readonly because: 'funds' | 'account' | 'limit'; readonly code: string }
  /**
   * It proves nothing about anybody: a request of ours that was wrong, a key that may not, or an unknown
   * code.
   */
  | { readonly kind: 'our-fault'; readonly code: string }
  /** It answered, and not as its description says: `code` names the kind of object. See answers.ts. */
  | { readonly kind: 'unreadable'; readonly code: string }
  /** The provider broke, is too busy, or was not reached. */
  | { readonly kind: 'outage'; readonly code: string };

/** Told of each refusal that is nobody's doing but ours or the provider's: for counters and alarms. */
export type OnRefusal = (refusal: ProviderRefusal, error: Error) => void;

/** Codes that say so of the thing itself. Each with the words of the provider's page. */
const NEVER: Readonly<Record<string, RefusedThing>> = {
  // "The card has expired", "The card has been declined", "The card's security code is incorrect" …
  card_declined: 'card',
  expired_card: 'card',
  expired_payment_method: 'card',
  incorrect_cvc: 'card',
  incorrect_number: 'card',
  incorrect_zip: 'card',
  invalid_card_type: 'card',
  invalid_cvc: 'card',
  invalid_expiry_month: 'card',
  invalid_expiry_year: 'card',
  invalid_number: 'card',
  payment_method_customer_decline: 'card',
  payment_method_provider_decline: 'card',
  refer_to_customer: 'card',
  // "The bank account provided can not be used for payouts", "The bank account number provided is invalid" …
  account_number_invalid: 'bank-account',
  bank_account_bad_routing_numbers: 'bank-account',
  bank_account_declined: 'bank-account',
  bank_account_exists: 'bank-account',
  bank_account_restricted: 'bank-account',
  bank_account_unusable: 'bank-account',
  no_account: 'bank-account',
  routing_number_invalid: 'bank-account',
  // "The specified amount is less than the minimum", "… greater than the maximum amount allowed".
  amount_too_large: 'amount',
  amount_too_small: 'amount',
};

/** Codes of what may change by itself. */
const NOT_NOW: Readonly<Record<string, 'funds' | 'account' | 'limit'>> = {
  balance_insufficient: 'funds',
  insufficient_funds: 'funds',
  // "You have reached your daily processing limits for this payout type."
  payouts_limit_exceeded: 'limit',
  instant_payouts_limit_exceeded: 'limit',
  // "Payouts have been disabled on the connected account", "The requested transfer cannot be created" …
  payouts_not_allowed: 'account',
  transfers_not_allowed: 'account',
  insufficient_capabilities_for_transfer: 'account',
  capability_not_active: 'account',
};

/**
 * "The account ID provided … is invalid", also where the key may not: a claim only, until it is looked up.
 */
const ACCOUNT_GONE = 'account_invalid';

/**
 * Not the provider's code: it gives none where it has no way to pay left that fits a payment, because the
 * account has it not active or for its sum. Its words are all there is to tell that by.
 */
export const NO_METHOD = 'no_payment_method';
const SAYS_NO_METHOD = /^No valid payment method types for this Payment Intent/;

/** Places of a request that name a thing, so that `resource_missing` there says that the thing is gone. */
const NAMED_BY: Readonly<Record<string, RefusedThing>> = {
  payment_method: 'card',
  customer: 'card',
  external_account: 'bank-account',
};

/** The fields of a request that hold what a person typed as their bank's numbers. */
const ABOUT_A_NUMBER = /(account|routing)_number\]?$/;
const isMalformed = (code: string): boolean => code === 'parameter_missing' || code === 'parameter_unknown';

/** What a table says of the provider's word; `constructor` and the like are in none. */
export const ofTable = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

const MOST_CHARACTERS = 100;

/** The provider's code, or the SDK's class where it gave none, as an event can hold it. */
const codeOf = ({ code, type }: Stripe.errors.StripeError): string =>
  wordsOf(typeof code === 'string' && code !== '' ? code : type || 'unknown', MOST_CHARACTERS);

/** Reads an error of the provider's SDK; undefined for one that is not the provider's. */
export function refusalOf(error: unknown): ProviderRefusal | undefined {
  if (!(error instanceof Stripe.errors.StripeError)) return undefined;
  const code = codeOf(error);
  if (isOutage(error)) return { kind: 'outage', code };
  const about = ofTable(NEVER, code);
  if (about !== undefined) return { kind: 'never', about, code };
  // The provider's class for "this card was declined", whatever code it will learn to say so with.
  if (error instanceof Stripe.errors.StripeCardError && code !== 'processing_error')
    return { kind: 'never', about: 'card', code };
  const because = ofTable(NOT_NOW, code);
  if (because !== undefined) return { kind: 'not-now', because, code };
  if (error instanceof Stripe.errors.StripeInvalidRequestError && SAYS_NO_METHOD.test(error.message))
    return { kind: 'not-now', because: 'account', code: NO_METHOD };
  const named = code === 'resource_missing' ? ofTable(NAMED_BY, error.param ?? '') : undefined;
  if (named !== undefined) return { kind: 'never', about: named, code };
  if (ABOUT_A_NUMBER.test(error.param ?? '') && !isMalformed(code))
    return { kind: 'never', about: 'bank-account', code };
  return { kind: 'our-fault', code };
}

/**
 * Whether it says that a connected account is not there, or not for us: to be looked up before it is
 * believed.
 */
export function claimsAccountGone(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.code === ACCOUNT_GONE || namesMissingDestination(error);
}

/** Whether the object that was asked for by its id is not there. */
export const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

/** Whether what a request named as its destination is not there. */
export const namesMissingDestination = (error: unknown): boolean =>
  isMissing(error) && error.param === 'destination';

const isOutage = (error: Stripe.errors.StripeError): boolean =>
  error instanceof Stripe.errors.StripeConnectionError ||
  error instanceof Stripe.errors.StripeRateLimitError ||
  error.code === 'lock_timeout' ||
  error.code === 'processing_error' ||
  isInUse(error) ||
  (error.statusCode ?? 500) >= 500;

/** Another request under the same key is still being answered. */
export const isInUse = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.code === 'idempotency_key_in_use';
