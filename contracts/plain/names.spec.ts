import { describe, expect, it } from '@jest/globals';
import { cleanName, mixesAlphabets } from './names.js';

describe('a name', () => {
  it.each([
    ['a direction that is turned', 'Juno \u202eortsalaV\u202c', 'Juno ortsalaV'],
    ['an isolate that is not closed', '\u2066Juno', 'Juno'],
    ['a zero-width space', 'Ju\u200bno', 'Juno'],
    ['joiners', 'Ju\u200c\u200dno\u2060', 'Juno'],
    ['a soft hyphen', 'Ju\u00adno', 'Juno'],
    ['a byte order mark', '\ufeffJuno', 'Juno'],
    ['a filler that is drawn as nothing', 'Juno\u3164\u115f', 'Juno'],
    ['tags', 'Juno\u{e0041}\u{e0042}', 'Juno'],
    ['controls', 'Ju\u0000no\u0007 \nValastro', 'Juno Valastro'],
    ['blanks of other widths', 'Juno\u2003\u00a0 Valastro ', 'Juno Valastro'],
    ['letters in pieces', 'Zoe\u0308', 'Zoë'],
    ['nothing but what is unseen', '\u200b\u202e', ''],
  ])('loses %s', (_, name, clean) => {
    expect(cleanName(name)).toBe(clean);
    expect(cleanName(clean)).toBe(clean);
  });

  it.each([
    'Zoë Nuñez',
    'Łukasz',
    '李小龙',
    'محمد علي',
    'Nguyễn Thị Minh Khai',
    'O’Neill-Smith',
    'Юлия',
    'Νίκος',
  ])('of anybody’s own writing stays: %s', (name) => {
    expect(cleanName(name)).toBe(name.normalize('NFC'));
    expect(mixesAlphabets(name)).toBe(false);
  });

  it('does not climb over its line', () => expect(cleanName(`a${'\u0301'.repeat(40)}`)).toHaveLength(3));

  it.each(['Jun\u043e Valastro', '\u0408uno', 'Jun\u03bf', 'V\u0430lastro'])(
    'that mixes letters that look alike is known: %s',
    (name) => expect(mixesAlphabets(name)).toBe(true),
  );
  it.each(['Юлия Smith', 'DJ Νίκος', 'R2-D2', ''])('may have each word in another alphabet: %s', (name) =>
    expect(mixesAlphabets(name)).toBe(false),
  );
});
