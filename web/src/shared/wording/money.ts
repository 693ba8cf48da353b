/**
 * Formats decimal strings of the API as money. Amounts are never converted to numbers: only digits are moved.
 */

/** An amount in three separately drawn parts: `-`, `$1,284`, `.50`. */
interface MoneyParts {
  readonly sign: '' | '-';
  readonly dollars: string;
  readonly cents: string;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d{0,2})\d*)?$/;

/** Splits `-1284.5` into `-`, `$1,284` and `.50`. Invalid text is shown as it is, never as a wrong figure. */
export function moneyParts(decimal: string): MoneyParts {
  const match = DECIMAL.exec(decimal.trim());
  if (!match) return { sign: '', dollars: decimal, cents: '' };
  const [, sign = '', units = '', decimals = ''] = match;
  const digits = units.replace(/^0+(?=\d)/, '');
  const cents = decimals.padEnd(2, '0');
  const isZero = digits === '0' && cents === '00';
  return {
    sign: sign === '-' && !isZero ? '-' : '',
    dollars: `$${digits.replace(/\B(?=(\d{3})+$)/g, ',')}`,
    cents: `.${cents}`,
  };
}

/** `$1,284.50`; a debt is `-$5.00`. */
export function money(decimal: string): string {
  const { sign, dollars, cents } = moneyParts(decimal);
  return `${sign}${dollars}${cents}`;
}

/** `+$20.00` for received, `-$15.00` for sent money; zero has no sign. */
export function signedMoney(decimal: string, isIncoming: boolean): string {
  const { dollars, cents } = moneyParts(decimal);
  const sign = dollars === '$0' && cents === '.00' ? '' : isIncoming ? '+' : '-';
  return `${sign}${dollars}${cents}`;
}
