import { describe, expect, it } from '@jest/globals';
import { notedWords } from './operator-trail.js';
import { USAGE } from './usage.js';

/** Asked of a ledger, which notes them itself; or only read, and where there may be no Postgres at all. */
const NOT_NOTED_HERE = [
  'book-platform-money',
  'unclaimed',
  'pay-unclaimed',
  'write-off',
  'recover-account',
  'end-sessions',
  'archive',
];
/** Noted only with the word that makes them change something, or without the one that makes them look. */
const LOOKS: Readonly<Record<string, string[]>> = {
  quarantine: ['--list'],
  'check-stripe': [],
  restore: ['--check', '/backup'],
};

describe('an operator’s act', () => {
  it.each(Object.keys(USAGE).filter((verb) => !NOT_NOTED_HERE.includes(verb)))('is noted: %s', (verb) =>
    expect(notedWords(verb, verb === 'check-stripe' ? ['--set-up'] : ['usr_a', '3'])).toBeDefined(),
  );

  it.each(Object.entries(LOOKS))('that only looks is not noted: %s', (verb, words) =>
    expect(notedWords(verb, words)).toBeUndefined(),
  );

  it('is noted without the reason that the operator wrote', () =>
    expect(notedWords('quarantine', ['user-usr_a', '3', '--because', 'Odalys asked'])).toEqual({
      stream: 'user-usr_a',
      revision: '3',
    }));
});
