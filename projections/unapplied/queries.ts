/** Reads of unapplied money: what a worker has to give back. Amounts are minor units. */
import type { Queryable } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import { unapplied } from './columns.js';

/** A charge as a row holds it, its time as a date. */
export type UnappliedCharge = Omit<RowOf<typeof unapplied>, 'receivedAt'> & { readonly receivedAt: Date };

const CHARGE = unapplied.inner(
  'chargeId',
  'intentId',
  'paymentId',
  'amountMinor',
  'refundedMinor',
  'disputedMinor',
  'currency',
  'reason',
  'receivedAt',
);

/**
 * Charges received that no payment explains and that are not wholly refunded, oldest first, after the last
 * one of the page before.
 */
export async function unappliedCharges(
  db: Queryable,
  limit = 500,
  after?: Pick<UnappliedCharge, 'chargeId' | 'receivedAt'>,
): Promise<UnappliedCharge[]> {
  const { rows } = await db.query<UnappliedCharge>({
    name: 'unapplied-charges',
    text: `select ${CHARGE} from unapplied
            where refunded_minor + disputed_minor < amount_minor
              and ($2::timestamptz is null or (received_at, charge_id) > ($2, $3::text))
            order by received_at, charge_id limit $1`,
    values: [limit, after?.receivedAt ?? null, after?.chargeId ?? null],
  });
  return rows;
}

/** How many of them there are, and since when the oldest. */
export async function unappliedBacklog(db: Queryable): Promise<{ count: number; oldest: Date | null }> {
  const { rows } = await db.query<{ count: number; oldest: Date | null }>({
    name: 'unapplied-backlog',
    text: `select count(*) as count, min(received_at) as oldest from unapplied
            where refunded_minor + disputed_minor < amount_minor`,
    values: [],
  });
  return rows[0] ?? { count: 0, oldest: null };
}
