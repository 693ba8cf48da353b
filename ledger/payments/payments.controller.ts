/** Paying somebody. */
import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CreatePaymentIntent, PaymentIntentAnswer } from '#contracts/api/payments';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { Checkout } from './checkout.js';

@Controller('api')
export class PaymentsController {
  constructor(
    private readonly checkout: Checkout,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary: 'Opens a card or Cash App payment. The same Idempotency-Key and body give the same payment.',
    answer: PaymentIntentAnswer,
    otherwise: {
      400: 'What is wrong with the amount, the recipient or the note',
      404: 'Recipient user not found',
      409: 'The payment was canceled meanwhile: make a new key',
      422: 'To oneself; or the key was used with another body',
      502: 'The card provider refused',
    },
  })
  @Post('create-payment-intent')
  @HttpCode(200)
  async create(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreatePaymentIntent)) body: CreatePaymentIntent,
    @ClientKey() key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentIntentAnswer> {
    const { answer, position } = await this.checkout.open(userId, body, key, correlationId);
    await this.readYourWrites.hold(reply, position);
    return answer;
  }

  @ApiCall({
    summary:
      'What the browser confirms an open payment of the user’s with: one whose bank asks for its payer.',
    answer: PaymentIntentAnswer,
    otherwise: { 404: 'Payment not found', 409: 'It has been paid or canceled meanwhile' },
  })
  @Get('payments/:id/client-secret')
  secret(@SignedIn() { userId }: Caller, @Param('id') paymentId: string): Promise<PaymentIntentAnswer> {
    return this.checkout.secretOf(userId, paymentId);
  }
}
