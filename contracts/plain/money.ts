/** Decimal text and minor units, digit by digit: no floating-point number is ever part of the arithmetic. */

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

/** Why a written amount was not taken. `unclear-separator`: `1,250` is 1.25 to some and 1250 to others. */
export type AmountProblem =
  | 'missing'
  | 'not-a-number'
  | 'unclear-separator'
  | 'too-many-decimals'
  | 'too-large';

// A whole part may be left out: `.75`.
const PLAIN_DECIMAL = /^(\d*)(?:[.,](\d+))?$/;
const WITH_THOUSANDS = /^(\d{1,3}(?:,\d{3})+)\.(\d{1,2})$/;
const UNCLEAR_SEPARATOR = /^\d{1,3}(?:,\d{3})+$|^\d{1,3}(?:\.\d{3}){2,}$|^\d{1,3}(?:\.\d{3})+,\d*$/;
/** More would not be a safe integer of cents. */
const MAX_WHOLE_DIGITS = 13;

/** The digits of a JSON number, which counts by its value, however it was written: `1e3` is `1000`. */
function digitsOf(value: number): string {
  // Out of this range a number is written with an exponent.
  if (value >= 1e21 && value !== Infinity) return '9'.repeat(22);
  return value > 0 && value < 1e-6 ? '0.0000001' : String(value);
}

/**
 * Reads an amount of dollars into minor units. It is the one grammar of amounts, for an address, a field and
 * a call: digits, and `.` or `,` with one or two decimals (`"20"`, `"20.5"`, `"12,50"`, `".75"`), or commas
 * between thousands where a point with decimals follows (`"1,250.00"`). A JSON number counts by its value.
 * Refused with the reason: `1,250` and `1.250,00`, exponents, other notations, signs, spaces. Zero is an
 * amount: limits are the caller's.
 */
export function minorFromDecimal(written: unknown): { minor: number } | { problem: AmountProblem } {
  if (written === undefined || written === null || written === '') return { problem: 'missing' };
  if (typeof written !== 'string' && typeof written !== 'number') return { problem: 'not-a-number' };
  const text = typeof written === 'number' ? digitsOf(written) : written;
  if (UNCLEAR_SEPARATOR.test(text)) return { problem: 'unclear-separator' };
  const match = PLAIN_DECIMAL.exec(text) ?? WITH_THOUSANDS.exec(text);
  if (!match) return { problem: 'not-a-number' };
  const units = (match[1] ?? '').replaceAll(',', '');
  const decimals = match[2] ?? '';
  if (decimals.length > 2) return { problem: 'too-many-decimals' };
  if (units.length > MAX_WHOLE_DIGITS) return { problem: 'too-large' };
  return { minor: Number(units) * 100 + Number(decimals.padEnd(2, '0')) };
}

/**
 * Minor units of an answer's decimal, which may be signed: `"20.50"` → `2050`, `"-0.05"` → `-5`. What is no
 * amount counts as 0.
 */
export function minorOf(decimal: string): number {
  const isNegative = decimal.startsWith('-');
  const read = minorFromDecimal(isNegative ? decimal.slice(1) : decimal);
  if (!('minor' in read) || read.minor === 0) return 0;
  return isNegative ? -read.minor : read.minor;
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
