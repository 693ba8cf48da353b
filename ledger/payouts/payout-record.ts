/** A payout as the journal has it, folded from its entries: what the flow needs to go on with it. Pure. */
import type { PayoutEntry } from '../journal/payout-rules.js';

export interface PayoutRecord {
  readonly payoutId: string;
  readonly userId: string;
  readonly bankAccountId: string;
  readonly amountMinor: number;
  readonly status: 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';
  readonly providerTransferId: string | undefined;
  /** The user's account at the provider that the money went to. */
  readonly connectAccountId: string | undefined;
  readonly providerPayoutId: string | undefined;
  /** Why the bank or the provider sent it back. */
  readonly returned: Why | undefined;
}

export interface Why {
  readonly code: string;
  readonly reason: string;
}

/** The payout after its entries, in order; undefined before the one that requests it. */
export function payoutRecord(entries: readonly PayoutEntry[]): PayoutRecord | undefined {
  return entries.reduce<PayoutRecord | undefined>((record, entry) => {
    if (entry.type === 'PayoutRequested') {
      const { payoutId, userId, bankAccountId, amountMinor } = entry.data;
      const unknown = {
        providerTransferId: undefined,
        connectAccountId: undefined,
        providerPayoutId: undefined,
      };
      return {
        payoutId,
        userId,
        bankAccountId,
        amountMinor,
        status: 'requested',
        ...unknown,
        returned: undefined,
      };
    }
    if (record === undefined) return undefined;
    switch (entry.type) {
      case 'PayoutTransferred': {
        const { providerTransferId, connectAccountId } = entry.data;
        return { ...record, status: 'transferred', providerTransferId, connectAccountId };
      }
      case 'PayoutSubmitted':
        return { ...record, status: 'submitted', providerPayoutId: entry.data.providerPayoutId };
      case 'PayoutCompleted':
        return { ...record, status: 'completed' };
      case 'PayoutReturned':
        return {
          ...record,
          status: 'returned',
          returned: { code: entry.data.code, reason: entry.data.reason },
        };
      case 'PayoutFailed':
        return { ...record, status: 'failed' };
    }
  }, undefined);
}
