/**
 * Whose a payment at the provider is. Ours is what the log names, by its intent or by a charge, and what
 * carries our seal. All else is somebody else's, and is left alone.
 */
import { Injectable } from '@nestjs/common';
import { Journal } from '../journal/journal.js';
import type { UnappliedCharge } from '../journal/state.js';
import type { ProviderPayment } from '../stripe/provider-payment.js';

type PaymentOwner =
  /** `paymentId`: the payment it belongs to, by the log; undefined where its charge is unapplied there. */
  | { readonly kind: 'ours'; readonly paymentId: string | undefined }
  /**
   * It carries our seal, and no entry names it where one should. Recovery begins where none names its payment
   * either.
   */
  | { readonly kind: 'unknown-to-log'; readonly isPaymentKnown: boolean }
  | { readonly kind: 'foreign' };

@Injectable()
export class PaymentOwnership {
  constructor(private readonly journal: Journal) {}

  /** Throws Unavailable. */
  async of(seen: ProviderPayment): Promise<PaymentOwner> {
    const { intentId, paymentId, charges } = seen;
    const recorded = await this.journal.paymentOfIntent(intentId);
    if (recorded !== undefined) return { kind: 'ours', paymentId: recorded };
    // Logs of before recorded intents under no key of their own: their charges have one.
    for (const { chargeId, status } of charges) {
      if (status !== 'succeeded') continue;
      const booked = await this.journal.bookedCharge(chargeId);
      if (booked) return { kind: 'ours', paymentId: booked.paymentId };
    }
    const named = paymentId === undefined ? undefined : await this.journal.look('payment', paymentId);
    if (named?.intentIds.includes(intentId)) return { kind: 'ours', paymentId };
    if (!seen.isSealed) return { kind: 'foreign' };
    // Every object that we make is recorded before its payer sees it. Beside a recorded one, another is a
    // copy of its metadata, or what a crash left: neither is booked by a guess.
    return named?.intentIds.length === 0
      ? { kind: 'ours', paymentId }
      : { kind: 'unknown-to-log', isPaymentKnown: named !== undefined };
  }

  /** The payment that the journal recorded an object of the provider for. */
  recorded(intentId: string): Promise<string | undefined> {
    return this.journal.paymentOfIntent(intentId);
  }

  /**
   * Whether a payment can never be paid any more because its recipient's account is closed, and is open all
   * the same.
   */
  async isInVain(paymentId: string): Promise<boolean> {
    const payment = await this.journal.look('payment', paymentId);
    if (payment?.status !== 'opened' && payment?.status !== 'submitted') return false;
    return !this.journal.isOpen(payment.recipientId);
  }

  /**
   * Whether the journal recorded the object by which this money came in: else nothing of it is given back.
   */
  async isRecorded({ intentId, paymentId }: UnappliedCharge): Promise<boolean> {
    if ((await this.journal.paymentOfIntent(intentId)) !== undefined) return true;
    const payment = paymentId === undefined ? undefined : await this.journal.look('payment', paymentId);
    return payment?.intentIds.includes(intentId) ?? false;
  }
}
