/**
 * Names of which every letter is taken for a Latin one: `Аӏех` in Cyrillic is `Alex` to the eye. No rule on
 * mixed alphabets sees these, for nothing in them is mixed.
 */

/**
 * Letters and the Latin ones that they are taken for, in pairs: the single letters of UTS 39's table of
 * confusables (Unicode 14, https://www.unicode.org/Public/security/), and the two small forms of K that type
 * hardly tells apart.
 */
const PAIRS = [
  // Cyrillic
  'аaАAЬbВBсcСCԁdеeҽeЕEԌGһhНHіiꙇiӏlјjЈJкkКKІlӀlМMоoОOрpРPԛqгrѕsЅSТTѵvѴVѡwԝwԜWхxХXуyүyУYҮY',
  // Greek and Coptic
  'αaΑAΒBϲcϹCΕEϜFΗHιiϳjͿJκkΚKΙlΜMϺMΝNοoσoΟOρpΡPᴦrΤTυuνvΧXγyΥYΖZⲥcⲤCⲎHⲔKⲒlⳐLⲘMⲚNⲟoⲞOⲣpⲢPⲅrⲦTⲬXⲨY',
  // Armenian
  'քfցgհhոnռnօoՕOգqզqՏSսuՍUաw',
  // Cherokee
  'ᎪAᏏbᏴBꮯcᏟCᏧdᎠDᎬEᏀGᏳGᏂhᎻHꭵiᎥiᎫJᏦKᏞLᎷMᏢPꮁrᎡRᏒRꮪsᏕSᏚSᎢTꮩvᏙVꮃwᎳWᏔWᎩYᎽYꮓzᏃZ',
  // Lisu
  'ꓮAꓐBꓚCꓒdꓓDꓰEꓝFꓖGꓧHꓙJꓗKꓲlꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZ',
].join('');
const LATIN_FOR = new Map(
  Array.from(PAIRS.matchAll(/(.)(.)/gu), ([, letter, latin]) => [letter!, latin!] as const),
);

/** The letters of a name one by one, without accents, blanks and signs. */
const lettersOf = (name: string): string[] => name.normalize('NFKD').match(/[\p{L}\p{N}]/gu) ?? [];

/**
 * What a name is told apart by where letters are what they are: small letters without accents, blanks and
 * signs.
 */
export const plainLetters = (name: string): string => lettersOf(name).join('').toLowerCase();

/** What the eye makes of a name: the same for two that only differ in letters that look alike. */
export const nameLook = (name: string): string =>
  lettersOf(name)
    .map((letter) => LATIN_FOR.get(letter) ?? letter)
    .join('')
    .replaceAll(/[I1]/g, 'l')
    .replaceAll('0', 'O')
    .toLowerCase();

/** Whether a name is Latin to the eye and has letters that are not. */
export const readsAsLatin = (name: string): boolean =>
  lettersOf(name).some((letter) => LATIN_FOR.has(letter)) && /^[\p{sc=Latin}\p{N}]+$/u.test(nameLook(name));

/** Small capitals and the letters that they are read as, in pairs; phoneticians write with some of them. */
const SMALL_CAPITALS = 'ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpꞯqʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz';
/** Letters in discs and boxes, and those of flags, each from A to Z: for Unicode they are signs alone. */
const DECORATED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;
const FIRST_DECORATED = [0x1f1e6, 0x1f170, 0x1f150] as const;

/** The letter that a decorated one is. */
function plainOf(decorated: string): string {
  const code = decorated.codePointAt(0) ?? 0;
  return String.fromCharCode(65 + code - (FIRST_DECORATED.find((first) => first <= code) ?? code));
}

/**
 * Whether a name could be taken for our own: "Encore", "Encore Support", in whatever letters look like it.
 */
export const looksLikeUs = (name: string): boolean =>
  nameLook(
    name.replaceAll(DECORATED, plainOf).replaceAll(/[ʙɢʜɪʟɴʀʏᴀ-ᴢꜰꜱꞯ]/g, (letter) => {
      const at = SMALL_CAPITALS.indexOf(letter);
      return at < 0 ? letter : SMALL_CAPITALS.charAt(at + 1);
    }),
  ).startsWith('encore');
