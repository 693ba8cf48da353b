/**
 * What comparing the books with somebody else's record of the same money comes to: one line for each
 * movement, its class, who has to look at it, and how old it is.
 */

/**
 * `matched`: both sides have it and say the same. `only-theirs`, `only-ours`: one side has it. `amount`: both
 * have it and say different things of it. `timing`: one side has it a little before the other, which is in
 * order. `foreign`: it is somebody else's.
 */
export const CLASSES = ['matched', 'timing', 'foreign', 'only-theirs', 'only-ours', 'amount'] as const;
export type DifferenceClass = (typeof CLASSES)[number];

/** Those that somebody has to look at. */
export const WRONG: readonly DifferenceClass[] = ['only-theirs', 'only-ours', 'amount'];
export const isWrong = (of: DifferenceClass): boolean => WRONG.includes(of);

/**
 * Who looks at a difference: `time` mends it, the `operator` books or wins back what the log lacks, `finance`
 * asks the provider or the bank, `others` own it.
 */
export type DifferenceOwner = 'nobody' | 'time' | 'others' | 'operator' | 'finance';

const OWNERS: Readonly<Record<DifferenceClass, DifferenceOwner>> = {
  matched: 'nobody',
  timing: 'time',
  foreign: 'others',
  'only-theirs': 'operator',
  'only-ours': 'finance',
  amount: 'finance',
};
export const ownerOf = (of: DifferenceClass): DifferenceOwner => OWNERS[of];

/** One movement as both sides have it; amounts in minor units with the sign of the balance. */
export interface ReconciledItem {
  readonly class: DifferenceClass;
  readonly owner: DifferenceOwner;
  readonly currency: string;
  /** The provider's balance transaction, or the bank's line; absent where only our side has something. */
  readonly theirId?: string | undefined;
  /** What it is about: the provider's object, as `charge ch_1`. */
  readonly subject: string;
  readonly theirMinor: number;
  readonly ourMinor: number;
  /** The journal's entries that book it, by revision. */
  readonly revisions: readonly number[];
  /** When the first of both sides had it. */
  readonly since: string;
  /** How long one side has waited for the other, as of the moment compared for; zero where nobody waits. */
  readonly ageMs: number;
  /** What is wrong, or why it is in order nonetheless; empty for a match. */
  readonly because: string;
}

/** How many items of a class there are, what they come to, and how old the oldest is. */
interface ClassSum {
  readonly class: DifferenceClass;
  readonly owner: DifferenceOwner;
  readonly currency: string;
  readonly count: number;
  /** Theirs less ours, in minor units. For `foreign` all of it is theirs. */
  readonly differenceMinor: number;
  readonly oldestMs: number;
}

/** Sums by class and currency, in the classes' order; a class without an item has no line. */
export function sumsOf(items: readonly ReconciledItem[]): ClassSum[] {
  const sums = new Map<string, ClassSum>();
  for (const item of items) {
    const key = `${CLASSES.indexOf(item.class)} ${item.currency}`;
    const sum = sums.get(key);
    sums.set(key, {
      class: item.class,
      owner: item.owner,
      currency: item.currency,
      count: (sum?.count ?? 0) + 1,
      differenceMinor: (sum?.differenceMinor ?? 0) + item.theirMinor - item.ourMinor,
      oldestMs: Math.max(sum?.oldestMs ?? 0, item.ageMs),
    });
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}
