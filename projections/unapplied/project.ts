/** Folds unapplied money: what came in, and what of it has gone back. */
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';

export async function projectUnapplied(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const received = events.filter((event) => event.type === 'UnappliedReceived');
  const refunded = events.filter((event) => event.type === 'UnappliedRefunded');
  if (received.length > 0)
    await tx.query({
      name: 'unapplied-received',
      text: `insert into unapplied (charge_id, intent_id, payment_id, amount_minor, refunded_minor, currency, reason, received_at)
             select charge_id, intent_id, payment_id, amount_minor, 0, currency, reason, received_at
               from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[])
                 as v (charge_id, intent_id, payment_id, amount_minor, currency, reason, received_at)`,
      values: [
        received.map(({ data }) => data.chargeId),
        received.map(({ data }) => data.intentId),
        received.map(({ data }) => data.paymentId),
        received.map(({ data }) => data.amountMinor),
        received.map(({ data }) => data.currency),
        received.map(({ data }) => data.reason),
        received.map(({ metadata }) => metadata.recordedAt),
      ],
    });
  // Rare enough to be written one by one, and each must find its charge.
  for (const { data, revision } of refunded) {
    const { rowCount } = await tx.query({
      name: 'unapplied-refunded',
      text: `update unapplied set refunded_minor = refunded_minor + $2
              where charge_id = $1 and currency = $3 and refunded_minor + $2 <= amount_minor`,
      values: [data.chargeId, data.amountMinor, data.currency],
    });
    if (rowCount !== 1)
      throw new BrokenBooks(`UnappliedRefunded at revision ${revision} gives back more of charge ${data.chargeId} than is held.`);
  }
}
