/**
 * The payout provider's webhook for what happens at users' accounts: an endpoint and a secret of its own. 2xx
 * only after what it led to is in the log; anything else makes the provider call again.
 */
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiCall } from '#edge/api-call';
import { unguarded } from '#edge/proof';
import { asUrgent } from '../stripe/call-limiter.js';
import { PayoutProvider } from '../stripe/payout-provider.js';
import type { ConnectSubject } from '../stripe/provider-payout.js';
import { ConnectHints } from '../bus/connect-hints.js';

@Controller('api/webhooks/stripe')
export class ConnectWebhookController {
  constructor(
    private readonly provider: PayoutProvider,
    private readonly hints: ConnectHints,
  ) {}

  @ApiCall({
    summary: 'The payout provider’s webhook for users’ accounts, signed with a secret of its own.',
    proof: unguarded('Its signature is its proof.'),
    otherwise: {
      400: 'Not signed by the provider, or too long ago',
      503: 'Not booked yet: deliver it again',
    },
    open: true,
  })
  @Post('connect')
  @HttpCode(200)
  async received(@Req() request: FastifyRequest & { rawBody?: Buffer }): Promise<{ received: true }> {
    const subject = this.subjectOf(request);
    if (subject !== undefined) {
      const { connectAccountId, providerPayoutId } = subject;
      const provenance = { correlationId: request.id, causationId: providerPayoutId ?? connectAccountId };
      const hint =
        providerPayoutId === undefined
          ? ({ about: 'account', connectAccountId } as const)
          : ({ about: 'provider-payout', connectAccountId, providerPayoutId } as const);
      await asUrgent('webhook', () => this.hints.tell(hint, provenance));
    }
    return { received: true };
  }

  private subjectOf(request: FastifyRequest & { rawBody?: Buffer }): ConnectSubject | undefined {
    const signature = request.headers['stripe-signature'];
    return this.provider.webhookSubject(request.rawBody ?? Buffer.alloc(0), String(signature ?? ''));
  }
}
