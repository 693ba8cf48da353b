/**
 * Decimal text and minor units, digit by digit: no floating-point number is ever part of the arithmetic.
 * Apart from ./money.ts, because a browser that only reads amounts need not load the schemas.
 */

/**
 * The currency of every balance. Another one can only reach us by a provider's mistake, and is then
 * unapplied.
 */
export const CURRENCY = 'usd';

/**
 * The smallest and largest card payment, in minor units ($0.50 to $999,999.99: the card provider's own
 * limits).
 */
export const CARD_MIN_MINOR = 50;
export const CARD_MAX_MINOR = 99_999_999;

/** Why a written amount was not taken. */
export type AmountProblem = 'missing' | 'not-a-number' | 'too-many-decimals' | 'too-large';

// Number fields of browsers take an amount without its zero.
const PLAIN_DECIMAL = /^(\d{0,13})(?:\.(\d+))?$/;

/**
 * Reads an amount as people and the spec send it (`"20"`, `"20.5"`, `".75"`, `20.5`) into minor units.
 * Exponents, signs, separators, spaces and more than two decimals are not amounts. Zero is one: limits are
 * the caller's.
 */
export function minorFromDecimal(written: unknown): { minor: number } | { problem: AmountProblem } {
  if (written === undefined || written === null || written === '') return { problem: 'missing' };
  if (typeof written !== 'string' && typeof written !== 'number') return { problem: 'not-a-number' };
  const match = PLAIN_DECIMAL.exec(String(written));
  if (!match) return { problem: /^\d{14,}(\.\d+)?$/.test(String(written)) ? 'too-large' : 'not-a-number' };
  const [, units = '', decimals = ''] = match;
  if (decimals.length > 2) return { problem: 'too-many-decimals' };
  return { minor: Number(units) * 100 + Number(decimals.padEnd(2, '0')) };
}

/** Minor units as the decimal string of the wire: `2050` → `"20.50"`, `-5` → `"-0.05"`. */
export function decimalFromMinor(minor: number): string {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`${minor} is not a whole number of minor units`);
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Minor units as a sentence says them: `123450` → `"$1,234.50"`, `-5` → `"-$0.05"`. */
export function dollarsFromMinor(minor: number): string {
  const [units = '', cents = ''] = decimalFromMinor(Math.abs(minor)).split('.');
  return `${minor < 0 ? '-' : ''}$${units.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
}
