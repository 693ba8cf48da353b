/** What others ask of the payments, in the payer's absence: by id, never with an amount. */
import { Command } from '@nestjs/cqrs';
import type { PaymentIntentAnswer } from '#contracts/api/payments';
import type { GuestPaymentBody } from '#contracts/api/guest-tips';
import type { SavedCard } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';

/**
 * What became of a payment, by the log. `isOurs`: it ended because we did not get to it, and not through its
 * payer.
 */
export interface PaymentOutcome {
  readonly status: 'open' | 'settled' | 'canceled';
  readonly failure: { readonly code: string; readonly reason: string } | undefined;
  readonly openedAt: Date;
  readonly isOurs?: boolean;
  /**
   * For how long it stays open before it is ended as abandoned; where it is open and its clock is the real
   * one.
   */
  readonly openForMs?: number;
  /** The card that its entry names. */
  readonly savedCard?: SavedCard | undefined;
}

/**
 * Charges a payment to the saved card that its entry names, or looks how far that came. `atLeast` is the
 * revision of the journal that opened it, where the asker knows it. May be sent again. Throws
 * Rejected('PaymentNotFound') and Unavailable.
 */
export class ChargeSavedCard extends Command<PaymentOutcome> {
  constructor(
    readonly paymentId: string,
    readonly provenance: Provenance,
    readonly atLeast?: number,
  ) {
    super();
  }
}

/**
 * Ends a payment that is not to be paid any more, if the provider agrees. May be sent again. Throws
 * Rejected('PaymentNotFound') and Unavailable.
 */
export class GiveUpPayment extends Command<PaymentOutcome> {
  constructor(
    readonly paymentId: string,
    readonly provenance: Provenance,
  ) {
    super();
  }
}

/**
 * Ends payments that a payer has left open, by the keys that their browser gave them. Somebody may leave Cash
 * App or their bank and pay another way. They could still confirm there what they left, and pay twice. Throws
 * Refusal where one of the payments was paid or may be, Unavailable and ProviderRefused.
 */
export class EndEarlierPayments extends Command<void> {
  constructor(
    readonly payerId: string,
    readonly keys: readonly string[],
    readonly correlationId: string,
  ) {
    super();
  }
}

/**
 * Opens a payment of a guest's, once those that it takes the place of are ended. The same key and body give
 * the same payment. Throws Rejected, Refusal, Unavailable and ProviderRefused.
 */
export class OpenGuestPayment extends Command<{
  readonly answer: PaymentIntentAnswer;
  readonly position: Position | undefined;
}> {
  constructor(
    readonly guestId: string,
    readonly recipientId: string,
    readonly body: Omit<GuestPaymentBody, 'token' | 'insteadOf'>,
    readonly key: string,
    readonly insteadOf: readonly string[],
    readonly from: { readonly correlationId: string; readonly network: string },
  ) {
    super();
  }
}
