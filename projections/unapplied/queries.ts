/** Reads of unapplied money: what a worker has to give back. Amounts are minor units. */
import { wholeNumber, type Queryable } from '../engine/read-model.js';

export interface UnappliedCharge {
  readonly chargeId: string;
  readonly intentId: string;
  readonly paymentId: string | null;
  readonly amountMinor: number;
  readonly refundedMinor: number;
  /** What disputes have taken of it. */
  readonly disputedMinor: number;
  readonly currency: string;
  readonly reason: string;
  readonly receivedAt: Date;
}

interface Row {
  charge_id: string;
  intent_id: string;
  payment_id: string | null;
  amount_minor: string;
  refunded_minor: string;
  disputed_minor: string;
  currency: string;
  reason: string;
  received_at: Date;
}

/**
 * Charges received that no payment explains and that are not wholly refunded, oldest first, after the last
 * one of the page before.
 */
export async function unappliedCharges(
  db: Queryable,
  limit = 500,
  after?: Pick<UnappliedCharge, 'chargeId' | 'receivedAt'>,
): Promise<UnappliedCharge[]> {
  const { rows } = await db.query<Row>({
    name: 'unapplied-charges',
    text: `select charge_id, intent_id, payment_id, amount_minor, refunded_minor, disputed_minor, currency, reason, received_at
             from unapplied
            where refunded_minor + disputed_minor < amount_minor
              and ($2::timestamptz is null or (received_at, charge_id) > ($2, $3::text))
            order by received_at, charge_id limit $1`,
    values: [limit, after?.receivedAt ?? null, after?.chargeId ?? null],
  });
  return rows.map((row) => ({
    chargeId: row.charge_id,
    intentId: row.intent_id,
    paymentId: row.payment_id,
    amountMinor: wholeNumber(row.amount_minor),
    refundedMinor: wholeNumber(row.refunded_minor),
    disputedMinor: wholeNumber(row.disputed_minor),
    currency: row.currency,
    reason: row.reason,
    receivedAt: row.received_at,
  }));
}

/** How many of them there are, and since when the oldest. */
export async function unappliedBacklog(db: Queryable): Promise<{ count: number; oldest: Date | null }> {
  const { rows } = await db.query<{ count: string; oldest: Date | null }>({
    name: 'unapplied-backlog',
    text: `select count(*) as count, min(received_at) as oldest from unapplied
            where refunded_minor + disputed_minor < amount_minor`,
    values: [],
  });
  return { count: wholeNumber(rows[0]?.count ?? '0'), oldest: rows[0]?.oldest ?? null };
}

/** Whether a charge is held as unapplied and has not gone back. */
export async function isUnapplied(db: Queryable, chargeId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: 'is-unapplied',
    text: 'select 1 from unapplied where charge_id = $1 and refunded_minor + disputed_minor < amount_minor',
    values: [chargeId],
  });
  return rows.length > 0;
}
