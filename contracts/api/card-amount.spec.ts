import { describe, expect, it } from '@jest/globals';
import { cardAmount } from '../plain/card-amount.js';
import { IdempotencyKey } from './idempotency-key.js';
import { CreatePaymentIntent } from './payments.js';
import { PutSettings } from './settings.js';

const sentence = (body: unknown) => CreatePaymentIntent.safeParse(body).error?.issues[0]?.message;

describe('the amount of a card payment', () => {
  it.each([
    [0.5, 50],
    ['0.50', 50],
    [20, 2_000],
    ['20', 2_000],
    ['20.5', 2_050],
    [19.99, 1_999],
    [' 7 ', 700],
    ['999999.99', 99_999_999],
  ])('reads %p as %p cents', (written, minor) => expect(cardAmount(written)).toEqual({ minor }));

  it.each([
    ['0', 'greater than 0'],
    [0, 'greater than 0'],
    ['-1', 'greater than 0'],
    [-1, 'greater than 0'],
    ['0.49', '$0.50'],
    ['1e3', 'plain number'],
    ['0.001', 'two decimals'],
    [0.001, 'two decimals'],
    ['NaN', 'plain number'],
    [Number.NaN, 'plain number'],
    [Number.POSITIVE_INFINITY, 'plain number'],
    ['99999999999', '$999,999.99'],
    ['1000000', '$999,999.99'],
    ['99999999999999999999', '$999,999.99'],
    ['', 'enter an amount'],
    ['   ', 'enter an amount'],
    [undefined, 'enter an amount'],
    [null, 'enter an amount'],
    ['<script>', 'plain number'],
    ['1,000', 'without a comma'],
    ['1.250,00', 'without a comma'],
    ['$5', 'plain number'],
    ['٣', 'plain number'],
    [true, 'plain number'],
    [[5], 'plain number'],
    [{}, 'plain number'],
  ])('refuses %p and says why', (written, part) => {
    expect(sentence({ amount: written, toUserId: 'usr_a' })).toContain(part);
  });
});

describe('a payment as the browser sends it', () => {
  it('is by card, without a note, unless it says otherwise', () =>
    expect(CreatePaymentIntent.parse({ amount: 20, toUserId: ' usr_a ', description: '' })).toEqual({
      amount: 2_000,
      toUserId: 'usr_a',
      description: undefined,
      paymentMethod: 'card',
      insteadOf: [],
    }));

  it.each([
    [{ amount: 20 }, 'Please enter a recipient ID.'],
    [{ amount: 20, toUserId: 7 }, 'Please enter a recipient ID.'],
    [{ amount: 20, toUserId: 'usr_\u0000' }, 'Recipient user not found'],
    [{ amount: 20, toUserId: 'a', paymentMethod: 'cheque' }, 'The payment method is card or cashapp.'],
    [
      { amount: 20, toUserId: 'a', description: 'x'.repeat(501) },
      'A description has at most 500 characters.',
    ],
    ['20', 'Send the payment as a JSON object.'],
    [null, 'Send the payment as a JSON object.'],
  ])('refuses %j with a sentence', (body, words) => expect(sentence(body)).toBe(words));
});

describe('the idempotency key', () => {
  it('is a UUIDv7, in either case of letters', () =>
    expect(IdempotencyKey.parse('0196F5C8-7A00-7ABC-8DEF-0123456789AB')).toBe(
      '0196f5c8-7a00-7abc-8def-0123456789ab',
    ));
  it.each(['', 'x', '8c7d9be0-3f0e-4a3c-9d2e-0123456789ab', ['a', 'b']])('refuses %j', (key) =>
    expect(IdempotencyKey.safeParse(key).success).toBe(false),
  );
});

describe('a change of settings', () => {
  it('names exactly one known setting', () =>
    expect(PutSettings.parse({ biometricEnabled: true })).toEqual({ biometricEnabled: true }));
  it.each([
    {},
    { biometricEnabled: 'yes' },
    { biometricEnabled: null },
    { unknown: true },
    { biometricEnabled: true, privacyModeEnabled: true },
    { biometricEnabled: true, unknown: true },
    [],
    null,
    'on',
  ])('refuses %j with one sentence', (body) =>
    expect(PutSettings.safeParse(body).error?.issues[0]?.message).toContain('exactly one setting'),
  );
});
