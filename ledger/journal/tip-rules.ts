/**
 * How much a person tips by saved cards and from the balance in a day without a proof: what a thief with the
 * session could move. Decided where the money is, so that two tips at once, through two ledgers, cannot pass
 * it together.
 */
import type { JournalEvent } from '#contracts/events/journal';
import { LIMITS } from '#contracts/limits';
import { Rejected } from '../rejection.js';
import { countAt, counted } from './counts.js';
import type { Case } from './decision.js';
import type { Books } from './state.js';

const A_DAY_MS = LIMITS['tips-without-proof'].withinMs;
const MINOR_PER_DOLLAR = 100;

interface UnprovenTip {
  readonly payerId: string;
  readonly amountMinor: number;
  readonly isChallenged?: boolean | undefined;
}

/**
 * Throws Rejected('ProofNeeded') where this tip would pass the day's sum, or declines ask for a proof of any.
 */
export function assertTipNeedsNoProof(
  { payerId, amountMinor, isChallenged }: UnprovenTip,
  { books, now, limits }: Case,
): void {
  if (isChallenged) throw new Rejected('ProofNeeded', { payerId });
  const tipped = countAt(books.tips.get(payerId) ?? [], now, A_DAY_MS);
  if (tipped + amountMinor > limits['tips-without-proof'] * MINOR_PER_DOLLAR)
    throw new Rejected('ProofNeeded', { payerId });
}

/** Adds up what was tipped without a proof; a declined card counts too. */
export function evolveTips(event: JournalEvent, recordedAtMs: number, books: Books): void {
  if (event.type !== 'PaymentOpened' && event.type !== 'TransferPosted') return;
  const { payerId, amountMinor, unproven } = event.data;
  if (unproven !== true) return;
  books.tips.set(payerId, counted(books.tips.get(payerId) ?? [], recordedAtMs, amountMinor, A_DAY_MS));
}

/** Forgets whoever has tipped nothing within a day; for the lowest books. */
export function forgetOldTips(books: Books, nowMs: number): void {
  for (const [payerId, counts] of books.tips.entries())
    if (countAt(counts, nowMs, A_DAY_MS) === 0) books.tips.delete(payerId);
}
