/** Amounts as people write them, and as the wire does. */
import { describe, expect, it } from '@jest/globals';
import { decimalFromMinor, minorFromDecimal, minorOf } from './money.js';

describe('a written amount', () => {
  it.each([
    ['20', 2000],
    ['20.5', 2050],
    ['20.50', 2050],
    ['0', 0],
    ['0.07', 7],
    ['.5', 50],
    ['.75', 75],
    ['007', 700],
    ['999999.99', 99_999_999],
    ['12,50', 1250],
    ['12,5', 1250],
    [',5', 50],
    ['1,250.00', 125_000],
    ['1,250.5', 125_050],
    ['12,345,678.90', 1_234_567_890],
    [1e3, 100_000],
    [20, 2000],
    [20.5, 2050],
    [0.29, 29],
    [1.15, 115],
  ])('%p is %p minor units', (written, minor) => expect(minorFromDecimal(written)).toEqual({ minor }));

  it.each([
    ['', 'missing'],
    [undefined, 'missing'],
    [null, 'missing'],
    ['-1', 'not-a-number'],
    [-1, 'not-a-number'],
    ['1e3', 'not-a-number'],
    ['NaN', 'not-a-number'],
    [NaN, 'not-a-number'],
    [Infinity, 'not-a-number'],
    ['1,000', 'unclear-separator'],
    ['1,250', 'unclear-separator'],
    ['12,345,678', 'unclear-separator'],
    ['1.250,00', 'unclear-separator'],
    ['1.250.000', 'unclear-separator'],
    ['1.250', 'too-many-decimals'],
    ['1250,001', 'too-many-decimals'],
    ['1,2500.00', 'not-a-number'],
    ['1,250.', 'not-a-number'],
    ['12,', 'not-a-number'],
    ['0x10', 'not-a-number'],
    ['0b1', 'not-a-number'],
    ['+5', 'not-a-number'],
    ['$5', 'not-a-number'],
    ['1 250', 'not-a-number'],
    [1e21, 'too-large'],
    [1e-7, 'too-many-decimals'],
    [' 1', 'not-a-number'],
    ['.', 'not-a-number'],
    ['.001', 'too-many-decimals'],
    ['5.', 'not-a-number'],
    ['٣', 'not-a-number'],
    ['<script>alert(1)</script>', 'not-a-number'],
    [{}, 'not-a-number'],
    [true, 'not-a-number'],
    [['1'], 'not-a-number'],
    ['0.001', 'too-many-decimals'],
    [0.1 + 0.2, 'too-many-decimals'],
    ['12345678901234', 'too-large'],
  ])('%p is none: %p', (written, problem) => expect(minorFromDecimal(written)).toEqual({ problem }));
});

describe('minor units', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [2050, '20.50'],
    [-5, '-0.05'],
    [-2050, '-20.50'],
    [99_999_999, '999999.99'],
  ])('%p are written %p', (minor, decimal) => expect(decimalFromMinor(minor)).toBe(decimal));

  it('come back from their decimal string', () => {
    for (let minor = 0; minor < 100_000; minor += 37)
      expect(minorFromDecimal(decimalFromMinor(minor))).toEqual({ minor });
  });

  it.each([
    ['20.50', 2050],
    ['-0.05', -5],
    ['-2050.00', -205_000],
    ['0.00', 0],
    ['-0.00', 0],
    ['7', 700],
    ['', 0],
    ['--1.00', 0],
    ['much', 0],
  ])('are read from %p of an answer: %p', (decimal, minor) => expect(minorOf(decimal)).toBe(minor));

  it.each([0.5, NaN, Infinity, 2 ** 53])('are whole and safe: %p is refused', (minor) =>
    expect(() => decimalFromMinor(minor)).toThrow(RangeError),
  );
});
