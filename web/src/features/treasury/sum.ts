/** The total of all wallets. */
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';

/** The sum of decimal amounts; undefined if one is invalid, rather than a wrong figure. */
export function sumOf(amounts: readonly string[]): string | undefined {
  let sum = 0;
  for (const amount of amounts) {
    const read = minorFromDecimal(amount);
    if ('problem' in read) return undefined;
    sum += read.minor;
  }
  return Number.isSafeInteger(sum) ? decimalFromMinor(sum) : undefined;
}
