/** Asks the device's authenticator, and the server for a proof of its answer. Loaded on demand. */
import { startAuthentication, type PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { PasskeyProof } from '#contracts/api/passkeys';
import type { CallError } from './call.js';

type Post = (
  path: string,
  body: unknown,
) =>
  | PromiseLike<{ readonly data?: unknown; readonly error?: CallError }>
  | {
      readonly data?: unknown;
      readonly error?: CallError;
    };

/** The proof for one call. Throws the server's refusal, or the browser's error if the person cancels. */
export async function passkeyProof(post: Post): Promise<string> {
  const asked = await post('/api/passkeys/assertion/options', {});
  if (asked.error) throw asked.error;
  const response = await startAuthentication({
    optionsJSON: asked.data as PublicKeyCredentialRequestOptionsJSON,
  });
  const verified = await post('/api/passkeys/assertion/verify', { response });
  if (verified.error) throw verified.error;
  return (verified.data as PasskeyProof).proof;
}
