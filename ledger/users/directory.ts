/** What the users' calls read; implemented over the read models by main.ts. Amounts are minor units. */

export interface KnownUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly profileImageUrl: string | null;
  readonly forgotten: boolean;
  /** Names are for themselves only. */
  readonly privacyMode: boolean;
}

export interface Standing {
  readonly availableMinor: number;
  /** Receipts less refunds. */
  readonly receivedMinor: number;
  /** How many lines their list of payments has. */
  readonly transactionCount: number;
  /** The payout provider has verified them, and a bank account of theirs is in order. */
  readonly isVerified: boolean;
}

export abstract class UserDirectory {
  /** The user of this id, or undefined where the read model has none (yet). */
  abstract byId(userId: string): Promise<KnownUser | undefined>;
  /** The user who has proven this address, if the asker may find them by it. */
  abstract byEmail(email: string, askerId: string): Promise<KnownUser | undefined>;
  abstract standingOf(userId: string): Promise<Standing>;
}
