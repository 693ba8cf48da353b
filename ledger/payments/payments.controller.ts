/** Paying somebody. */
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { CreatePaymentIntent, type PaymentIntentAnswer } from '#contracts/api/payments';
import { SignedIn, type Caller } from '#edge/caller';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { Checkout } from './checkout.js';

@Controller('api')
export class PaymentsController {
  constructor(
    private readonly checkout: Checkout,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post('create-payment-intent')
  @HttpCode(200)
  async create(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreatePaymentIntent)) body: CreatePaymentIntent,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentIntentAnswer> {
    const key = read(IdempotencyKey.optional(), header);
    const { answer, position } = await this.checkout.open(userId, body, key, correlationId);
    await this.readYourWrites.hold(reply, position);
    return answer;
  }

  @Get('payments/:id/client-secret')
  secret(@SignedIn() { userId }: Caller, @Param('id') paymentId: string): Promise<PaymentIntentAnswer> {
    return this.checkout.secretOf(userId, paymentId);
  }
}
