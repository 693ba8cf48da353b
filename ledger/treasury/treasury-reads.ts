/** What the treasury's calls read; implemented over the read model by main.ts. Amounts are minor units. */
import type { ListAsked, Page } from '#contracts/api/lists';

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

/** What of a list is asked for. */
export interface MovementsAsked extends ListAsked {
  readonly walletId?: string | undefined;
  readonly type?: WalletMovement['type'] | undefined;
}

export abstract class Wallets {
  /** A person's wallets, in the order in which they were opened. */
  abstract of(userId: string): Promise<readonly KnownWallet[]>;
  /** What moved in and out of them, newest first. */
  abstract movementsOf(userId: string, asked: MovementsAsked): Promise<Page<WalletMovement>>;
}
