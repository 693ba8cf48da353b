import { describe, expect, it } from '@jest/globals';
import { reachedAt } from './identity-provider.js';
import { profileFrom } from './profile.js';
import { safeReturnTo } from './return-to.js';
import { userIdFrom } from './user-id.js';

describe('where sign-in returns to', () => {
  it.each(['/', '/tip/usr_a?amount=5&description=Great%20set', '/history#today', '/a%2Fb', '/apiary'])(
    'is %s as asked',
    (path) => expect(safeReturnTo(path)).toBe(path),
  );

  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'evil.example',
    '@evil.example',
    '/\u0000',
    '/\u007f',
    '',
    '/api/logout',
    '/api',
    '/x/../api/login',
    '/%61pi/logout',
    '/%61pi%2flogout',
    '/%2e%2e/%61pi/login?returnTo=/x',
    '/%zz',
    `/${'x'.repeat(2_001)}`,
    undefined,
    ['/a', '/b'],
  ])('is the home page for %j', (path) => expect(safeReturnTo(path)).toBe('/'));
});

describe('a user id', () => {
  it('is the same for the same person, short and safe in a link', () => {
    expect(userIdFrom('local', 's1')).toBe(userIdFrom('local', 's1'));
    expect(userIdFrom('local', 's1')).toMatch(/^usr_[0-9a-z]{26}$/);
  });
  it('differs between people, providers, and where the one ends and the other begins', () =>
    expect(
      new Set([userIdFrom('local', 's1'), userIdFrom('local', 's2'), userIdFrom('locals', '1')]).size,
    ).toBe(3));
});

const ADA = 'usr_0ada4567890123456789012345';

describe('a profile', () => {
  it('takes what the provider claims', () =>
    expect(
      profileFrom(
        {
          email: 'ada@example.org',
          email_verified: true,
          preferred_username: 'ada',
          given_name: 'Ada',
          family_name: 'Byron',
          picture: 'https://example.org/a.png',
        },
        ADA,
      ),
    ).toEqual({
      email: 'ada@example.org',
      emailVerified: true,
      username: 'ada',
      firstName: 'Ada',
      lastName: 'Byron',
      // Nothing remote is shown: a picture is uploaded to us.
      profileImageUrl: null,
    }));
  it('is empty where nothing usable is claimed, and trusts no unproven address', () =>
    expect(
      profileFrom(
        {
          email: 7,
          email_verified: 'yes',
          picture: 'javascript:alert(1)',
          given_name: '  ',
          family_name: ' \u0000',
        },
        ADA,
      ),
    ).toEqual({
      email: '',
      emailVerified: false,
      username: 'user_0ada4567',
      firstName: '',
      lastName: '',
      profileImageUrl: null,
    }));
  it('keeps no character that the read models could not', () =>
    expect(profileFrom({ given_name: 'A\u0000da' }, ADA)).toMatchObject({ firstName: 'Ada' }));
  it.each([
    [
      { given_name: 'Encore', family_name: 'Support' },
      { firstName: '', lastName: '' },
    ],
    [{ family_name: 'Enc\u043ere Payouts' }, { firstName: '', lastName: '' }],
    [{ preferred_username: 'encore_support' }, { username: 'user_0ada4567' }],
    [{ preferred_username: 'ENC0RE', nickname: 'ada' }, { username: 'ada' }],
    // Anybody else's: only a beginning like ours is taken for us.
    [
      { given_name: 'Enco', family_name: 'Renkema' },
      { firstName: 'Enco', lastName: 'Renkema' },
    ],
    [
      { given_name: 'Ada', family_name: 'Encore' },
      { firstName: 'Ada', lastName: 'Encore' },
    ],
  ])('has no name by which its owner would be taken for us: %j', (claims, shown) =>
    expect(profileFrom(claims, ADA)).toMatchObject(shown),
  );
  it('hides nothing in a name', () =>
    expect(
      profileFrom(
        {
          given_name: '\u202eJu\u200bno',
          family_name: 'Vala\u2060stro',
          preferred_username: 'ju\u00adno',
        },
        ADA,
      ),
    ).toMatchObject({ firstName: 'Juno', lastName: 'Valastro', username: 'juno' }));
  it.each([
    ['an address', { preferred_username: 'ada@example.org' }, 'user_0ada4567'],
    [
      'an address with something hidden in it',
      { preferred_username: 'ada\u200b@example.org' },
      'user_0ada4567',
    ],
    [
      'an address of which there is a nickname',
      { preferred_username: 'ada@example.org', nickname: 'ada' },
      'ada',
    ],
    ['two addresses', { preferred_username: 'ada@example.org', nickname: 'a@b.example' }, 'user_0ada4567'],
    ['nothing but the full name', { name: 'Ada Byron' }, 'user_0ada4567'],
    ['a name behind an @', { preferred_username: '@ada' }, '@ada'],
  ])('has a username that tells everybody neither address nor full name, of %s', (_, claims, username) =>
    expect(profileFrom({ ...claims, given_name: 'Ada', family_name: 'Byron' }, ADA).username).toBe(username),
  );
});

describe('where the ledger calls the identity provider', () => {
  const issuer = 'http://localhost:3000/identity';
  it('is the issuer, unless another way in is set', () =>
    expect(reachedAt(`${issuer}/token`, issuer, undefined)).toBe(`${issuer}/token`));
  it('is that other way in, path and query kept', () => {
    expect(reachedAt(`${issuer}/token?a=b`, issuer, 'http://identity:4000/identity/')).toBe(
      'http://identity:4000/identity/token?a=b',
    );
    expect(reachedAt(issuer, `${issuer}/`, 'http://identity:4000/identity')).toBe(
      'http://identity:4000/identity',
    );
  });
  it('is left as it is for an address that only looks like the issuer', () =>
    expect(reachedAt(`${issuer}.evil.example/token`, issuer, 'http://identity:4000/identity')).toBe(
      `${issuer}.evil.example/token`,
    ));
});
