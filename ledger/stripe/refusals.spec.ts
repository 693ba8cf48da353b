/**
 * A refusal is read by what it proves: only a code that says so of a card, account or amount is a no for
 * good.
 */
import { describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { refusalOf } from './refusals.js';

const refused = (status: number, raw: object = {}): Stripe.errors.StripeError =>
  Stripe.errors.StripeError.generate({
    type: 'invalid_request_error',
    message: 'No.',
    statusCode: status,
    ...raw,
  } as Stripe.StripeRawError);

describe('a refusal of the provider', () => {
  it.each([
    ['a declined card', 402, { type: 'card_error', code: 'card_declined' }, 'card'],
    ['an expired card', 402, { type: 'card_error', code: 'expired_card' }, 'card'],
    ['a decline with a code of next year', 402, { type: 'card_error', code: 'moon_phase' }, 'card'],
    ['a card that is not there', 400, { code: 'resource_missing', param: 'payment_method' }, 'card'],
    ['a customer who is not there', 400, { code: 'resource_missing', param: 'customer' }, 'card'],
    ['an unusable bank account', 400, { code: 'bank_account_unusable' }, 'bank-account'],
    ['a routing number', 400, { code: 'routing_number_invalid' }, 'bank-account'],
    ['a number by its field', 400, { param: 'bank_account[account_number]' }, 'bank-account'],
    ['an amount', 400, { code: 'amount_too_small' }, 'amount'],
  ])('is for good about %s', (_, status, raw, about) => {
    expect(refusalOf(refused(status, raw))).toMatchObject({ kind: 'never', about });
  });

  it.each([
    [
      'a parameter that is missing',
      400,
      { code: 'parameter_missing', param: 'bank_account[account_number]' },
    ],
    ['a parameter that is unknown', 400, { code: 'parameter_unknown' }],
    ['no code', 400, {}],
    ['a code that nobody knows', 400, { code: 'moon_phase' }],
    ['a key of ours used twice', 400, { type: 'idempotency_error' }],
    ['a key that is wrong', 401, {}],
    ['a key that may not', 403, {}],
    ['an account that the key may not see', 403, { code: 'account_invalid' }],
    ['something else that is not there', 404, { code: 'resource_missing', param: 'id' }],
  ])('may be our own fault where it says %s', (_, status, raw) => {
    expect(refusalOf(refused(status, raw))?.kind).toBe('our-fault');
  });

  it.each([
    ['it broke', 500, { type: 'api_error' }],
    ['too many calls', 429, { code: 'rate_limit' }],
    ['a lock', 429, { code: 'lock_timeout' }],
    ['a key in use', 409, { code: 'idempotency_key_in_use' }],
    ['the card network was away', 402, { type: 'card_error', code: 'processing_error' }],
  ])('says nothing of what was asked where %s', (_, status, raw) => {
    expect(refusalOf(refused(status, raw))?.kind).toBe('outage');
  });

  it.each([
    ['balance_insufficient', 'funds'],
    ['payouts_limit_exceeded', 'limit'],
    ['payouts_not_allowed', 'account'],
  ])('may be another tomorrow: %s', (code, because) => {
    expect(refusalOf(refused(400, { code }))).toEqual({ kind: 'not-now', because, code });
  });

  it('has a code that an entry takes, whatever is in it', () => {
    const code = `moon\0\ud83d_${'x'.repeat(200)}`;
    expect(refusalOf(refused(402, { type: 'card_error', code }))).toEqual({
      kind: 'never',
      about: 'card',
      code: `moon\uFFFD_${'x'.repeat(94)}`,
    });
  });

  it('is the provider’s only where its SDK says so', () => {
    expect(refusalOf(new Error('account_invalid'))).toBeUndefined();
  });
});
