/** Amounts as people type them into a search. */
import { expect, it } from '@jest/globals';
import { searchedAmount } from './searched-amount.js';

it.each([
  ['12', '12'],
  ['12.', '12.'],
  ['12.5', '12.5'],
  ['12.50', '12.50'],
  ['$12.50', '12.50'],
  ['+20.00', '20.00'],
  ['-$15', '15'],
  ['12,50', '12.50'],
  ['12,5', '12.5'],
  ['$12,', '12.'],
  ['1250,5', '1250.5'],
  ['1,250', '1250'],
  ['$1,250.5', '1250.5'],
  ['1,250,000.00', '1250000.00'],
])('%p looks for amounts that begin with %p', (text, decimal) => expect(searchedAmount(text)).toBe(decimal));

it.each(['', '.5', '1e3', '12,5 x', '12.505', '1,2500', '1.250,00', '$', '5 USD', '١٢'])(
  '%p looks for none',
  (text) => expect(searchedAmount(text)).toBeUndefined(),
);
