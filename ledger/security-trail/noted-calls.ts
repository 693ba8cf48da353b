/**
 * Which calls stand in the trail, told where every answer passes, so that no slice has to remember it: those
 * that change who signs in, what is guarded or where money goes once they were carried out, and every call
 * that was refused.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { trailOf, type SecurityTrail, type TrailEntry } from './security-trail.js';
import type { TrailAct } from './trail-acts.js';

/** The calls that are noted when they succeed, as `METHOD pattern`. */
const NOTED_CALLS: Readonly<Record<string, TrailAct>> = {
  'POST /api/passkeys/enrolment/verify': 'passkey_added',
  'DELETE /api/passkeys/:id': 'passkey_removed',
  'POST /api/bank-accounts': 'bank_account_added',
  'DELETE /api/bank-accounts/:id': 'bank_account_removed',
  'PUT /api/bank-accounts/:id/primary': 'bank_account_made_primary',
  'POST /api/payouts': 'payout_asked',
  'DELETE /api/payment-methods/:id': 'saved_card_removed',
  'POST /api/account-recovery': 'recovery_started',
  'POST /api/account-recovery/refusal': 'recovery_refused',
  'POST /api/account-recovery/completion': 'recovery_completed',
  'POST /api/own-data': 'data_downloaded',
  'POST /api/forgetting': 'forgetting_asked',
  'DELETE /api/forgetting': 'forgetting_cancelled',
};
const SWITCH = 'PUT /api/settings';
/** A page asks so whether somebody is signed in: that is no attempt at anything. */
const WHO_AM_I = 'GET /api/auth/user';

/** Not signed in, not allowed, guarded, too often. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 409, 429]);

/** The switch as a body sets it; undefined where it does not. */
function switchIn(body: unknown): boolean | undefined {
  const value =
    typeof body === 'object' && body !== null && 'biometricEnabled' in body
      ? body.biometricEnabled
      : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

function entryOf(request: FastifyRequest, reply: FastifyReply): TrailEntry | undefined {
  const call = `${request.method} ${request.routeOptions.url ?? 'none'}`;
  const { statusCode: status } = reply;
  if (REFUSALS.has(status)) {
    if (call === WHO_AM_I && request.headers.cookie === undefined) return undefined;
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    return {
      what: 'refused',
      outcome: 'refused',
      ...trailOf(request),
      detail: { method, route, status, code: request.refusedWith },
    };
  }
  if (status < 200 || status > 299) return undefined;
  const { id } = (request.params ?? {}) as { id?: string };
  if (Object.hasOwn(NOTED_CALLS, call))
    return { what: NOTED_CALLS[call]!, ...trailOf(request), detail: { id } };
  const on = call === SWITCH ? switchIn(request.body) : undefined;
  return on === undefined ? undefined : { what: 'passkey_switch', ...trailOf(request), detail: { on } };
}

/** Notes an answered call, if it belongs into the trail. */
export function noteAnswer(trail: SecurityTrail, request: FastifyRequest, reply: FastifyReply): void {
  const entry = entryOf(request, reply);
  if (entry) trail.note(entry);
}
