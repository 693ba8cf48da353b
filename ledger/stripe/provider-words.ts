/** What the provider writes, as an entry can hold it. */

const MOST_CHARACTERS = 400;

/**
 * The provider's words, of bounded length and without what no table takes: zero bytes and halves of
 * characters. A cut may make such a half.
 */
export const wordsOf = (text: string, mostCharacters = MOST_CHARACTERS): string =>
  text
    .replaceAll('\0', '')
    .slice(0, mostCharacters)
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD');
