/** What an operator decides about money of the platform's own at the card provider: asked of a ledger. */
import { CannotRun, type Verdict } from '../shell/command.js';
import { askLedger } from './ask-ledger.js';
import { USAGE } from './usage.js';

/** Books a movement of the provider's balance as the platform's own; told again, it was booked already. */
export async function bookPlatformMoney(words: readonly string[]): Promise<Verdict> {
  const [balanceTransactionId, ...more] = words;
  if (balanceTransactionId === undefined || more.length > 0 || !balanceTransactionId.startsWith('txn_'))
    throw new CannotRun(
      `Usage: ${USAGE['book-platform-money']}, with the id of a balance transaction (txn_…)`,
    );
  await askLedger({ type: 'BookPlatformMoney', balanceTransactionId });
  return { status: 0, lines: [`${balanceTransactionId} is booked as the platform’s own money.`] };
}
