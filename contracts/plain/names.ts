/** Names of people: cleaned of what nobody sees, and asked whether they could be taken for another's. */

/** Controls (those that turn the reading direction among them), and what is drawn as nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Three signs on one letter are somebody's writing; more of them climb over the lines around. */
const HEAPED_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * A name in one form of Unicode (NFC), without controls, zero-width and other unseen characters, its blanks single.
 * Two names that look alike because one of them hides something are the same text afterwards.
 */
export const cleanName = (name: string): string =>
  name
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll(HEAPED_MARKS, '$1')
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .trim();

const LATIN = /\p{Script=Latin}/u;
/** Alphabets with letters that look like Latin ones. */
const LIKE_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Georgian}]/u;

/**
 * Whether a word of the name has letters of several alphabets that look alike, such as a Cyrillic а in a Latin name:
 * nobody is called so, and somebody may be imitated so.
 */
export const mixesAlphabets = (name: string): boolean =>
  name.split(/[\s._-]+/).some((word) => LATIN.test(word) && LIKE_LATIN.test(word));
