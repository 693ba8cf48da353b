/**
 * A payment as the log has it, folded from its journal entries: what the flow needs to go on with it. Pure.
 */
import type { JournalEvent, PaymentMethod, SavedCard } from '#contracts/events/journal';

import type { PaymentOutcome } from '../bus/payments.js';

/** Why a payment without an intent was canceled: reasons of ours, in the log. */
export const NEVER_SENT = 'abandoned before it reached the provider';
export const CARD_GONE = 'saved card refused';

export interface PaymentRecord {
  readonly paymentId: string;
  readonly payerId: string;
  readonly amountMinor: number;
  readonly method: PaymentMethod;
  readonly openedAt: Date;
  readonly intentId: string | undefined;
  readonly isResolved: boolean;
  readonly status: 'open' | 'settled' | 'canceled';
  /** The card that it is charged to in its payer's absence. */
  readonly savedCard: SavedCard | undefined;
  /** The last attempt's, as the provider gave it. */
  readonly failure: { readonly code: string; readonly reason: string } | undefined;
  /** Why it was canceled. */
  readonly cancelReason: string | undefined;
}

/** An entry about a payment, and when the ledger took it. */
export type PaymentEntry = JournalEvent & { readonly recordedAt: string };

/** The payment after its entries, in order; undefined before the one that opens it. */
export function paymentRecord(entries: readonly PaymentEntry[]): PaymentRecord | undefined {
  return entries.reduce<PaymentRecord | undefined>((record, entry) => {
    if (entry.type === 'PaymentOpened') {
      const { paymentId, payerId, amountMinor, method, savedCard } = entry.data;
      return {
        paymentId,
        payerId,
        amountMinor,
        method,
        openedAt: new Date(entry.recordedAt),
        intentId: undefined,
        isResolved: false,
        status: 'open',
        savedCard,
        failure: undefined,
        cancelReason: undefined,
      };
    }
    if (record === undefined) return undefined;
    if (entry.type === 'PaymentSubmitted') return { ...record, intentId: entry.data.intentId };
    if (entry.type === 'PaymentAttemptFailed') {
      const { code, reason } = entry.data;
      return { ...record, failure: { code, reason } };
    }
    if (entry.type === 'PaymentSettled')
      return { ...record, intentId: entry.data.intentId, isResolved: true, status: 'settled' };
    // Money that is proven after a cancel is booked all the same.
    return entry.type === 'PaymentCanceled' && record.status === 'open'
      ? { ...record, isResolved: true, status: 'canceled', cancelReason: entry.data.reason }
      : record;
  }, undefined);
}

/** What became of it, for whoever wants it paid. */
export function outcomeOf({
  status,
  failure,
  cancelReason,
  intentId,
  openedAt,
}: PaymentRecord): PaymentOutcome {
  if (status !== 'canceled') return { status, failure, openedAt };
  const gone = { code: 'card_unusable', reason: 'Your saved card can no longer be charged.' };
  const unmade = { code: 'not_made', reason: 'The payment could not be made in time.' };
  return {
    status,
    failure: failure ?? (cancelReason === CARD_GONE ? gone : unmade),
    openedAt,
    isOurs: intentId === undefined && cancelReason !== CARD_GONE,
  };
}
