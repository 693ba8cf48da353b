/**
 * A call that the server guards by a passkey is answered `passkey_required`: the person is asked for theirs,
 * and the same call goes again with the proof. So it is for whatever the server guards, and no screen has to
 * know.
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

/** The call, with a passkey asked for where it needs one. */
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
    // Put off, or no authenticator at hand; or the server has its own sentence about it.
    return { error: isRefusal(failure) ? failure : NOT_PROVEN };
  }
};

const isRefusal = (failure: unknown): failure is CallError =>
  typeof failure === 'object' && failure !== null && 'sentence' in failure && 'code' in failure;
