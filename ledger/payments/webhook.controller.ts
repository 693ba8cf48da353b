/**
 * The card provider's webhook. A hint and no more: once its signature is proven, the payment it names is read
 * at the provider again, and what that shows is booked; so are the saved cards of whom it names. 2xx only
 * after the append; anything else makes the provider call again.
 */
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ApiCall } from '#edge/api-call';
import { unguarded } from '#edge/proof';
import { LookAtBalance } from '../bus/balance.js';
import { FollowCards, FollowSetup } from '../bus/saved-cards.js';
import { asUrgent } from '../stripe/call-limiter.js';
import { CardProvider } from '../stripe/card-provider.js';
import type { WebhookSubject } from '../stripe/webhook-hints.js';
import { PaymentSync } from './payment-sync.js';

@Controller('api/webhooks')
export class WebhookController {
  constructor(
    private readonly provider: CardProvider,
    private readonly sync: PaymentSync,
    private readonly bus: CommandBus,
  ) {}

  @ApiCall({
    summary: 'The card provider’s webhook, signed.',
    proof: unguarded('Its signature is its proof.'),
    otherwise: {
      400: 'Not signed by the provider, or too long ago',
      503: 'Not booked yet: deliver it again',
    },
    open: true,
  })
  @Post('stripe')
  @HttpCode(200)
  async received(@Req() request: FastifyRequest & { rawBody?: Buffer }): Promise<{ received: true }> {
    const subject = this.subjectOf(request);
    if (subject !== undefined) await asUrgent('webhook', () => this.lookInto(subject, request.id));
    return { received: true };
  }

  private async lookInto(subject: WebhookSubject, correlationId: string): Promise<void> {
    if (subject.about === 'payment')
      await this.sync.follow(subject, { correlationId, causationId: subject.intentId });
    else if (subject.about === 'cards')
      await this.bus.execute(
        new FollowCards(subject.customerId, { correlationId, causationId: subject.customerId }),
      );
    else if (subject.about === 'setup')
      await this.bus.execute(
        new FollowSetup(subject.setupId, subject.eventId, { correlationId, causationId: subject.setupId }),
      );
    else await this.bus.execute(new LookAtBalance({ correlationId, causationId: subject.objectId }));
  }

  private subjectOf(request: FastifyRequest & { rawBody?: Buffer }): WebhookSubject | undefined {
    const signature = request.headers['stripe-signature'];
    return this.provider.webhookSubject(request.rawBody ?? Buffer.alloc(0), String(signature ?? ''));
  }
}
