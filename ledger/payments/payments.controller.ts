/** Paying somebody. */
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  CreatePaymentIntent,
  OpenPaymentAnswer,
  PaymentIntentAnswer,
  PaymentOfIntent,
  SavedCardPaymentAnswer,
} from '#contracts/api/payments';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import { networkOf } from '#edge/address';
import { ApiCall, ClientKey } from '#edge/api-call';
import { SignedIn, type Caller } from '#edge/caller';
import { guarded, unguarded } from '#edge/proof';
import { EndEarlierPayments } from '../bus/payments.js';
import { ReadYourWrites } from '../http/read-models.js';
import { Validated } from '#edge/validated';
import { Checkout } from './checkout.js';
import { SavedCardPayments } from './saved-card-payments.js';

@Controller('api')
export class PaymentsController {
  constructor(
    private readonly checkout: Checkout,
    private readonly cards: SavedCardPayments,
    private readonly bus: CommandBus,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @ApiCall({
    summary: 'Opens a card or Cash App payment. The same Idempotency-Key and body give the same payment.',
    answer: PaymentIntentAnswer,
    proof: guarded<CreatePaymentIntent>(
      'destination',
      async ({ body }, facts) => {
        const to = await facts.nameOf(body.toUserId);
        const amount = dollarsFromMinor(body.amount);
        return {
          words: `Pay ${amount} to ${to} by a card and save the card`,
          amount: decimalFromMinor(body.amount),
          to,
        };
      },
      // A newly typed card or a wallet button needs none. One that is saved is charged later too, and its
      // payment belongs to the payer at the provider, where it could be paid by a card that is there already.
      { when: ({ body }) => body.saveCard === true },
    ),
    otherwise: {
      400: 'What is wrong with the amount, the recipient or the note',
      404: 'Recipient user not found',
      409: 'The payment was canceled meanwhile: make a new key; or an earlier one was paid, or still may be; or the recipient is closing their account',
      422: 'To oneself; or the key was used with another body',
      429: 'Too many unpaid payments, or declines; Retry-After says how long to wait',
      502: 'The card provider refused',
    },
  })
  @Post('create-payment-intent')
  @HttpCode(200)
  async create(
    @SignedIn() { userId, correlationId }: Caller,
    @Body(new Validated(CreatePaymentIntent)) { insteadOf, ...body }: CreatePaymentIntent,
    @ClientKey() key: string,
    @Req() { ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PaymentIntentAnswer> {
    const from = { correlationId, network: networkOf(ip) };
    const earlier = insteadOf.filter((other) => other !== key);
    await this.bus.execute(new EndEarlierPayments(userId, earlier, correlationId));
    const { answer, position } = await this.checkout.open(userId, body, key, from);
    await this.readYourWrites.hold(reply, position);
    return answer;
  }

  @ApiCall({
    summary:
      'What the browser confirms an open payment of the user’s with: one whose bank asks for its payer.',
    answer: OpenPaymentAnswer,
    otherwise: { 404: 'Payment not found', 409: 'It has been paid or canceled meanwhile' },
    readsLog: true,
  })
  @Get('payments/:id/client-secret')
  secret(@SignedIn() { userId }: Caller, @Param('id') paymentId: string): Promise<OpenPaymentAnswer> {
    return this.checkout.secretOf(userId, paymentId);
  }

  @ApiCall({
    summary:
      'Which payment of the user’s the card provider’s intent is for: the provider leads back with an address that anybody could write.',
    answer: PaymentOfIntent,
    otherwise: { 404: 'Payment not found, or somebody else’s' },
    readsLog: true,
  })
  @Get('payments/of-intent/:intentId')
  async ofIntent(
    @SignedIn() { userId }: Caller,
    @Param('intentId') intentId: string,
  ): Promise<PaymentOfIntent> {
    return { paymentId: await this.checkout.ofIntent(userId, intentId) };
  }

  @ApiCall({
    summary:
      'Confirms a payment of the user’s with the saved card that it is charged to: one whose bank asks for its payer. The same Idempotency-Key tries the card once.',
    answer: SavedCardPaymentAnswer,
    proof: unguarded(
      'Amount, recipient and card were agreed to with the subscription, the scheduled payment or the tip, and none of them can be changed here.',
    ),
    otherwise: {
      404: 'Payment not found; or it has no saved card',
      409: 'It was canceled meanwhile',
      502: 'The card provider refused',
    },
  })
  @Post('payments/:id/confirm')
  @HttpCode(200)
  confirm(
    @SignedIn() { userId, correlationId }: Caller,
    @Param('id') paymentId: string,
    @ClientKey() key: string,
  ): Promise<SavedCardPaymentAnswer> {
    return this.cards.confirm(userId, paymentId, key, correlationId);
  }
}
