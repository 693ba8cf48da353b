/** What the slice reads of the read models; filled in processes/ledger/reads.ts. */
import type { TipPageAnswer } from '#contracts/api/tip-page';
import type { Thanks } from '#contracts/plain/thanks';
import type { Limits } from '#contracts/limits';

/** The answer to a change: the page as its owner sees it. */
export abstract class TipPageAnswers {
  abstract of(userId: string): Promise<TipPageAnswer>;
}

/** How many handles one person may claim. */
export abstract class TipPageLimits {
  abstract readonly limits: Pick<Limits, 'handles'>;
}

/** A page as visitors see it. */
export interface ShownTipPage {
  readonly userId: string;
  readonly handle: string;
  /** The stage name, else first and last name; the handle alone in privacy mode. */
  readonly name: string;
  /** How the owner is spoken of: `Tip Juno`. */
  readonly shortName: string;
  readonly line: string;
  readonly isVerified: boolean;
  readonly isListed: boolean;
  readonly isPublished: boolean;
  readonly pictureHash: string | undefined;
}

/** What a receipt says of whoever was paid. */
export type PaidPerformer = Pick<ShownTipPage, 'userId' | 'handle' | 'name' | 'shortName'> & {
  /** Whether the account is closed: nothing of its owner is known any more. */
  readonly isClosed: boolean;
};

/** The pages, as visitors find them by what stands behind the `@`. */
export abstract class ShownTipPages {
  /** By the key of a handle, also an older one of its owner; undefined for one that leads nowhere. */
  abstract byKey(exactKey: string): Promise<ShownTipPage | undefined>;
  /** Whose handle it was, where their account is closed. */
  abstract closedOwner(exactKey: string): Promise<string | undefined>;
  /** Whether a handle is what somebody else is found by: their username. */
  abstract isOthersUsername(userId: string, handle: string): Promise<boolean>;
  /**
   * Whether a name is, to the eye, that of somebody else's published page, in letters that only look the
   * same.
   */
  abstract isImitation(userId: string, name: string): Promise<boolean>;
}

/** What somebody paid on a tip page, or tried to, as their receipt shows it. */
export interface PaidTip {
  readonly id: string;
  readonly recipientId: string;
  /** A transfer was paid from a balance. */
  readonly kind: 'payment' | 'transfer';
  readonly amountMinor: number;
  readonly refundedMinor: number;
  /** What the payer's bank has taken back by a dispute and not given up. */
  readonly disputedMinor: number;
  readonly status: string;
  readonly method: string | null;
  readonly note: string | null;
  readonly guestName: string | null;
  /** What the recipient answered. */
  readonly thanks: Thanks | null;
  readonly failureReason: string | null;
  readonly settledAt: Date | null;
  readonly isClaimed: boolean;
}

export abstract class PaidTips {
  /** The last thing that a guest paid; before that, what they tried last. */
  abstract ofGuest(guestId: string): Promise<PaidTip | undefined>;
  /** A payment of somebody signed in; undefined for one of anybody else. */
  abstract ofPayer(id: string, payerId: string): Promise<PaidTip | undefined>;
}

/** Whom somebody signed in was as a guest. */
export abstract class ClaimedGuests {
  /** The guests whose receipts this user has claimed. */
  abstract of(userId: string): Promise<readonly string[]>;
}

/** The pictures that people put of themselves; filled in processes/ledger.ts. */
export abstract class TipPagePictures {
  /** The user's picture, a WebP, if it is the one of this hash. */
  abstract bytesOf(userId: string, hash: string): Promise<Buffer | undefined>;
}

/** What the pages are made with; filled in processes/ledger.ts. */
export abstract class TipPageSettings {
  /** The public origin. */
  abstract readonly publicUrl: string;
  abstract readonly isStaging: boolean;
  /** The page's script, as the build made it. */
  abstract script(): string;
  /** The address of the app's typeface; undefined where the web app is not built. */
  abstract font(): string | undefined;
}
