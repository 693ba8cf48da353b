/** What the treasury's calls read; implemented over the read model by main.ts. Amounts are minor units. */

export interface KnownWallet {
  readonly id: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly balanceMinor: number;
  readonly currency: string;
}

export interface WalletMovement {
  readonly id: string;
  readonly walletId: string;
  readonly walletName: string | null;
  readonly type: 'credit' | 'debit';
  readonly amountMinor: number;
  readonly description: string | null;
  readonly createdAt: Date;
}

export abstract class Wallets {
  /** A person's wallets, in the order in which they were opened. */
  abstract of(userId: string): Promise<readonly KnownWallet[]>;
  /** What moved in and out of them, newest first; `next` is the cursor of the next page. */
  abstract movementsOf(
    userId: string,
    page: { limit: number; cursor: string | undefined; walletId: string | undefined },
  ): Promise<{ lines: readonly WalletMovement[]; next: string | undefined }>;
}
