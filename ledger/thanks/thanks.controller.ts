/** Thanking whoever paid, with one of a few fixed answers. */
import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { canBeKept } from '#contracts/api/kept-text';
import { SendThanks } from '#contracts/api/payments';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { unguarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { ReadYourWrites } from '../http/read-models.js';
import { thanksRules } from './thanks.decider.js';

/** A payment or transfer that somebody received, as far as thanks need it. */
export interface ReceivedPayment {
  /** Who is thanked: the payer's account, or the guest while no account has claimed the payment. */
  readonly payerId: string;
  /** Whether all of it went back. */
  readonly isReturned: boolean;
}

/** Filled in processes/ledger/reads.ts. */
export abstract class ReceivedPayments {
  /** Undefined for what this user did not receive. */
  abstract of(recipientId: string, paymentId: string): Promise<ReceivedPayment | undefined>;
}

@Controller('api/transactions')
export class ThanksController {
  constructor(
    private readonly bus: CommandBus,
    private readonly received: ReceivedPayments,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary:
      'Thanks whoever paid, once: they see it beside the payment and among their messages. A guest who asked for a receipt by mail gets one more mail.',
    proof: unguarded('It moves no money, and says one of a few fixed sentences once.'),
    otherwise: {
      404: 'Transaction not found',
      409: 'Thanked already in other words; or all of it went back',
    },
  })
  @Post(':id/thanks')
  @HttpCode(204)
  async thank(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') paymentId: string,
    @Body(new Validated(SendThanks)) { thanks }: SendThanks,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const paid = canBeKept(paymentId) ? await this.received.of(userId, paymentId) : undefined;
    if (paid === undefined) throw new Refusal(404, 'Transaction not found');
    if (paid.isReturned) throw new Refusal(409, 'This payment was returned to whoever paid it.');
    const command = {
      type: 'ThankPayer',
      paymentId,
      payerId: paid.payerId,
      recipientId: userId,
      thanks,
    } as const;
    const { position } = await this.bus.execute(
      new ExecuteStreamCommand(thanksRules, paymentId, command, { correlationId, actorId: userId }),
    );
    await this.readYourWrites.hold(reply, position);
  }
}
