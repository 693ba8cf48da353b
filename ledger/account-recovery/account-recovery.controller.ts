/**
 * Getting an account back: begin, confirm, complete, refuse. Beginning and completing ask for a fresh sign-in
 * whatever passkeys there are, since it is they that cannot be used; refusing asks for a passkey or for the
 * link in the mail.
 */
import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountRecoveryAnswer, RefusalByLink } from '#contracts/api/account-recovery';
import { SIGN_IN_REQUIRED } from '#contracts/api/step-up';
import { ApiCall, BUSY } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, unguarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { SecurityTrail, trailOf } from '../security-trail/security-trail.js';
import { AccountRecoveries, type FreshCaller } from './account-recovery.handlers.js';

const FRESH_SIGN_IN = { by: 'sign-in', duringRecovery: true } as const;
const FRESH_MS = 10 * 60_000;

/** Throws a {@link Refusal} (403, `sign_in_required`) unless they signed in within ten minutes. */
function freshCaller({ userId, sessionId, correlationId }: Caller, request: FastifyRequest): FreshCaller {
  const signedInAt = request.signedIn?.signedInAt;
  if (signedInAt === undefined || Date.now() - signedInAt.getTime() > FRESH_MS)
    throw new Refusal(403, 'Sign in again to go on with the recovery of your account.', SIGN_IN_REQUIRED);
  return { userId, sessionId, signedInAt, correlationId };
}

@Controller('api/account-recovery')
export class AccountRecoveryController {
  constructor(
    private readonly recoveries: AccountRecoveries,
    private readonly trail: SecurityTrail,
  ) {}

  @ApiCall({
    summary: 'How far the recovery of the user’s account is.',
    answer: AccountRecoveryAnswer,
    readsLog: true,
  })
  @Get()
  show(@SignedIn() { userId }: Caller): Promise<AccountRecoveryAnswer> {
    return this.recoveries.of(userId);
  }

  @ApiCall({
    summary: 'Begins a recovery, or confirms the one that an operator began. All other sessions end.',
    answer: AccountRecoveryAnswer,
    proof: guarded(
      'identity',
      () => ({ words: 'Begin the recovery of your account, and sign out everywhere else' }),
      FRESH_SIGN_IN,
    ),
    otherwise: { 409: 'There is nothing to recover, or one was refused a short time ago' },
  })
  @Post()
  @HttpCode(200)
  async start(@SignedIn() caller: Caller, @Req() request: FastifyRequest): Promise<AccountRecoveryAnswer> {
    await this.recoveries.startByOwner(freshCaller(caller, request));
    return this.recoveries.of(caller.userId);
  }

  @ApiCall({
    summary:
      'Completes a recovery whose wait is over: the passkeys of before are removed, and all other sessions end.',
    answer: AccountRecoveryAnswer,
    proof: guarded(
      'identity',
      () => ({ words: 'Complete the recovery of your account, and remove its passkeys' }),
      FRESH_SIGN_IN,
    ),
    otherwise: { 409: 'No recovery is under way, or its wait is not over' },
  })
  @Post('completion')
  @HttpCode(200)
  async complete(@SignedIn() caller: Caller, @Req() request: FastifyRequest): Promise<AccountRecoveryAnswer> {
    await this.recoveries.complete(freshCaller(caller, request));
    return this.recoveries.of(caller.userId);
  }

  @ApiCall({
    summary: 'Refuses a recovery with a passkey of the account: a session alone never does.',
    answer: AccountRecoveryAnswer,
    proof: guarded('identity', () => ({ words: 'Refuse the recovery of your account' }), {
      by: 'passkey',
      duringRecovery: true,
    }),
    otherwise: { 409: 'No recovery is under way' },
  })
  @Post('refusal')
  @HttpCode(200)
  async refuse(@SignedIn() { userId, correlationId }: Caller): Promise<AccountRecoveryAnswer> {
    await this.recoveries.refuseByPasskey(userId, correlationId);
    return this.recoveries.of(userId);
  }

  @ApiCall({
    summary: 'Refuses a recovery with the single-use link of the mail that told of it. No session is needed.',
    proof: unguarded('The link is the proof: it can do nothing else, and it is used up.'),
    otherwise: { 204: 'Refused', 410: 'The link is not valid any more', ...BUSY },
    open: true,
  })
  @Post('refusal-by-link')
  @HttpCode(204)
  async refuseByLink(
    @Body(new Validated(RefusalByLink)) { userId, token }: RefusalByLink,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.recoveries.refuseByLink(userId, token, request.id);
    // Nobody is signed in here: whose account it was is said by the link.
    this.trail.note({ what: 'recovery_refused', ...trailOf(request), userId });
  }
}
