/** Enrolling passkeys, showing one, and giving one up. */
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { VerifyAssertion, VerifyEnrolment, Passkey, PasskeyProof } from '#contracts/api/passkeys';
import { z } from 'zod';
import { ApiCall } from '#edge/api-call';
import { SignedIn, UNAUTHORIZED, type Caller } from '#edge/caller';
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

  @ApiCall({ summary: 'The user’s passkeys.', answer: z.array(Passkey) })
  @Get()
  list(@SignedIn() { userId }: Caller): Promise<Passkey[]> {
    return this.passkeys.list(userId);
  }

  @ApiCall({
    summary: 'What to hand to the authenticator for a new passkey: navigator.credentials.create.',
    answer: AUTHENTICATOR_OPTIONS,
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
    passkey: true,
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
    otherwise: { 409: 'No passkey yet' },
  })
  @Post('assertion/options')
  @HttpCode(200)
  assertionOptions(@SignedIn() caller: Caller, @Req() request: FastifyRequest): Promise<RequestOptions> {
    return this.passkeys.assertionOptions(this.asker(caller, request));
  }

  @ApiCall({
    summary: 'A proof, for one call within two minutes, that the user confirmed with a passkey.',
    answer: PasskeyProof,
    otherwise: { 400: 'It does not hold, or it took too long' },
  })
  @Post('assertion/verify')
  @HttpCode(200)
  assert(
    @SignedIn() caller: Caller,
    @Body(new Validated(VerifyAssertion)) body: VerifyAssertion,
    @Req() request: FastifyRequest,
  ): Promise<PasskeyProof> {
    return this.passkeys.assert(this.asker(caller, request), body);
  }

  @ApiCall({
    summary: 'Gives a passkey up.',
    answer: z.array(Passkey),
    passkey: true,
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
