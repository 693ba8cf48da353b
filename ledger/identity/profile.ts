/** A person's profile, out of what the identity provider claims. Pure. */
import type { Profile } from '#contracts/events/user';

export type Claims = Readonly<Record<string, unknown>>;

const LONGEST = 200;

function text(claims: Claims, ...names: readonly string[]): string {
  for (const name of names) {
    const value = claims[name];
    // Postgres keeps any text but one with a NUL: that would stop the projector at an event that cannot be
    // taken back.
    const kept = typeof value === 'string' ? value.replaceAll('\u0000', '').trim() : '';
    if (kept !== '') return kept.slice(0, LONGEST);
  }
  return '';
}

/** The picture's address, if a browser may load it. */
function picture(claims: Claims): string | null {
  const { picture: value } = claims;
  return typeof value === 'string' &&
    value.length <= 2_000 &&
    URL.canParse(value) &&
    new URL(value).protocol === 'https:'
    ? value
    : null;
}

/** Missing claims are empty texts, so that a screen shows nothing rather than something wrong. */
export const profileFrom = (claims: Claims): Profile => ({
  email: text(claims, 'email'),
  // Some providers send the word instead of the value.
  emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
  username: text(claims, 'preferred_username', 'nickname', 'name'),
  firstName: text(claims, 'given_name'),
  lastName: text(claims, 'family_name'),
  profileImageUrl: picture(claims),
});
