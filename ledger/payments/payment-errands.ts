/** The payments' side of what schedules ask. */
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AskPayment, type PaymentOutcome } from '../bus/payments.js';
import { PaymentFlow } from './payment-flow.js';

@CommandHandler(AskPayment)
export class AskPaymentHandler implements ICommandHandler<AskPayment> {
  constructor(private readonly flow: PaymentFlow) {}

  execute({ errand: { what, paymentId, after }, provenance }: AskPayment): Promise<PaymentOutcome> {
    return what === 'charge'
      ? this.flow.charge(paymentId, after, provenance)
      : this.flow.giveUp(paymentId, provenance);
  }
}
