/**
 * The card provider's webhook. A hint and no more: once its signature is proven, the payment it names is read at the
 * provider again, and what that shows is booked. 2xx only after the append; anything else makes the provider call again.
 */
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../http/refusal.js';
import { CardProvider, ForgedWebhook } from '../stripe/card-provider.js';
import { PaymentFlow } from './payment-flow.js';

@Controller('api/webhooks')
export class WebhookController {
  constructor(
    private readonly provider: CardProvider,
    private readonly flow: PaymentFlow,
  ) {}

  @Post('stripe')
  @HttpCode(200)
  async received(@Req() request: FastifyRequest & { rawBody?: Buffer }): Promise<{ received: true }> {
    const intentId = this.subjectOf(request);
    if (intentId !== undefined) await this.flow.sync(intentId, { correlationId: request.id, causationId: intentId });
    return { received: true };
  }

  private subjectOf(request: FastifyRequest & { rawBody?: Buffer }): string | undefined {
    const signature = request.headers['stripe-signature'];
    try {
      return this.provider.webhookSubject(request.rawBody ?? Buffer.alloc(0), String(signature ?? ''));
    } catch (error) {
      if (error instanceof ForgedWebhook) throw new Refusal(400, error.message);
      throw error;
    }
  }
}
