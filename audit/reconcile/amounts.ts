/** Amounts as files of others write them, to and from whole minor units, digit by digit. */
import { UnreadableFile } from './bounded-file.js';

/**
 * The card provider's own: https://docs.stripe.com/currencies. A runtime's tables say how people write an
 * amount, and change with its version: for them a forint has no digits, while the provider counts it in
 * hundredths.
 */
const DIGITS: Readonly<Record<string, number>> = {
  ...every('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf', 0),
  ...every('bhd jod kwd omr tnd', 3),
};
/** All others, also `isk` and `ugx`, whose hundredths are always none. */
const MOST_HAVE = 2;

function every(currencies: string, digits: number): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, digits]));
}

/** Whether a text has the form of a currency, in lower case. */
export const isCurrency = (code: string): boolean => /^[a-z]{3}$/.test(code);

/**
 * How many digits a currency's minor unit has: two for `usd`, none for `jpy`. Throws RangeError for no
 * currency.
 */
export function minorDigits(currency: string): number {
  if (!isCurrency(currency)) throw new RangeError(`"${currency}" is no currency`);
  return DIGITS[currency] ?? MOST_HAVE;
}

/**
 * What all amounts of a file may come to, whatever their signs: half of what can be held exactly, so that no
 * sum of some of them, less what the books have, leaves it.
 */
const MOST_MINOR = 2 ** 52;

/**
 * Amounts of a file, each a whole number, can be added up and compared in any order. Throws {@link
 * UnreadableFile} where they cannot.
 */
export function assertCountable(amounts: Iterable<number>): void {
  let sum = 0;
  for (const amount of amounts) sum += Math.abs(amount);
  if (sum > MOST_MINOR)
    throw new UnreadableFile('The amounts of the file come to more than can be counted to the cent.');
}

const DECIMAL = /^([+-]?)(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{1,6}))?$/;

/**
 * `"-1,912.5"` of `usd` → -191250. Undefined for what is no amount of this currency, or too large to be
 * counted.
 */
export function minorFromText(text: string, currency: string): number | undefined {
  const match = DECIMAL.exec(text.trim());
  if (!match) return undefined;
  const [, sign = '', units = '', decimals = ''] = match;
  const digits = minorDigits(currency);
  // Banks write "12.50000": what is beyond the minor unit must be nothing.
  if (/[1-9]/.test(decimals.slice(digits))) return undefined;
  const minor = Number(units.replaceAll(',', '') + decimals.slice(0, digits).padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return undefined;
  return sign === '-' && minor !== 0 ? -minor : minor;
}

/** -191250 of `usd` → `"-1912.50"`. Throws RangeError for what is no whole number of minor units. */
export function textFromMinor(minor: number, currency: string): string {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`${minor} is not a whole number of minor units`);
  const digits = minorDigits(currency);
  const written = String(Math.abs(minor)).padStart(digits + 1, '0');
  const sign = minor < 0 ? '-' : '';
  if (digits === 0) return sign + written;
  return `${sign}${written.slice(0, -digits)}.${written.slice(-digits)}`;
}

/** The amount with its currency, as findings say it. */
export const inWords = (minor: number, currency: string): string =>
  `${textFromMinor(minor, currency)} ${currency}`;
