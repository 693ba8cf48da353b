/** What guests pay: the same way as everybody's card payment, without an account. */
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PaymentIntentAnswer } from '#contracts/api/payments';
import type { Position } from '#contracts/log';
import { EndEarlierPayments, OpenGuestPayment } from '../bus/payments.js';
import { Checkout } from './checkout.js';

@CommandHandler(OpenGuestPayment)
export class OpenGuestPaymentHandler implements ICommandHandler<OpenGuestPayment> {
  constructor(
    private readonly checkout: Checkout,
    private readonly bus: CommandBus,
  ) {}

  async execute({
    guestId,
    recipientId,
    body,
    key,
    insteadOf,
    from,
  }: OpenGuestPayment): Promise<{ answer: PaymentIntentAnswer; position: Position | undefined }> {
    const earlier = insteadOf.filter((other) => other !== key);
    await this.bus.execute(new EndEarlierPayments(guestId, earlier, from.correlationId));
    const { amount, method: paymentMethod, note: description, name: guestName } = body;
    return this.checkout.open(
      guestId,
      { amount, toUserId: recipientId, description, paymentMethod, guestName },
      key,
      from,
    );
  }
}
