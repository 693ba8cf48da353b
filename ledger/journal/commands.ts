/** What the journal can be asked. Amounts are minor units; ids and keys are made by whoever asks, time by the writer. */
import type { PaymentMethod, Sealed } from '#contracts/events/journal';

export type JournalCommand =
  | { type: 'OpenAccount'; userId: string }
  | {
      type: 'OpenPayment';
      paymentId: string;
      payerId: string;
      recipientId: string;
      amountMinor: number;
      currency: string;
      method: PaymentMethod;
      note?: Sealed | undefined;
    }
  | { type: 'SubmitPayment'; paymentId: string; intentId: string }
  /** The provider's word that one attempt was declined. `attemptId` is the provider's id of the attempt (its charge). */
  | { type: 'RecordFailedAttempt'; paymentId: string; attemptId: string; code: string; reason: string; occurredAt: string }
  /** The provider's proof of money. `paymentId` is what its metadata names, if anything: an unknown one is booked as unapplied. */
  | {
      type: 'SettlePayment';
      paymentId: string | undefined;
      intentId: string;
      chargeId: string;
      amountMinor: number;
      currency: string;
      occurredAt: string;
    }
  /** `intentId` is the provider's object that was canceled, if there was one: another than the payment's changes nothing. */
  | { type: 'CancelPayment'; paymentId: string; intentId?: string | undefined; reason: string; occurredAt: string }
  /** The provider's word that it gave `amountMinor` back. */
  | { type: 'RefundPayment'; paymentId: string; refundId: string; amountMinor: number; occurredAt: string }
  | { type: 'FailRefund'; paymentId: string; refundId: string; reason: string; occurredAt: string }
  | { type: 'RefundUnapplied'; chargeId: string; refundId: string; amountMinor: number; occurredAt: string }
  | {
      type: 'PostTransfer';
      transferId: string;
      payerId: string;
      recipientId: string;
      amountMinor: number;
      currency: string;
      note?: Sealed | undefined;
    };

/** Who asks, on whose behalf, and how a repeat is recognised. */
export interface CommandContext {
  readonly correlationId: string;
  readonly causationId?: string | undefined;
  readonly actorId?: string | undefined;
  /**
   * For what a user asks (OpenPayment, PostTransfer): `{userId}:{UUIDv7}`, made by the client and kept before it sends. The
   * ids of payment and transfer derive from it (`idFrom`), so a repeat names the same one. Other commands derive their own.
   */
  readonly key?: string | undefined;
  /** HMAC of the request's body (vault.fingerprint): the same key with another one is refused. */
  readonly fingerprint?: string | undefined;
}
