/**
 * A user's id: derived, so that the same person at the same identity provider is the same user in every
 * process and restore.
 */
import { createHash } from 'node:crypto';
import { base32 } from '#log/digest';

/**
 * `usr_` and 26 characters (130 bits). `issuerName` is OIDC_ISSUER_NAME or the issuer: it must never change.
 */
export function userIdFrom(issuerName: string, subject: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['user', issuerName, subject]))
    .digest();
  return `usr_${base32(digest).slice(0, 26)}`;
}
