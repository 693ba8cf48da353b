/** What the slice reads of the read models; filled in processes/ledger/reads.ts. */
import type { TipPageAnswer } from '#contracts/api/tip-page';
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

/** The pages, as visitors find them by what stands behind the `@`. */
export abstract class ShownTipPages {
  /** By the key of a handle, also an older one of its owner; undefined for one that leads nowhere. */
  abstract byKey(exactKey: string): Promise<ShownTipPage | undefined>;
}
