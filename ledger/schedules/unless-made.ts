/** A new schedule is refused for want of money only where the same request has not made it meanwhile. */
import { Rejected } from '../rejection.js';

/**
 * Asks whether a new schedule is possible. The same request, sent twice, may have made it at another ledger
 * since this one looked, and its first payment may have taken the money, or it the last place, that this one
 * asks for: a refusal would tell its payer that there is none. Throws what `possible` throws where it is not
 * made.
 */
export async function unlessMade(
  possible: () => Promise<void>,
  isMade: () => Promise<boolean>,
): Promise<void> {
  try {
    await possible();
  } catch (error) {
    if (!(error instanceof Rejected) || !(await isMade())) throw error;
  }
}
