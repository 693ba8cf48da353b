/** What an operator decides about money that nobody claims and debts that nobody pays: asked of a ledger. */
import { dollarsFromMinor } from '#contracts/plain/money';
import { HOWEVER_LONG, openReadPool } from '#projections/engine/database';
import { unclaimedMoney } from '#projections/unclaimed/queries';
import type { Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';
import { askLedger } from './ask-ledger.js';

/**
 * Lists what waits for somebody to claim it, the oldest first: item, user, since when, how much is left of
 * it, and what brought it.
 */
export async function listUnclaimed(): Promise<Verdict> {
  const pool = openReadPool(readSettings(['DATABASE_URL']).DATABASE_URL, 1, HOWEVER_LONG);
  const items = await unclaimedMoney(pool);
  if (items.length === 0) return { status: 0, lines: ['Nothing is unclaimed.'] };
  const lines = items.map(({ itemId, userId, leftMinor, cause, receivedAt }) =>
    [itemId, userId, receivedAt.toISOString().slice(0, 10), dollarsFromMinor(leftMinor), cause].join('  '),
  );
  return { status: 0, lines: ['item  user  since  amount  brought by', ...lines] };
}

/**
 * Books that unclaimed money was paid by hand; told again, it was booked already. Throws CannotRun where
 * another amount than that is left of it.
 */
export async function payUnclaimed(itemId: string, amountMinor: number, reference: string): Promise<Verdict> {
  await askLedger({ type: 'PayUnclaimed', itemId, amountMinor, reference });
  return {
    status: 0,
    lines: [`${itemId} is booked as paid out of the platform’s own funds (${reference}).`],
  };
}

/** Books what a user owes as a loss. Throws CannotRun of one who owes nothing, or is unknown. */
export async function writeOff(userId: string, because: string): Promise<Verdict> {
  await askLedger({ type: 'WriteOffDebt', userId, because });
  return { status: 0, lines: [`${userId} owes nothing any more. What was owed is the platform’s loss.`] };
}
