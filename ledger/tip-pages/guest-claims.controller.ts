/** Taking what one paid as a guest into one's account. */
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ClaimGuestTips } from '#contracts/api/guest-tips';
import { ApiCall } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { unguarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { Validated } from '#edge/validated';
import { ReadYourWrites } from '../http/read-models.js';
import { GuestReceipts } from './guest-receipts.js';
import { PaidTips } from './tip-page-reads.js';
import { guestOf } from './tip-page-view.controller.js';

@Controller('api/tip-page/claims')
export class GuestClaimsController {
  constructor(
    private readonly receipts: GuestReceipts,
    private readonly payments: PaidTips,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary: 'Puts what was paid as a guest into the user’s list, by the end of the receipt’s link. Once.',
    proof: unguarded('It moves no money: a receipt is shown in one’s own list from then on.'),
    otherwise: { 404: 'There is no such receipt', 409: 'It is in an account already' },
  })
  @Post()
  @HttpCode(204)
  async claim(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(ClaimGuestTips)) { token }: ClaimGuestTips,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const guestId = guestOf(token);
    const payment = await this.payments.ofGuest(guestId);
    // What one was paid oneself is no receipt of one's own.
    if (payment === undefined || payment.settledAt === null || payment.recipientId === userId)
      throw new Refusal(404, 'There is no such receipt.');
    await this.readYourWrites.hold(reply, await this.receipts.claim(guestId, userId, correlationId));
  }
}
