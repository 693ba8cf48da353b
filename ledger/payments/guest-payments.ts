/** What guests pay: the same way as everybody's card payment, without an account. */
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PaymentIntentAnswer } from '#contracts/api/payments';
import type { Position } from '#contracts/log';
import { EARLIER_STANDS } from '#contracts/plain/guest';
import { Refusal } from '#edge/refusal';
import { EndGuestPayments, OpenGuestPayment } from '../bus/payments.js';
import { Journal } from '../journal/journal.js';
import { idFrom, userKey } from '../journal/keys.js';
import { intentIdOf } from '../journal/payment-state.js';
import { Checkout } from './checkout.js';
import { PaymentProcess } from './payments.handlers.js';

const STANDS =
  'Your earlier payment went through, or is being processed. See its receipt before you pay again.';

@CommandHandler(EndGuestPayments)
export class EndGuestPaymentsHandler implements ICommandHandler<EndGuestPayments> {
  constructor(
    private readonly process: PaymentProcess,
    private readonly journal: Journal,
  ) {}

  async execute({ guestId, keys, correlationId }: EndGuestPayments): Promise<void> {
    for (const key of keys) await this.#end(guestId, key, correlationId);
  }

  async #end(guestId: string, key: string, correlationId: string): Promise<void> {
    const paymentId = idFrom('pay', userKey(guestId, key));
    if ((await this.journal.look('payment', paymentId)) === undefined) return;
    const { status } = await this.process.giveUp(paymentId, { correlationId, actorId: guestId });
    if (status === 'canceled') return;
    const earlier = await this.journal.look('payment', paymentId);
    // Of one that never reached the provider nobody has what it is confirmed with.
    if (earlier && (status === 'settled' || intentIdOf(earlier) !== undefined))
      throw new Refusal(409, STANDS, EARLIER_STANDS);
  }
}

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
    await this.bus.execute(new EndGuestPayments(guestId, earlier, from.correlationId));
    const { amount, method: paymentMethod, note: description, name: guestName } = body;
    return this.checkout.open(
      guestId,
      { amount, toUserId: recipientId, description, paymentMethod, guestName },
      key,
      from,
    );
  }
}
