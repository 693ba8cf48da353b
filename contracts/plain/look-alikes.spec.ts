import { describe, expect, it } from '@jest/globals';
import { looksLikeUs, nameLook, plainLetters, readsAsLatin } from './look-alikes.js';
import { mixesAlphabets } from './names.js';

describe('a name of which every letter is taken for a Latin one', () => {
  it.each([
    ['in Cyrillic', '\u0410\u04cf\u0435\u0445', 'Alex'],
    ['in Cyrillic, with an accent', '\u0405\u043a\u0443\u0435\u0308', 'Skye'],
    ['in Greek capitals', '\u0391\u039d\u039d\u0391', 'ANNA'],
    ['in Armenian', '\u0570\u0585\u0578', 'hon'],
    ['in Cherokee', '\u13d9\u13aa\u13de', 'VAL'],
    ['in Lisu', '\ua4d9\ua4f4\ua4e0\ua4f3', 'JUNO'],
    ['with one word in Latin letters', '\u0410\u04cf\u0435\u0445 Smith', 'Alex Smith'],
  ])('is known, %s', (_, name, taken) => {
    expect(readsAsLatin(name)).toBe(true);
    expect(nameLook(name)).toBe(nameLook(taken));
    expect(plainLetters(name)).not.toBe(plainLetters(taken));
    expect(mixesAlphabets(name)).toBe(false);
  });

  it.each(['Юлия', 'Νίκος', 'Сара Иванова', 'Բագրատ', 'Alex', 'Zoë Nuñez', '李小龙', 'R2-D2', '4×4', ''])(
    'is not somebody’s own writing, or plain Latin: %s',
    (name) => expect(readsAsLatin(name)).toBe(false),
  );

  it('is the same to the eye whatever blanks, accents and capitals it has', () =>
    expect(nameLook('ZOË  val')).toBe(nameLook('Zo\u00e9-Val')));

  it('is not confused with another name that only has the same sound', () => {
    expect(nameLook('Ai')).not.toBe(nameLook('Al'));
    expect(nameLook('Al')).toBe(nameLook('AI'));
  });
});

describe('a name that could be taken for ours', () => {
  it.each([
    'Encore',
    'ENCORE Support',
    'Encor\u00e9!',
    'Enc0re',
    '\u0415ncore',
    'En core help',
    // As programs for fancy letters make it: small capitals, letters in boxes and discs, and those of flags.
    '\u1d07\u0274\u1d04\u1d0f\u0280\u1d07 \ua731\u1d1c\u1d18\u1d18\u1d0f\u0280\u1d1b',
    'Enc\u1d0fre',
    '\u{1f174}\u{1f17d}\u{1f172}\u{1f17e}\u{1f181}\u{1f174}',
    '\u{1f154}\u{1f15d}\u{1f152}\u{1f15e}\u{1f161}\u{1f154} help',
    '\u{1f134}\u{1f13d}\u{1f132}\u{1f13e}\u{1f141}\u{1f134}',
    '\u{1f1ea}\u{1f1f3}\u{1f1e8}\u{1f1f4}\u{1f1f7}\u{1f1ea}',
  ])('is known: %s', (name) => expect(looksLikeUs(name)).toBe(true));
  it.each(['The Encores', 'Juno', 'Last Encore', 'Juno \u{1f1ea}\u{1f1f3}', ''])(
    'is no other one: %s',
    (name) => expect(looksLikeUs(name)).toBe(false),
  );
});
