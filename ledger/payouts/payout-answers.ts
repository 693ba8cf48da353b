/** What the payouts slice reads; filled in processes/ledger/reads.ts. */
import type { Payout } from '#contracts/api/payouts';

/** What is known of a payout before the read model shows it. Amounts are minor units. */
interface RequestedPayout {
  readonly id: string;
  readonly amountMinor: number;
  readonly bankAccountId: string;
}

export abstract class PayoutAnswers {
  /** A payout as its owner's list shows it, and as it was requested where the list does not have it yet. */
  abstract of(userId: string, requested: RequestedPayout): Promise<Payout>;
}

/** Where a payout is to go, as the log has it at this moment. */
export type Destination =
  | { readonly kind: 'ready'; readonly connectAccountId: string; readonly externalAccountId: string }
  /** The provider does not pay out to its owner yet, or the account is still on its way there. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'removed' }
  /** Its owner's account at the provider is gone, and the bank account with it. */
  | { readonly kind: 'closed' }
  /** No bank account of this user's. */
  | { readonly kind: 'unknown' };

export abstract class PayoutDestinations {
  abstract of(userId: string, bankAccountId: string): Promise<Destination>;
}
