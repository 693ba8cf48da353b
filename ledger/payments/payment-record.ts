/** A payment as the log has it, folded from its journal entries: what the flow needs to go on with it. Pure. */
import type { JournalEvent, PaymentMethod } from '#contracts/events/journal';

export interface PaymentRecord {
  readonly paymentId: string;
  readonly payerId: string;
  readonly amountMinor: number;
  readonly method: PaymentMethod;
  readonly openedAt: Date;
  readonly intentId: string | undefined;
  readonly isResolved: boolean;
}

/** An entry about a payment, and when the ledger took it. */
export type PaymentEntry = JournalEvent & { readonly recordedAt: string };

/** The payment after its entries, in order; undefined before the one that opens it. */
export function paymentRecord(entries: readonly PaymentEntry[]): PaymentRecord | undefined {
  return entries.reduce<PaymentRecord | undefined>((record, entry) => {
    if (entry.type === 'PaymentOpened') {
      const { paymentId, payerId, amountMinor, method } = entry.data;
      return {
        paymentId,
        payerId,
        amountMinor,
        method,
        openedAt: new Date(entry.recordedAt),
        intentId: undefined,
        isResolved: false,
      };
    }
    if (record === undefined) return undefined;
    if (entry.type === 'PaymentSubmitted') return { ...record, intentId: entry.data.intentId };
    if (entry.type === 'PaymentSettled') return { ...record, intentId: entry.data.intentId, isResolved: true };
    return entry.type === 'PaymentCanceled' ? { ...record, isResolved: true } : record;
  }, undefined);
}
