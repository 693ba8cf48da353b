/** Handles: what may be one, and which two are one to the eye. */
import { describe, expect, it } from '@jest/globals';
import { handleProblem, lookOf, suggestedHandle } from './handle.js';

describe('a handle', () => {
  it.each(['juno', 'juno_plays', 'dj7', 'abc', 'a'.repeat(30)])('may be %s', (handle) => {
    expect(handleProblem(handle)).toBeUndefined();
  });

  it.each([
    'ju',
    'a'.repeat(31),
    'Juno',
    'juno.plays',
    'juno-plays',
    'jün',
    '123',
    '___',
    '',
    'a b c',
    'juno\n',
  ])('may not be %j', (handle) => {
    expect(handleProblem(handle)).toMatch(/3 to 30 characters/);
  });

  it.each([
    'admin',
    'adm1n',
    'support',
    'supp0rt',
    'encore',
    'enc0re_pay',
    'encore_juno',
    'receipt',
    'p_a_y',
  ])('that could be taken for one of ours, such as %s, is nobody’s', (handle) => {
    expect(handleProblem(handle)).toMatch(/taken for one of ours/);
  });

  it.each([
    ['juno_plays', 'junoplays'],
    ['junoplays', 'jun0plays'],
    ['junoplays', 'junop1ays'],
    ['junoplays', 'junopiays'],
    ['marnie', 'mamie'],
    ['willow', 'vvi11ow'],
  ])('%s looks like %s', (one, other) => {
    expect(lookOf(one)).toBe(lookOf(other));
  });

  it('of another look is another one', () => {
    expect(lookOf('juno')).not.toBe(lookOf('juna'));
  });

  it('is suggested by a username, where that has the letters for one', () => {
    expect(suggestedHandle('Juno.Plays')).toBe('juno_plays');
    expect(suggestedHandle('Zoë Ångström')).toBe('zoe_angstrom');
    expect(suggestedHandle('名前')).toBeUndefined();
    expect(suggestedHandle('admin')).toBeUndefined();
  });
});
