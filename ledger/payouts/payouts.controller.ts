/** Asking for a payout. */
import { Body, Controller, Headers, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/plain/headers';
import { IdempotencyKey } from '#contracts/api/idempotency-key';
import { RequestPayout, type Payout } from '#contracts/api/payouts';
import { SignedIn, type Caller } from '#edge/caller';
import { ReadYourWrites } from '../http/read-models.js';
import { read, Validated } from '#edge/validated';
import { PayoutAnswers } from './payout-answers.js';
import { PayoutProcess } from './payouts.handlers.js';

@Controller('api/payouts')
export class PayoutsController {
  constructor(
    private readonly process: PayoutProcess,
    private readonly answers: PayoutAnswers,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Post()
  @HttpCode(200)
  async request(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(RequestPayout)) body: RequestPayout,
    @Headers(IDEMPOTENCY_KEY_HEADER) header: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Payout> {
    const key = read(IdempotencyKey.optional(), header);
    const { payoutId, position } = await this.process.request(userId, body, key, correlationId);
    await this.readYourWrites.hold(reply, position);
    const { amount: amountMinor, bankAccountId } = body;
    return this.answers.of(userId, { id: payoutId, amountMinor, bankAccountId });
  }
}
