import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { GuestPaymentBody } from '../api/guest-tips.js';
import { PutTipPage } from '../api/tip-page.js';
import { CreateWallet } from '../api/treasury.js';
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
    ['a check mark, which is for who is verified', 'Juno \u2714\ufe0f\u2713 \u2705\u2611\u{1f5f8}', 'Juno'],
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
    'Mª José',
    'Keʻala',
    'サザンオールスターズ',
    'X JAPANの会',
    '周杰倫Jay',
    'Kim민수',
    'Բագրատ',
    'नेहा',
    'ཚེ་རིང་',
    'ᠪᠠᠲᠤ',
    'Juno™ & the 4×4s',
  ])('of anybody’s own writing stays: %s', (name) => {
    expect(cleanName(name)).toBe(name.normalize('NFC'));
    expect(mixesAlphabets(name)).toBe(false);
  });

  it('does not climb over its line', () => expect(cleanName(`a${'\u0301'.repeat(40)}`)).toHaveLength(3));

  it.each([
    'Jun\u043e Valastro',
    '\u0408uno',
    'Jun\u03bf',
    'V\u0430lastro',
    // Greek among Cyrillic, Cherokee, Thai and Arabic digits among Latin.
    'Юли\u03b1',
    'Jun\u13ab',
    'Jun\u0e4f\u0e01',
    'Juno\u0661',
    // Bold, wide and circled.
    '\u{1d409}uno',
    '\uff2a\uff55\uff4e\uff4f',
    '\u24bfuno',
  ])('that mixes letters that look alike is known: %s', (name) => expect(mixesAlphabets(name)).toBe(true));
  it.each(['Юлия Smith', 'DJ Νίκος', 'R2-D2', ''])('may have each word in another alphabet: %s', (name) =>
    expect(mixesAlphabets(name)).toBe(false),
  );
});

describe('a name of a quarter of a million signs', () => {
  const signs = '\u0301'.repeat(250_000);
  it.each<[string, z.ZodType, string]>([
    ['stage name', PutTipPage.shape.stageName, 'The stage name has at most 60 characters.'],
    ['line', PutTipPage.shape.line, 'The line under the name has at most 80 characters.'],
    ['guest’s name', GuestPaymentBody.shape.name, 'A name has at most 60 characters.'],
    ['wallet name', CreateWallet.shape.displayName, 'A wallet name has at most 100 characters.'],
  ])('is refused before it is read sign by sign: %s', (_, schema, sentence) =>
    // One sentence: what reads each sign would have had another one to say.
    expect(schema.safeParse(`Jun\u043e${signs}`).error?.issues.map(({ message }) => message)).toEqual([
      sentence,
    ]),
  );
});

describe('a new name that mixes alphabets', () => {
  const LOOKS_LIKE_JUNO = 'Jun\u043e';
  const said = (schema: z.ZodType, name: unknown): readonly string[] =>
    schema.safeParse(name).error?.issues.map(({ message }) => message) ?? [];
  const cases: readonly (readonly [string, z.ZodType])[] = [
    ['The stage name', PutTipPage.shape.stageName],
    ['The name', GuestPaymentBody.shape.name],
    ['The wallet name', CreateWallet.shape.displayName],
  ];

  it.each(cases)('is refused in a sentence: %s', (what, schema) => {
    expect(said(schema, LOOKS_LIKE_JUNO)).toEqual([
      `${what} mixes letters of several alphabets. Please write it in one.`,
    ]);
    expect(said(schema, 'Юлия')).toEqual([]);
  });
});

describe('a guest’s name', () => {
  const said = (name: string): readonly string[] =>
    GuestPaymentBody.shape.name.safeParse(name).error?.issues.map(({ message }) => message) ?? [];

  it.each(['Encore Support', 'ENC0RE', 'Encor\u00e9!', 'encore payouts team'])(
    'is not one that a performer takes for ours: %s',
    (name) =>
      expect(said(name)).toContainEqual(
        'This name could be taken for one of ours. Please write another one.',
      ),
  );

  it.each(['Wren', 'Last Encore', '', '   '])('is any other: “%s”', (name) => expect(said(name)).toEqual([]));
});
