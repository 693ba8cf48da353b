/** Asking for a payout. */
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RequestPayout, Payout } from '#contracts/api/payouts';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, leftAfter } from '#edge/proof';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { PayoutAnswers } from './payout-answers.js';
import { PayoutProcess } from './payouts.handlers.js';

@Controller('api/payouts')
export class PayoutsController {
  constructor(
    private readonly process: PayoutProcess,
    private readonly answers: PayoutAnswers,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary:
      'Asks for money to be sent to a bank account. It leaves the available balance at once and waits for its turn.',
    answer: Payout,
    proof: guarded<RequestPayout>('money', async ({ userId, body }, facts) => {
      const to = (await facts.bankAccount(userId, body.bankAccountId)) ?? 'a bank account';
      return {
        words: `Pay out ${dollarsFromMinor(body.amount)} to ${to}`,
        amount: decimalFromMinor(body.amount),
        to,
        from: 'Available balance',
        leftAfter: await leftAfter(facts, userId, body.amount),
        arrives: 'Within 1-2 business days',
      };
    }),
    otherwise: {
      400: 'What is wrong with the amount or the choice of a bank account',
      404: 'Bank account not found',
      422: 'More than the available balance; or the key was used with another body',
    },
  })
  @Post()
  @HttpCode(200)
  async request(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(RequestPayout)) body: RequestPayout,
    @ClientKey() key: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Payout> {
    const { payoutId, position } = await this.process.request(userId, body, key, correlationId);
    await this.readYourWrites.hold(reply, position);
    const { amount: amountMinor, bankAccountId } = body;
    return this.answers.of(userId, { id: payoutId, amountMinor, bankAccountId });
  }
}
