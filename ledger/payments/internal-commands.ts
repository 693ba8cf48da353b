/** Carries out what workers ask. They name things by id; what is done about them is decided here and in the journal. */
import { Injectable } from '@nestjs/common';
import type { InternalAnswer, InternalCommand } from '#contracts/api/internal';
import { PaymentFlow } from './payment-flow.js';

const DONE: InternalAnswer = { looked: 1, failed: [] };

@Injectable()
export class InternalCommands {
  constructor(private readonly flow: PaymentFlow) {}

  /** Throws Rejected, Unavailable and ProviderRefused; any of these commands may be sent again. */
  async carryOut(command: InternalCommand, correlationId: string): Promise<InternalAnswer> {
    const cause = { correlationId, causationId: `worker:${command.type}` };
    switch (command.type) {
      case 'SyncPayment':
        await this.flow.sync(command.intentId, cause);
        return DONE;
      case 'ReconcileSince':
        return this.flow.reconcile(new Date(command.since), command.until ? new Date(command.until) : new Date(), cause);
      case 'CancelAbandoned':
        await this.flow.cancelAbandoned(command.paymentId, cause);
        return DONE;
      case 'RefundUnapplied':
        await this.flow.refundUnapplied(command.chargeId, cause);
        return DONE;
      case 'ResumePayment':
        await this.flow.resume(command.paymentId, cause);
        return DONE;
    }
  }
}
