import { describe, expect, it } from '@jest/globals';
import {
  EMPTY_FIELDS,
  refusalOf,
  tomorrow,
  withOffset,
  writtenAmount,
  type PaymentFields,
  type PaymentKind,
} from './form-rules.js';

const now = new Date(2026, 10, 21, 23, 30);
const refuse = (kind: PaymentKind, fields: Partial<PaymentFields>, missingTitle?: string) =>
  refusalOf(kind, { ...EMPTY_FIELDS, ...fields }, now, missingTitle);
const words = (refused: ReturnType<typeof refusalOf>) => refused && [refused.title, refused.description];

describe('an instant payment', () => {
  it('goes on with a recipient and an amount', () =>
    expect(refuse('now', { recipientId: 'usr_a', amount: '20.00' })).toBeUndefined());

  it.each([
    ['', '20.00', ['recipientId']],
    ['usr_a', '', ['amount']],
    ['  ', ' ', ['recipientId', 'amount']],
  ])('names the missing fields (%j, %j)', (recipientId, amount, fields) => {
    const refused = refuse('now', { recipientId, amount });
    expect(words(refused)).toEqual(['Missing Information', 'Please enter an amount and recipient ID']);
    expect(Object.keys(refused?.fields ?? {})).toEqual(fields);
  });

  it.each(['0', '0.00', '-5', 'abc', '1e3'])('is not of %s', (amount) =>
    expect(words(refuse('now', { recipientId: 'usr_a', amount }))).toEqual([
      'Invalid Amount',
      'Please enter a valid amount greater than 0',
    ]),
  );

  it.each([
    ['0.49', 'The smallest payment is $0.50.'],
    ['1000000', 'The largest payment is $999,999.99.'],
    ['5.001', 'An amount has at most two decimals, such as 12.50.'],
  ])('of %s is refused in the server’s own words', (amount, sentence) =>
    expect(words(refuse('now', { recipientId: 'usr_a', amount }))).toEqual(['Invalid Amount', sentence]),
  );
});

describe('a subscription', () => {
  it('needs all three of its fields', () =>
    expect(words(refuse('recurring', { recipientId: 'usr_a', amount: '5', frequency: '' }))).toEqual([
      'Missing Information',
      'Please fill in all required fields',
    ]));
  it('has another title for missing fields on its own page', () =>
    expect(refuse('recurring', { recipientId: '', amount: '5', frequency: 'weekly' }, 'Error')?.title).toBe(
      'Error',
    ));
  it('is of more than nothing', () =>
    expect(refuse('recurring', { recipientId: 'usr_a', amount: '0', frequency: 'weekly' })?.title).toBe(
      'Invalid Amount',
    ));
});

describe('a scheduled payment', () => {
  const form = { recipientId: 'usr_a', amount: '5' };
  it('may begin with tomorrow', () => {
    expect(tomorrow(now)).toBe('2026-11-22T00:00');
    expect(refuse('later', { ...form, date: '2026-11-22T00:00' })).toBeUndefined();
  });
  it('knows that a month ends', () => expect(tomorrow(new Date(2026, 11, 31, 8))).toBe('2027-01-01T00:00'));
  it.each(['2026-11-21T23:59', '2025-01-01T10:00', 'soon'])('is not for %s', (date) =>
    expect(refuse('later', { ...form, date })?.title).toBe('Invalid Date'),
  );
  it('is of more than nothing, as every payment is', () =>
    expect(words(refuse('later', { ...form, amount: '0', date: '2026-11-22T00:00' }))).toEqual([
      'Invalid Amount',
      'Please enter a valid amount greater than 0',
    ]));
  it('needs a date', () =>
    expect(words(refuse('later', { ...form, date: '' }))).toEqual([
      'Missing Information',
      'Please fill in all required fields',
    ]));
  it('is sent as the moment that the person meant', () => {
    const sent = withOffset('2026-11-22T20:15');
    expect(sent).toMatch(/^2026-11-22T20:15:00[+-]\d\d:\d\d$/);
    expect(Date.parse(sent)).toBe(new Date(2026, 10, 22, 20, 15).getTime());
  });
});

describe('the amount on the button', () => {
  it.each([
    ['20', '20.00'],
    ['7.5', '7.50'],
    ['', undefined],
    ['0', undefined],
    ['x', undefined],
  ])('for %j is %j', (amount, written) => expect(writtenAmount(amount)).toBe(written));
});
