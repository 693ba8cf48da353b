/** A person's profile, out of what the identity provider claims. Pure. */
import type { Profile } from '#contracts/events/user';
import { looksLikeUs } from '#contracts/plain/look-alikes';
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

/**
 * First and last name. Whoever signs up writes them, and mails and pages of ours call people by them: what
 * could be taken for ours is none, as it is of a guest.
 */
function namesOf(claims: Claims): Pick<Profile, 'firstName' | 'lastName'> {
  const [firstName, lastName] = [text(claims, 'given_name'), text(claims, 'family_name')];
  return looksLikeUs(firstName || lastName) ? { firstName: '', lastName: '' } : { firstName, lastName };
}

/** What the provider calls them, the best first. */
const usernamesOf = (claims: Claims): string[] =>
  [text(claims, 'preferred_username'), text(claims, 'nickname')].filter((name) => !looksLikeUs(name));

/** Missing claims are empty texts, so that a screen shows nothing rather than something wrong. */
export const profileFrom = (claims: Claims, userId: string): Profile => ({
  email: text(claims, 'email'),
  // Some providers send the word instead of the value.
  emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
  // Not `name`: that is the full name, which privacy mode hides.
  username: usernameFrom(usernamesOf(claims), userId),
  ...namesOf(claims),
  // Pictures are uploaded to us: what somebody else serves may change, and tells them who looks at it.
  profileImageUrl: null,
});
