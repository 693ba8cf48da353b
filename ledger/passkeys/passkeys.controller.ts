/** Enrolling passkeys, showing one, and giving one up. */
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  Passkey,
  PasskeyProof,
  RequestAssertion,
  VerifyAssertion,
  VerifyEnrolment,
} from '#contracts/api/passkeys';
import { z } from 'zod';
import { ApiCall } from '#edge/api-call';
import { SignedIn, UNAUTHORIZED, type Caller } from '#edge/caller';
import { guarded, unguarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { CookieJar } from '../sessions/cookies.js';
import type { Asker } from './passkey-tokens.js';
import { PasskeyHandlers, type CreationOptions, type RequestOptions } from './passkeys.handlers.js';

/** What an authenticator shows beside a new passkey; filled in processes/ledger/reads.ts. */
export abstract class Usernames {
  abstract of(userId: string): Promise<string>;
}

/** The browser hands them on as they are; the standard says what is in them. */
const AUTHENTICATOR_OPTIONS: z.ZodType = z.looseObject({ challenge: z.string() });

@Controller('api/passkeys')
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeyHandlers,
    private readonly usernames: Usernames,
    private readonly cookies: CookieJar,
  ) {}

  @ApiCall({ summary: 'The user’s passkeys.', answer: z.array(Passkey), readsLog: true })
  @Get()
  list(@SignedIn() { userId }: Caller): Promise<Passkey[]> {
    return this.passkeys.list(userId);
  }

  @ApiCall({
    summary: 'What to hand to the authenticator for a new passkey: navigator.credentials.create.',
    answer: AUTHENTICATOR_OPTIONS,
    // Here and not only below: what is enrolled is not made before its owner has signed in.
    proof: guarded('identity', () => ({ words: 'Add a passkey' }), { by: 'sign-in' }),
    otherwise: { 422: 'Ten already' },
  })
  @Post('enrolment/options')
  @HttpCode(200)
  async enrolmentOptions(
    @SignedIn() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CreationOptions> {
    return this.passkeys.enrolmentOptions(
      this.asker(caller, request),
      await this.usernames.of(caller.userId),
    );
  }

  @ApiCall({
    summary: 'Adds the passkey that the authenticator made.',
    answer: Passkey,
    proof: guarded<VerifyEnrolment>(
      'identity',
      ({ body: { label } }) => ({ words: `Add the passkey “${label}”` }),
      { by: 'both' },
    ),
    otherwise: { 400: 'It does not hold, or it took too long', 422: 'Ten already' },
  })
  @Post('enrolment/verify')
  @HttpCode(200)
  enrol(
    @SignedIn() caller: Caller,
    @Body(new Validated(VerifyEnrolment)) body: VerifyEnrolment,
    @Req() request: FastifyRequest,
  ): Promise<Passkey> {
    return this.passkeys.enrol(this.asker(caller, request), body, caller.correlationId);
  }

  @ApiCall({
    summary: 'What to hand to the authenticator to confirm with a passkey: navigator.credentials.get.',
    answer: AUTHENTICATOR_OPTIONS,
    proof: unguarded('A challenge does nothing; only its owner can answer it.'),
    otherwise: { 400: 'It took too long or was done before', 409: 'No passkey yet' },
  })
  @Post('assertion/options')
  @HttpCode(200)
  assertionOptions(
    @SignedIn() caller: Caller,
    @Body(new Validated(RequestAssertion)) { confirm }: RequestAssertion,
  ): Promise<RequestOptions> {
    return this.passkeys.assertionOptions(caller, confirm);
  }

  @ApiCall({
    summary:
      'A proof that the user confirmed a call with a passkey. It fits that very call, within two minutes, and its repeats.',
    answer: PasskeyProof,
    proof: unguarded('It makes the proof.'),
    otherwise: { 400: 'It does not hold, or it took too long' },
  })
  @Post('assertion/verify')
  @HttpCode(200)
  assert(
    @SignedIn() caller: Caller,
    @Body(new Validated(VerifyAssertion)) body: VerifyAssertion,
  ): Promise<PasskeyProof> {
    return this.passkeys.assert(caller, body);
  }

  @ApiCall({
    summary: 'Gives a passkey up.',
    answer: z.array(Passkey),
    proof: guarded('identity', async ({ userId, params }, facts) => {
      const label = await facts.passkey(userId, params['id'] ?? '');
      return { words: label === undefined ? 'Remove a passkey' : `Remove the passkey “${label}”` };
    }),
    otherwise: { 404: 'There is no such passkey' },
  })
  @Delete(':id')
  async remove(@SignedIn() { userId, correlationId }: Caller, @Param('id') id: string): Promise<Passkey[]> {
    await this.passkeys.remove(userId, id, correlationId);
    return this.passkeys.list(userId);
  }

  private asker({ userId }: Caller, request: FastifyRequest): Asker {
    const session = this.cookies.sessionOf(request);
    if (session === undefined) throw new Refusal(401, UNAUTHORIZED);
    return { userId, session };
  }
}
