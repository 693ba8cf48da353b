/** An amount as people type it into a search, on the way too: what it begins with. */

// A comma that three digits follow stands between thousands, as amounts are shown; any other one begins the
// cents.
const WITH_THOUSANDS = /^[+-]?\$?(\d{1,3}(?:,\d{3})+(?:\.\d{0,2})?)$/;
const PLAIN = /^[+-]?\$?(\d+(?:[.,]\d{0,2})?)$/;

/**
 * The decimal with which the amounts that are looked for begin: `$1,250.5` → `1250.5`, `12,50` → `12.50`.
 * Undefined for a text that is no amount.
 */
export function searchedAmount(text: string): string | undefined {
  const withThousands = WITH_THOUSANDS.exec(text)?.[1];
  if (withThousands !== undefined) return withThousands.replaceAll(',', '');
  return PLAIN.exec(text)?.[1]?.replace(',', '.');
}
