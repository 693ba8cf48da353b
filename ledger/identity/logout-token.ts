/** What a logout token says, once its signature, issuer, audience and age hold. Pure. */
import type { JWTPayload } from 'jose';

/** The event that makes a token an order to log out. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LONGEST_NAME = 255;

/** Whom to log out: a person, one of their sessions at the provider, or both. */
export interface NamedLogout {
  /** `jti`: a second token of the same id is a repeat. */
  readonly tokenId: string;
  readonly subject: string | undefined;
  readonly providerSid: string | undefined;
}

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME ? value : undefined;

/** Throws for claims that are no order to log out (OpenID Connect Back-Channel Logout 1.0, §2.4 and §2.6). */
export function namedIn(claims: JWTPayload): NamedLogout {
  const { events, jti } = claims;
  const order =
    typeof events === 'object' && events !== null && LOGOUT_EVENT in events && events[LOGOUT_EVENT];
  if (typeof order !== 'object' || order === null) throw new Error('It is no order to log out.');
  // An ID token has one: nobody may pass it off as an order to log out.
  if ('nonce' in claims) throw new Error('It has a nonce.');
  const tokenId = nameIn(jti);
  if (tokenId === undefined) throw new Error('It has no id of its own.');
  const subject = nameIn(claims.sub);
  const providerSid = nameIn(claims['sid']);
  if (subject === undefined && providerSid === undefined) throw new Error('It names nobody.');
  return { tokenId, subject, providerSid };
}
