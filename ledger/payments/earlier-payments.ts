/** Payments that another one takes the place of: they are ended first, so that nobody pays both. */
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EARLIER_STANDS } from '#contracts/plain/earlier-payment';
import { Refusal } from '#edge/refusal';
import { EndEarlierPayments } from '../bus/payments.js';
import { Journal } from '../journal/journal.js';
import { idFrom, userKey } from '../journal/keys.js';
import { PaymentProcess } from './payments.handlers.js';

const STANDS =
  'Your earlier payment went through, or is being processed. See its receipt before you pay again.';

@CommandHandler(EndEarlierPayments)
export class EndEarlierPaymentsHandler implements ICommandHandler<EndEarlierPayments> {
  constructor(
    private readonly process: PaymentProcess,
    private readonly journal: Journal,
  ) {}

  async execute({ payerId, keys, correlationId }: EndEarlierPayments): Promise<void> {
    for (const key of keys) await this.#end(payerId, key, correlationId);
  }

  async #end(payerId: string, key: string, correlationId: string): Promise<void> {
    const paymentId = idFrom('pay', userKey(payerId, key));
    if ((await this.journal.look('payment', paymentId)) === undefined) return;
    const { status } = await this.process.giveUp(paymentId, { correlationId, actorId: payerId });
    if (status !== 'canceled') throw new Refusal(409, STANDS, EARLIER_STANDS);
  }
}
