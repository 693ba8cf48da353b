/**
 * Asks for a passkey before money leaves, and before anything that would do away with the asking. One table,
 * in front of every call, so that no slice has to remember it.
 */
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PASSKEY_PROOF_HEADER } from '#contracts/plain/headers';
import { PASSKEY_REQUIRED } from '#contracts/api/passkeys';
import { Refusal } from '#edge/refusal';
import { CookieJar } from '../sessions/cookies.js';
import { PasskeyHandlers } from './passkeys.handlers.js';

/** Whether the user wants to be asked; filled in processes/ledger/reads.ts. */
export abstract class BiometricSwitch {
  abstract isOn(userId: string): Promise<boolean>;
}

const always = (): boolean => true;
const switchesOff = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'biometricEnabled' in body && body.biometricEnabled === false;

/** The calls that need a proof, as `METHOD pattern`. */
export const GUARDED: Readonly<Record<string, (body: unknown) => boolean>> = {
  'POST /api/payouts': always,
  'POST /api/treasury/withdraw': always,
  // A thief with the open phone would do these first.
  'PUT /api/settings': switchesOff,
  'POST /api/passkeys/enrolment/verify': always,
  'DELETE /api/passkeys/:id': always,
};

@Injectable()
export class PasskeyGuard implements CanActivate {
  constructor(
    private readonly passkeys: PasskeyHandlers,
    private readonly biometric: BiometricSwitch,
    private readonly cookies: CookieJar,
  ) {}

  /** Throws a {@link Refusal} (403) with the code `passkey_required`. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { userId } = request;
    const pattern = `${request.method} ${request.routeOptions.url ?? ''}`;
    const isGuarded = Object.hasOwn(GUARDED, pattern) && GUARDED[pattern]!(request.body);
    if (!isGuarded || userId === undefined) return true;
    // Until there is a passkey there is nothing to ask for: the switch may be turned before the first one is
    // enrolled.
    if (!(await this.biometric.isOn(userId)) || !(await this.passkeys.guards(userId))) return true;
    const proof = request.headers[PASSKEY_PROOF_HEADER];
    const session = this.cookies.sessionOf(request);
    if (
      typeof proof === 'string' &&
      session !== undefined &&
      (await this.passkeys.takesProof({ userId, session }, proof))
    )
      return true;
    throw new Refusal(403, 'Please confirm with your passkey.', PASSKEY_REQUIRED);
  }
}
