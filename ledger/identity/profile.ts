/** A person's profile, out of what the identity provider claims. Pure. */
import type { Profile } from '#contracts/events/user';
import { cleanName } from '#contracts/plain/names';
import { usernameFrom } from '#contracts/plain/username';

export type Claims = Readonly<Record<string, unknown>>;

const LONGEST = 200;

function text(claims: Claims, name: string): string {
  const value = claims[name];
  // Without what nobody sees. A NUL among it would stop the projector at an event that cannot be taken back:
  // Postgres keeps any text but one with it.
  return typeof value === 'string' ? cleanName(value).slice(0, LONGEST) : '';
}

/** Missing claims are empty texts, so that a screen shows nothing rather than something wrong. */
export const profileFrom = (claims: Claims, userId: string): Profile => ({
  email: text(claims, 'email'),
  // Some providers send the word instead of the value.
  emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
  // Not `name`: that is the full name, which privacy mode hides.
  username: usernameFrom([text(claims, 'preferred_username'), text(claims, 'nickname')], userId),
  firstName: text(claims, 'given_name'),
  lastName: text(claims, 'family_name'),
  // Pictures are uploaded to us: what somebody else serves may change, and tells them who looks at it.
  profileImageUrl: null,
});
