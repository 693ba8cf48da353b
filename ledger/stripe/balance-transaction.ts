/**
 * A movement of the platform's balance as the card provider shows it, in our words and without the SDK's
 * types. Amounts are minor units with the provider's signs: above zero came in, and a fee above zero was
 * taken. All are zero for a movement of another of the account's balances.
 */
export interface BalanceTransaction {
  readonly id: string;
  /** The provider's word for what it is: `charge`, `topup`, `stripe_fee` … */
  readonly type: string;
  readonly amountMinor: number;
  readonly feeMinor: number;
  /** What it changed the balance by. */
  readonly netMinor: number;
  readonly currency: string;
  readonly createdAt: string;
  readonly source: BalanceSource;
}

/**
 * The object that a movement came from, as far as it says whose it is. `isSealed`: its metadata are as this
 * ledger wrote them, and for this sum.
 */
export type BalanceSource =
  | {
      readonly kind: 'charge';
      readonly id: string;
      readonly intentId?: string | undefined;
      readonly isSealed: boolean;
    }
  | {
      readonly kind: 'refund';
      readonly id: string;
      readonly chargeId?: string | undefined;
      readonly intentId?: string | undefined;
      readonly isSealed: boolean;
      /** It never arrived, or came back. */
      readonly isFailed: boolean;
    }
  | {
      readonly kind: 'dispute';
      readonly id: string;
      readonly chargeId?: string | undefined;
      readonly intentId?: string | undefined;
    }
  | {
      readonly kind: 'transfer';
      readonly id: string;
      readonly payoutId?: string | undefined;
      readonly isSealed: boolean;
    }
  | {
      readonly kind: 'reversal';
      readonly id: string;
      readonly transferId?: string | undefined;
      readonly isSealed: boolean;
    }
  /** It cannot be read, or was not shown: nobody can say whose it is. */
  | { readonly kind: 'unreadable'; readonly id?: string | undefined }
  /** No payment or payout of ours: a top-up, a payout to the platform's bank, or nothing at all. */
  | { readonly kind: 'other'; readonly id?: string | undefined };
