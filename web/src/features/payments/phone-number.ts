/** Formats a phone number while it is typed. Pure. */

const PHONE_DIGITS = 10;
/** `(XXX) XXX-XXXX`. */
export const PHONE_MAX_LENGTH = 14;

/** Formats what was typed so far: `5551234` → `(555) 123-4`. */
export function phoneNumber(typed: string): string {
  const digits = typed.replace(/\D/g, '').slice(0, PHONE_DIGITS);
  const [area, exchange, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)];
  if (line !== '') return `(${area}) ${exchange}-${line}`;
  if (exchange !== '') return `(${area}) ${exchange}`;
  return area === '' ? '' : `(${area}`;
}
