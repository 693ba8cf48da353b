/**
 * Whether a secret was made at random, as far as can be told from looking at it: what somebody typed, left as
 * it was delivered, or filled up with one character is found; what a generator gave is not refused by chance.
 */

/** Sixteen characters of a generator's are 64 bits at least. */
const LEAST_CHARACTERS = 16;
/** Of 32 random hexadecimal digits fewer than six are different ones less than once in 10^12. */
const LEAST_DIFFERENT = 6;
/** Of 32 random bytes some thirty are different; fewer than sixteen come about less than once in 10^9. */
const LEAST_DIFFERENT_BYTES = 16;

/** What people leave as it was delivered, and what documents show as an example. */
const KNOWN =
  /change[-_ ]?(me|it|this)|pass(word|wd|wort)|secret|letmein|qwerty|example|default|admin|postgres|encore|12345678|abcdefgh/i;

/** Why a secret can be guessed, as a clause; undefined where nothing tells. */
export function weaknessOf(secret: string): string | undefined {
  if (KNOWN.test(secret)) return 'it is, or holds, what everybody tries first';
  if (secret.length < LEAST_CHARACTERS)
    return `it has ${secret.length} characters, and ${LEAST_CHARACTERS} are the least`;
  if (new Set(secret).size < LEAST_DIFFERENT) return 'it has hardly any different characters';
  if (isRepeated(secret, 1)) return 'it is one part over and over';
  return undefined;
}

/** The same of a key that is written in hexadecimal digits. */
export function weaknessOfKey(hex: string): string | undefined {
  const bytes = [...Buffer.from(hex, 'hex')];
  if (new Set(bytes).size === 1) return 'it is one byte over and over';
  if (isRepeated(hex.toLowerCase(), 2)) return 'it is one part over and over';
  const steps = new Set(bytes.slice(1).map((byte, at) => (byte - bytes[at]! + 256) % 256));
  if (steps.size === 1) return 'its bytes are counted up or down';
  if (new Set(bytes).size < LEAST_DIFFERENT_BYTES) return 'too many of its bytes are the same';
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'its bytes are text that somebody wrote';
  return undefined;
}

/** Whether a text is a part of it, a multiple of `unit` long, again and again. */
function isRepeated(text: string, unit: number): boolean {
  for (let length = unit; length <= text.length / 2; length += unit)
    if (text.length % length === 0 && text === text.slice(0, length).repeat(text.length / length))
      return true;
  return false;
}
