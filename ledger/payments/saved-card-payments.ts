/**
 * Payments by a saved card whose payer is there. The card is charged and confirmed from here, never by the
 * browser: that learns a secret only where the payer's bank asks for them.
 */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { SavedCardPaymentAnswer } from '#contracts/api/payments';
import { ChargeSavedCard } from '../bus/payments.js';
import { Journal } from '../journal/journal.js';
import { isIdOf } from '../journal/keys.js';
import { intentIdOf } from '../journal/payment-state.js';
import { Rejected } from '../rejection.js';
import { CardProvider } from '../stripe/card-provider.js';

const CARD_GONE = 'Your saved card can no longer be charged.';

@Injectable()
export class SavedCardPayments {
  constructor(
    private readonly bus: CommandBus,
    private readonly journal: Journal,
    private readonly provider: CardProvider,
  ) {}

  /**
   * Charges an opened payment to its saved card, or looks how far that came. `revision` is the journal's that
   * opened it, where that is known. Throws Unavailable and ProviderRefused.
   */
  async charge(
    paymentId: string,
    revision: number | undefined,
    correlationId: string,
  ): Promise<SavedCardPaymentAnswer> {
    const { status, failure } = await this.bus.execute(
      new ChargeSavedCard(paymentId, { correlationId }, revision),
    );
    const answer = { id: paymentId, clientSecret: null, failureReason: null };
    if (status === 'settled') return { ...answer, status: 'completed' };
    const failureReason = failure?.reason ?? null;
    if (status === 'canceled') return { ...answer, status: 'failed', failureReason };
    const payment = await this.journal.look('payment', paymentId, revision);
    const intentId = payment && intentIdOf(payment);
    if (intentId === undefined) return { ...answer, status: 'processing' };
    const intent = await this.provider.intent(intentId);
    if (intent.needsAction)
      return { ...answer, status: 'action_required', clientSecret: intent.clientSecret };
    // A failure may be of an attempt before this one.
    if (intent.isUnderWay || failure === undefined) return { ...answer, status: 'processing' };
    return { ...answer, status: 'failed', failureReason };
  }

  /**
   * Confirms a payment of the payer's with the saved card that it was opened with: one whose bank asked for
   * them in their absence. The same key tries the card once. Throws Rejected for anybody else's, for one that
   * was canceled and for one without a saved card; Unavailable and ProviderRefused.
   */
  async confirm(
    payerId: string,
    paymentId: string,
    clientKey: string,
    correlationId: string,
  ): Promise<SavedCardPaymentAnswer> {
    const payment = isIdOf('pay', paymentId) ? await this.journal.look('payment', paymentId) : undefined;
    if (payment?.payerId !== payerId) throw new Rejected('PaymentNotFound', { paymentId });
    // Also where the answer to the call that paid it was lost.
    if (payment.status === 'settled')
      return { id: paymentId, status: 'completed', clientSecret: null, failureReason: null };
    if (payment.status === 'canceled') throw new Rejected('PaymentCanceled', { paymentId });
    const { savedCard } = payment;
    if (savedCard === undefined) throw new Rejected('CardNotFound');
    const intentId = intentIdOf(payment);
    if (intentId !== undefined) {
      const key = `confirm-${paymentId}-${clientKey}`;
      const confirmed = await this.provider.confirmSaved({ intentId, savedCard, key });
      if (confirmed.kind === 'never')
        return { id: paymentId, status: 'failed', clientSecret: null, failureReason: CARD_GONE };
    }
    return this.charge(paymentId, undefined, correlationId);
  }
}
