/** What workers ask about payments. */
import { Injectable } from '@nestjs/common';
import { InternalCommands } from '../bus/internal-commands.js';
import { PaymentFlow } from './payment-flow.js';

@Injectable()
export class PaymentDuties {
  constructor(commands: InternalCommands, flow: PaymentFlow) {
    commands
      .on('SyncPayment', async ({ intentId }, cause) => {
        await flow.sync(intentId, cause);
      })
      .on('ReconcileSince', ({ since, until }, cause) =>
        flow.reconcile(new Date(since), until === undefined ? new Date() : new Date(until), cause),
      )
      .on('CancelAbandoned', ({ paymentId }, cause) => flow.cancelAbandoned(paymentId, cause))
      .on('RefundUnapplied', ({ chargeId }, cause) => flow.refundUnapplied(chargeId, cause))
      .on('ResumePayment', ({ paymentId }, cause) => flow.resume(paymentId, cause));
  }
}
