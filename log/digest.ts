/**
 * Digests that stand for a text without telling it: in ids, names of streams, and keys under which rows are
 * found.
 */
import { createHash } from 'node:crypto';

/** 130 bits that stand for a text of a kind, in 26 characters. */
export const digestOf = (kind: string, text: string): string =>
  base32(createHash('sha256').update(`${kind}\0${text}`).digest()).slice(0, 26);

/** What a tip page's handle is looked up by, letter for letter. */
export const exactKeyOf = (handle: string): string => digestOf('handle-exact', handle);

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Crockford's base32, lower case: safe in links and easy to read aloud. */
export function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += ALPHABET[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}
