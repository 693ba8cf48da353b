/** Names of people: cleaned of what nobody sees, and asked whether they could be taken for another's. */

/** Controls (those that turn the reading direction among them), and what is drawn as nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Check marks: only who is verified has one beside their name, and it is ours. */
const CHECK_MARKS = /[\u237b\u2611\u2705\u2713\u2714\u{1f5f8}\u{1f5f9}]/gu;
/** Three signs on one letter are somebody's writing; more of them climb over the lines around. */
const HEAPED_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * A longer text is refused before it is read letter by letter: no name that stays within its limit needs
 * more.
 */
export const LONGEST_WRITTEN_NAME = 2_000;

/**
 * A name in one form of Unicode (NFC), without controls, zero-width and other unseen characters and without
 * check marks, its blanks single. Two names that look alike because one of them hides something are the same
 * text afterwards.
 */
export const cleanName = (name: string): string =>
  name
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll(CHECK_MARKS, '')
    .replaceAll(HEAPED_MARKS, '$1')
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** The alphabets of today's writing, and three more whose letters look like Latin ones (UAX 31, table 5). */
const ALPHABETS =
  'Latin Arabic Armenian Bengali Bopomofo Cherokee Coptic Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Lisu Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'.split(
    ' ',
  );
/** Those that are written together, as Latin letters are in Japanese, Chinese and Korean names. */
const TOGETHER = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'].map((names) =>
  names.split(' '),
);
const lettersOf = (names: readonly string[]): string => names.map((name) => `\\p{scx=${name}}`).join('');
const WRITTEN_TOGETHER = [...TOGETHER, ...ALPHABETS.map((name) => [name])].map(
  (names) => new RegExp(`^[${lettersOf(names)}\\p{scx=Common}\\p{scx=Inherited}]*$`, 'u'),
);
const OF_AN_ALPHABET = new RegExp(`[${lettersOf(ALPHABETS)}]`, 'u');

/**
 * Bold, circled and wide letters that are an a to a z to the eye; the raised ones of Mª and Nº are somebody's
 * writing.
 */
const isDisguised = (letter: string): boolean =>
  /[^\x00-\x7fªº]/.test(letter) &&
  /\p{Alphabetic}/u.test(letter) &&
  /^[A-Za-z]$/.test(letter.normalize('NFKC'));

/**
 * Whether a word of the name has letters that only look like others: of several alphabets that nobody writes
 * together (UTS 39, "highly restrictive"), such as a Cyrillic а in a Latin name, or Latin ones in disguise.
 */
export const mixesAlphabets = (name: string): boolean =>
  [...name].some(isDisguised) ||
  name
    .split(/[\s._-]+/)
    .some((word) => OF_AN_ALPHABET.test(word) && !WRITTEN_TOGETHER.some((letters) => letters.test(word)));

/**
 * Why a new name is refused that mixes alphabets, as a sentence; `what` begins it, such as "The stage name".
 */
export const mixedName = (what: string): string =>
  `${what} mixes letters of several alphabets. Please write it in one.`;
