/**
 * A call that the server wants confirmed (`passkey_required`, `sign_in_required`) waits until its user has
 * confirmed it, and is sent again unchanged, under the same key, with the proof. Screens need not know which
 * calls are guarded.
 */
import type { BaseQueryFn } from '@reduxjs/toolkit/query';
import { IDEMPOTENCY_KEY_HEADER, PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { call, NOT_CONFIRMED, type Call, type CallError, type CallMeta } from './call.js';
import { confirmations, newConfirmationId, type Decision, type SentCall } from './confirmations.js';

const CANCELLED: CallError = {
  status: 403,
  message: '403: Not confirmed.',
  sentence: 'You did not confirm this. Nothing has changed.',
  code: NOT_CONFIRMED,
};

const asksToConfirm = ({ code }: CallError): boolean =>
  code === 'passkey_required' || code === 'sign_in_required';

/**
 * The proofs of calls whose answer was lost: the same call again, under the same key, is not confirmed twice.
 * In memory only: a proof opens nothing but its own call, and that only for a while.
 */
const proofs = new Map<string, string>();
const MOST_PROOFS = 20;

const nameOf = ({ method, path, body, headers }: SentCall): string =>
  JSON.stringify([method, path, headers?.[IDEMPOTENCY_KEY_HEADER], body]);

function keep(name: string, proof: string): void {
  proofs.set(name, proof);
  for (const oldest of proofs.keys()) if (proofs.size > MOST_PROOFS) proofs.delete(oldest);
}

/** Makes the call, and lets its user confirm it if needed. */
export const provenCall: BaseQueryFn<Call, unknown, CallError, object, CallMeta> = async (
  asked,
  context,
  extra,
) => {
  const wanted: SentCall = typeof asked === 'string' ? { path: asked } : asked;
  const name = nameOf(wanted);
  const send = async () => {
    const proof = proofs.get(name);
    const headers =
      proof === undefined ? wanted.headers : { ...wanted.headers, [PASSKEY_PROOF_HEADER]: proof };
    const answer = await call({ ...wanted, headers }, context, extra);
    // Not known is what came of it: the next try shows the same proof.
    if (!answer.error || (answer.error.status >= 400 && answer.error.status < 500)) proofs.delete(name);
    return answer;
  };
  const post = async (path: string, body: unknown) => call({ path, method: 'POST', body }, context, extra);

  let answer = await send();
  while (answer.error && asksToConfirm(answer.error)) {
    const refusal = answer.error;
    let decide: (decision: Decision) => void = () => undefined;
    const decided = new Promise<Decision>((resolve) => (decide = resolve));
    const { endpoint = context.endpoint } = wanted;
    const waits = { id: newConfirmationId(), refusal, call: wanted, endpoint, post, decide };
    confirmations.add(waits);
    try {
      const decision = await decided;
      if (decision === 'cancelled') return { error: CANCELLED };
      if (decision !== 'again') {
        if ('refused' in decision) return { error: decision.refused };
        keep(name, decision.proof);
      }
      // The sheet stays until the answer is there.
      answer = await send();
    } finally {
      confirmations.remove(waits);
    }
  }
  return answer;
};
