/** What the payouts slice reads; implemented by main.ts. Amounts are minor units. */
import type { ListAsked, Page } from '#contracts/api/lists';
import type { PayoutStatus } from '#contracts/api/payouts';
import type { PayoutEntry } from '../journal/payout-rules.js';

/** One line of a user's list. */
export interface PayoutLine {
  readonly id: string;
  readonly amountMinor: number;
  readonly bankAccountId: string;
  readonly status: 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';
  readonly requestedAt: Date;
  readonly completedAt: Date | undefined;
  /** Why it failed, or was sent back. */
  readonly reason: string | undefined;
  /** Why its last attempt at the provider came to nothing. */
  readonly delayReason: string | undefined;
}

/** What of a list is asked for. */
export interface PayoutsAsked extends ListAsked {
  readonly status?: PayoutStatus | undefined;
}

export abstract class PayoutHistory {
  /** A user's payouts, newest first. */
  abstract pageOf(userId: string, asked: PayoutsAsked): Promise<Page<PayoutLine>>;
  /** One of them, by its id. */
  abstract one(userId: string, payoutId: string): Promise<PayoutLine | undefined>;
  /** Whether the provider pays out to the user, and if not, why. */
  abstract standingOf(
    userId: string,
  ): Promise<{ readonly payoutsEnabled: boolean; readonly disabledCode: string | undefined }>;
}

export abstract class PayoutEntries {
  /** The journal's entries about a payout, in order, as far as the read model that lists them has come. */
  abstract about(payoutId: string): Promise<readonly PayoutEntry[]>;
}

/** Where a payout is to go, as the log has it at this moment. */
export type Destination =
  | { readonly kind: 'ready'; readonly connectAccountId: string; readonly externalAccountId: string }
  /** The provider does not pay out to its owner yet, or the account is still on its way there. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'removed' }
  /** No bank account of this user's. */
  | { readonly kind: 'unknown' };

export abstract class PayoutDestinations {
  abstract of(userId: string, bankAccountId: string): Promise<Destination>;
}
