import { describe, expect, it } from '@jest/globals';
import { PayoutsQuery, RequestPayout } from './payouts.js';

const sentence = (body: unknown) => RequestPayout.safeParse(body).error?.issues[0]?.message;
const bankAccountId = 'bnk_a';

describe('a payout as the browser asks for it', () => {
  it.each([
    ['20', 2_000],
    ['20.5', 2_050],
    [19.99, 1_999],
    ['0.01', 1],
    [' 7 ', 700],
    ['999999.99', 99_999_999],
  ])('of %p is one of %p cents', (amount, minor) =>
    expect(RequestPayout.parse({ amount, bankAccountId })).toEqual({ amount: minor, bankAccountId }),
  );

  it.each([0, '0', -1, '-1', 'ten', '1e3', '$5', Number.NaN, true, [5], {}])('of %j is refused', (amount) =>
    expect(sentence({ amount, bankAccountId })).toBe('Please enter a valid amount greater than 0'),
  );
  it.each([
    [{ bankAccountId }, 'Please enter an amount and select a bank account'],
    [{ amount: '', bankAccountId }, 'Please enter an amount and select a bank account'],
    [{ amount: 20 }, 'Please enter an amount and select a bank account'],
    [{ amount: 20, bankAccountId: ' ' }, 'Please enter an amount and select a bank account'],
    [
      { amount: '1,000', bankAccountId },
      'Write thousands without a comma or point, such as 1250 or 1250.00.',
    ],
    [{ amount: '1.001', bankAccountId }, 'An amount has at most two decimals, such as 12.50.'],
    [{ amount: '1000000', bankAccountId }, 'The largest payout is $999,999.99.'],
    [{ amount: '99999999999999999999', bankAccountId }, 'The largest payout is $999,999.99.'],
    [null, 'Send the payout as a JSON object.'],
    ['20', 'Send the payout as a JSON object.'],
  ])('as %j is refused with a sentence', (body, words) => expect(sentence(body)).toBe(words));
});

describe('the list of payouts', () => {
  it('has no limit of its own unless it is asked for', () =>
    expect(PayoutsQuery.parse({})).toEqual({ limit: 1000 }));
  it.each([{ limit: '0' }, { limit: 'x' }, { limit: '1001' }, { cursor: 'x' }])('refuses %j', (query) =>
    expect(PayoutsQuery.safeParse(query).success).toBe(false),
  );
});
