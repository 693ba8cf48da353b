/** Ids in the provider's form: a prefix that tells the kind, then random letters and digits. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random letters and digits; 24 of them hold more than 140 bits, so that two never meet. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte; larger bytes would favour the first letters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** A new id such as `pi_3f…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomText(24)}`;
}
