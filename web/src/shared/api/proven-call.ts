/**
 * A call that needs a passkey is answered `passkey_required`: the user is asked for a passkey, and the call
 * is sent again with the proof. Screens need not know which calls are guarded.
 */
import type { BaseQueryFn } from '@reduxjs/toolkit/query';
import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { call, type Call, type CallError, type CallMeta } from './call.js';

const NOT_PROVEN: CallError = {
  status: 403,
  message: '403: No passkey was shown.',
  sentence: 'This needs your passkey. Nothing has changed; please try again.',
  code: 'passkey_required',
};

/** Makes the call, and asks for a passkey if needed. */
export const provenCall: BaseQueryFn<Call, unknown, CallError, object, CallMeta> = async (
  asked,
  context,
  extra,
) => {
  const answer = await call(asked, context, extra);
  if (answer.error?.code !== 'passkey_required') return answer;
  const wanted = typeof asked === 'string' ? { path: asked } : asked;
  try {
    const { passkeyProof } = await import('./passkey-proof.js');
    const proof = await passkeyProof(async (path, body) =>
      call({ path, method: 'POST', body }, context, extra),
    );
    const headers = { ...wanted.headers, [PASSKEY_PROOF_HEADER]: proof };
    return await call({ ...wanted, headers }, context, extra);
  } catch (failure) {
    // Cancelled, or no authenticator; or the server's own refusal.
    return { error: isRefusal(failure) ? failure : NOT_PROVEN };
  }
};

const isRefusal = (failure: unknown): failure is CallError =>
  typeof failure === 'object' && failure !== null && 'sentence' in failure && 'code' in failure;
