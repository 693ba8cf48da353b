/** Paying somebody at once by what is there already: a saved card, or the balance. */
import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CreateTip, TipAnswer } from '#contracts/api/tips';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { networkOf } from '#edge/address';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, leftAfter, ShownProof, type CallProof } from '#edge/proof';
import { Validated } from '#edge/validated';
import { ReadYourWrites } from '../http/read-models.js';
import { Rejected } from '../rejection.js';
import { Tips } from './tips.handlers.js';

@Controller('api/tips')
export class TipsController {
  constructor(
    private readonly tips: Tips,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary:
      'Pays somebody at once, by a saved card or out of the balance. Small sums go without a proof, up to the day’s limit. The same Idempotency-Key and body pay once.',
    answer: TipAnswer,
    proof: guarded<CreateTip>(
      'money',
      async ({ userId, body }, facts) => {
        const to = await facts.nameOf(body.toUserId);
        const isBalance = body.from === 'balance';
        const from = isBalance
          ? 'Available balance'
          : ((await facts.card(userId, body.from)) ?? 'a saved card');
        return {
          words: `Pay ${dollarsFromMinor(body.amount)} to ${to} from ${isBalance ? 'the available balance' : from}`,
          amount: decimalFromMinor(body.amount),
          to,
          from,
          ...(isBalance && { leftAfter: await leftAfter(facts, userId, body.amount) }),
        };
      },
      { isAllowedSome: true },
    ),
    otherwise: {
      400: 'What is wrong with the amount, the recipient, the note or what pays it',
      404: 'Recipient user, or saved card, not found',
      409: 'The recipient is closing their account',
      422: 'To oneself; more than the available balance; or the key was used with another body',
      429: 'Too many unpaid payments, or declines; Retry-After says how long to wait',
      502: 'The card provider refused',
    },
  })
  @Post()
  @HttpCode(200)
  async pay(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreateTip)) body: CreateTip,
    @ClientKey() key: string,
    @ShownProof() proof: CallProof,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TipAnswer> {
    try {
      const by = { correlationId, network: networkOf(ip) };
      const { answer, position } = await this.tips.pay(userId, body, key, proof.isGiven, by);
      await this.readYourWrites.hold(reply, position);
      return answer;
    } catch (error) {
      if (error instanceof Rejected && error.reason === 'ProofNeeded') throw await proof.refusal();
      throw error;
    }
  }
}
