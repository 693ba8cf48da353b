/** Amounts as files write them, in currencies of every kind. */
import { describe, expect, it } from '@jest/globals';
import { isCurrency, minorDigits, minorFromText, textFromMinor } from './amounts.js';

describe('an amount', () => {
  it.each([
    ['usd', '12.50', 1_250],
    // The provider counts these in hundredths, however people write them.
    ['huf', '1,234.56', 123_456],
    ['idr', '15000.00', 1_500_000],
    ['isk', '5.00', 500],
    ['lak', '0.01', 1],
    ['jpy', '1200', 1_200],
    ['mga', '1200', 1_200],
    ['kwd', '5.120', 5_120],
  ])('of %s is read in the minor unit that the provider counts in', (currency, text, minor) => {
    expect(minorFromText(text, currency)).toBe(minor);
    expect(textFromMinor(minor, currency)).toBe(text.replaceAll(',', ''));
  });

  it('has more digits than its currency only where they are none', () => {
    expect(minorFromText('1200.00', 'jpy')).toBe(1_200);
    expect(minorFromText('1200.50', 'jpy')).toBeUndefined();
  });

  it.each(['', 'us', 'us1', 'USD', 'dollars', '__proto__'])('is of no currency called %j', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => minorDigits(code)).toThrow(RangeError);
  });
});
