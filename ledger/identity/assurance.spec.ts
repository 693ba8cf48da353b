/** A sign-in without the class or the methods that the settings ask for lets nobody in. */
import { describe, expect, it } from '@jest/globals';
import { askedOf, lackingIn, wordsOf } from './assurance.js';

const NONE = { classes: [], methods: [] };
const STRONG = { classes: ['urn:gold', 'urn:silver'], methods: ['mfa', 'hwk'] };

describe('how strongly people sign in', () => {
  it('is read from a list with spaces', () => {
    expect(wordsOf(' urn:gold  urn:silver ')).toEqual(['urn:gold', 'urn:silver']);
    expect(wordsOf(undefined)).toEqual([]);
  });

  it('is asked of the provider, as essential where it can be told so', () => {
    expect(askedOf(NONE, true)).toEqual({});
    expect(askedOf(STRONG, false)).toEqual({ acr_values: 'urn:gold urn:silver' });
    const { claims } = askedOf(STRONG, true);
    expect(JSON.parse(claims!)).toEqual({
      id_token: { acr: { essential: true, values: ['urn:gold', 'urn:silver'] }, amr: { essential: true } },
    });
    expect(JSON.parse(askedOf({ ...NONE, methods: ['mfa'] }, true).claims!)).toEqual({
      id_token: { amr: { essential: true } },
    });
  });

  it('is proven by one of the classes and all of the methods', () => {
    expect(lackingIn(NONE, {})).toBeUndefined();
    expect(lackingIn(STRONG, { acr: 'urn:silver', amr: ['pwd', 'hwk', 'mfa'] })).toBeUndefined();
  });

  it.each([
    {},
    { acr: 'urn:bronze', amr: ['mfa', 'hwk'] },
    { amr: ['mfa', 'hwk'] },
    { acr: 'urn:gold' },
    { acr: 'urn:gold', amr: ['mfa'] },
    { acr: 'urn:gold', amr: 'mfa hwk' },
    { acr: ['urn:gold'], amr: ['mfa', 'hwk'] },
  ])('is refused in a sentence where the ID token says %j', (claims) =>
    expect(lackingIn(STRONG, claims)).toMatch(/^This sign-in was not strong enough\. Sign in again/),
  );
});
