/** Asks the device's authenticator, and the server for a proof of its answer. Loaded on demand. */
import { startAuthentication, type PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { PasskeyProof } from '#contracts/api/passkeys';
import type { Confirmation } from './confirmations.js';

/**
 * The proof for one call. `id` is the server's name for what is confirmed: the challenge is made from it, so
 * that the passkey signs its words. Throws the server's refusal, or the browser's error if the person
 * cancels.
 */
export async function passkeyProof(post: Confirmation['post'], id?: string): Promise<string> {
  const confirm = id === undefined ? {} : { confirm: id };
  const asked = await post('/api/passkeys/assertion/options', confirm);
  if (asked.error) throw asked.error;
  const response = await startAuthentication({
    optionsJSON: asked.data as PublicKeyCredentialRequestOptionsJSON,
  });
  const verified = await post('/api/passkeys/assertion/verify', { ...confirm, response });
  if (verified.error) throw verified.error;
  return (verified.data as PasskeyProof).proof;
}
