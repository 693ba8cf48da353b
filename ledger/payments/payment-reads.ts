/**
 * What the payments slice reads; implemented over the read models and the log by main.ts. Amounts are minor
 * units.
 */
import type { ListAsked, Page } from '#contracts/api/lists';
import type { ScheduleKind } from '#contracts/events/occurrence';
import type { PaymentEntry } from './payment-record.js';

/** One line of one person's list. */
export interface HistoryLine {
  readonly id: string;
  readonly type: 'payment_received' | 'payment_sent';
  readonly kind: 'payment' | 'transfer';
  readonly amountMinor: number;
  readonly refundedMinor: number;
  readonly disputedMinor: number;
  readonly disputeStatus: 'open' | 'won' | 'lost' | null;
  readonly scheduleKind: ScheduleKind | null;
  readonly scheduleId: string | null;
  readonly currency: string;
  readonly method: string | null;
  readonly note: string | null;
  readonly status: string;
  readonly failureReason: string | null;
  readonly counterpartyId: string;
  readonly counterpartyUsername: string | null;
  readonly counterpartyName: string | null;
  readonly createdAt: Date;
}

export interface Receipt extends HistoryLine {
  readonly openedAt: Date;
  readonly settledAt: Date | null;
}

/** What of a list is asked for. */
export interface HistoryAsked extends ListAsked {
  readonly type?: HistoryLine['type'] | undefined;
}

export abstract class PaymentHistory {
  /** A person's payments and transfers, newest first. */
  abstract pageOf(userId: string, asked: HistoryAsked): Promise<Page<HistoryLine>>;

  /** One line of a person's list, with what a receipt says; undefined for what is not in it. */
  abstract receiptOf(userId: string, id: string): Promise<Receipt | undefined>;
}

export abstract class PaymentEntries {
  /** The journal's entries about a payment, in order, as far as the read model that lists them has come. */
  abstract about(paymentId: string): Promise<readonly PaymentEntry[]>;
}

export abstract class UnappliedCharges {
  /**
   * Whether the journal holds this charge as unapplied and not given back yet. A charge that settled a
   * payment never is.
   */
  abstract isHeld(chargeId: string): Promise<boolean>;
}
