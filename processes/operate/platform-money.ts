/** What an operator decides about money of the platform's own at the card provider: asked of a ledger. */
import { CannotRun, type Verdict } from '../shell/command.js';
import { askLedger } from './ask-ledger.js';

/** Books a movement of the provider's balance as the platform's own; told again, it was booked already. */
export async function bookPlatformMoney(balanceTransactionId: string): Promise<Verdict> {
  if (!balanceTransactionId.startsWith('txn_'))
    throw new CannotRun(`"${balanceTransactionId}" is not the id of a balance transaction (txn_…).`);
  await askLedger({ type: 'BookPlatformMoney', balanceTransactionId });
  return { status: 0, lines: [`${balanceTransactionId} is booked as the platform’s own money.`] };
}
