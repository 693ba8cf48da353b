/**
 * What follows from a decline: it is counted, and a payment that was declined too often, or whose payer,
 * card, address or performer was, is canceled at the provider: with its secret a browser could try cards
 * without end.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Limits } from '#contracts/limits';
import type { Provenance } from '#log/record';
import { Journal } from '../journal/journal.js';
import { intentIdOf } from '../journal/payment-state.js';
import type { Payment } from '../journal/state.js';
import { Declines } from '../limits/declines.js';
import { LOG } from '../parts.js';
import { CardProvider } from '../stripe/card-provider.js';

/** How many declines one payment may have. */
export abstract class DeclineLimit {
  abstract readonly perPayment: Limits['payment-declines'];
}

@Injectable()
export class DeclinedPayments {
  constructor(
    private readonly journal: Journal,
    private readonly declines: Declines,
    private readonly provider: CardProvider,
    private readonly limit: DeclineLimit,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Counts a decline that was just written. A schedule's attempt is nobody's try, and counts for nobody. */
  async declined(paymentId: string, card: string | undefined): Promise<void> {
    const payment = await this.journal.look('payment', paymentId);
    if (payment && payment.occurrence === undefined) await this.declines.declined(paymentId, payment, card);
  }

  /** Counts money that was just written. */
  async paid(paymentId: string): Promise<void> {
    const payment = await this.journal.look('payment', paymentId);
    if (payment && payment.occurrence === undefined) await this.declines.paid(paymentId, payment);
  }

  /**
   * Has a payment canceled at the provider that may not be tried again. Answers whether it was: what the
   * provider says of it then is read again. Throws Unavailable.
   */
  async stop(paymentId: string, card: string | undefined, provenance: Provenance): Promise<boolean> {
    const payment = await this.journal.look('payment', paymentId);
    if (payment?.status !== 'submitted' || payment.attempts.length === 0) return false;
    if (!(await this.#isTooMany(payment, card))) return false;
    this.log.warn(
      { correlationId: provenance.correlationId, paymentId, declines: payment.attempts.length },
      'a payment was declined too often and is canceled',
    );
    for (const intentId of payment.intentIds) await this.provider.cancel(intentId);
    return intentIdOf(payment) !== undefined;
  }

  async #isTooMany(payment: Payment, card: string | undefined): Promise<boolean> {
    if (payment.attempts.length >= this.limit.perPayment) return true;
    if (payment.occurrence !== undefined) return false;
    return !(await this.declines.mayGoOn(payment.paymentId, payment, card));
  }
}
