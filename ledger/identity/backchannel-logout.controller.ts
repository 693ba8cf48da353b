/**
 * The identity provider tells us that somebody has signed out there, or was signed out (OpenID Connect
 * Back-Channel Logout 1.0). Nobody is signed in on this call: its token is what is checked.
 */
import { Body, Controller, Header, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiCall, BUSY } from '#edge/api-call';
import { unguarded } from '#edge/proof';
import { refusedAnswer } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { ISSUER_NAME, LOG } from '../parts.js';
import { SecurityTrail, trailOf } from '../security-trail/security-trail.js';
import { Sessions } from '../sessions/sessions.js';
import { IdentityProvider, LogoutTokenRefused } from './identity-provider.js';
import { userIdFrom } from './user-id.js';

const LONGEST_TOKEN = 16_384;
const WITHOUT_TOKEN = { error: 'Send a logout_token.' };
const BackchannelLogout = z.object(
  {
    logout_token: z.string(WITHOUT_TOKEN).min(1).max(LONGEST_TOKEN),
  },
  WITHOUT_TOKEN,
);
type BackchannelLogout = z.infer<typeof BackchannelLogout>;

@Controller('api')
export class BackchannelLogoutController {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly sessions: Sessions,
    private readonly trail: SecurityTrail,
    @Inject(ISSUER_NAME) private readonly issuerName: string,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws LogoutTokenRefused (400) and Unavailable. */
  @ApiCall({
    summary: 'For the identity provider: ends the sessions that its logout token names. Form-encoded.',
    proof: unguarded('The identity provider’s signature is the proof.'),
    otherwise: { 200: 'Signed out', 400: 'The token does not hold', ...BUSY },
    open: true,
  })
  @Post('backchannel-logout')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async logout(
    @Body(new Validated(BackchannelLogout)) { logout_token: token }: BackchannelLogout,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    try {
      const { tokenId, subject, providerSid } = await this.provider.readLogoutToken(token);
      const userId = subject === undefined ? undefined : userIdFrom(this.issuerName, subject);
      const ended = await this.sessions.endAtProvidersWord({ tokenId, userId, providerSid });
      if (!ended) throw new LogoutTokenRefused('The logout token was used before.');
      for (const session of ended)
        this.trail.note({
          what: 'session_ended',
          userId: session.userId,
          sessionId: session.sessionId,
          correlationId: request.id,
          detail: { by: 'provider' },
        });
      this.log.info({ correlationId: request.id, ended: ended.length }, 'signed out at the provider’s word');
    } catch (error) {
      const outcome = refusedAnswer(error).status < 500 ? 'refused' : 'failed';
      this.trail.note({ what: 'logout_token_refused', outcome, ...trailOf(request) });
      throw error;
    }
  }
}
