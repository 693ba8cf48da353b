/** What the payments slice reads; implemented over the read models and the log by main.ts. Amounts are minor units. */
import type { PaymentEntry } from './payment-record.js';

/** One line of one person's list. */
export interface HistoryLine {
  readonly id: string;
  readonly type: 'payment_received' | 'payment_sent';
  readonly kind: 'payment' | 'transfer';
  readonly amountMinor: number;
  readonly refundedMinor: number;
  readonly method: string | null;
  readonly note: string | null;
  readonly status: string;
  readonly failureReason: string | null;
  readonly counterpartyId: string;
  readonly counterpartyUsername: string | null;
  readonly createdAt: Date;
}

export interface HistoryPage {
  readonly lines: readonly HistoryLine[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export abstract class PaymentHistory {
  /** A person's payments and transfers, newest first. */
  abstract pageOf(userId: string, page: { limit: number; cursor: string | undefined }): Promise<HistoryPage>;
}

export abstract class PaymentEntries {
  /** The journal's entries about a payment, in order, as far as the read model that lists them has come. */
  abstract about(paymentId: string): Promise<readonly PaymentEntry[]>;
}

export abstract class UnappliedCharges {
  /** Whether the journal holds this charge as unapplied and not given back yet. A charge that settled a payment never is. */
  abstract isHeld(chargeId: string): Promise<boolean>;
}
