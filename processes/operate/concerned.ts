/**
 * Whom it concerns that a log has lost something: they may be paid and nothing more until an operator has
 * looked at it.
 */
import { JOURNAL } from '#contracts/events/journal';
import { isToldByProvider } from '#ledger/journal/entries';
import type { LostRow } from '#projections/engine/replace-rows';
import { usersIn, type LostEvent } from './win-back.js';

/** Tables whose lost rows say by themselves that nothing is certain of the users they name. */
const SUMS: ReadonlySet<string> = new Set([
  'idempotency_keys',
  'transaction_counts',
  'receipts',
  'balances',
  'funds_arriving',
  'unapplied',
  'unclaimed',
]);

/** A schedule is its payer's: what was due of it is collected no more, and its recipient has lost nothing. */
const ownersIn = ({ table, ids }: LostRow): readonly string[] =>
  usersIn(table === 'schedules' ? { ...ids, recipient_id: null } : ids);

/**
 * Everybody of whom something is lost. What the card provider tells of payments is booked again as it tells
 * it, and a payment that it does not know moved no money: neither concerns anybody.
 */
export function usersOf(lostEvents: readonly LostEvent[], lostRows: readonly LostRow[]): string[] {
  const events = lostEvents.filter(({ stream, kind }) => stream !== JOURNAL || !isToldByProvider(kind));
  const rows = lostRows.filter(
    ({ table, ids }) => !SUMS.has(table) && !(table === 'transactions' && ids['kind'] === 'payment'),
  );
  return [...new Set([...events.flatMap(({ users }) => users), ...rows.flatMap(ownersIn)])].sort();
}
