/** Folds unapplied money: what came in, and what of it has gone back. */
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';

export async function projectUnapplied(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const received = events.filter((event) => event.type === 'UnappliedReceived');
  if (received.length > 0)
    await tx.query({
      name: 'unapplied-received',
      text: `insert into unapplied (charge_id, intent_id, payment_id, amount_minor, refunded_minor, disputed_minor, currency, reason,
                                     received_at)
             select charge_id, intent_id, payment_id, amount_minor, 0, 0, currency, reason, received_at
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
  // Rare enough to be written one by one, in their order, and each must find its charge.
  for (const event of events) {
    const change = changeOf(event);
    if (!change) continue;
    const { chargeId, currency, refundedMinor, disputedMinor } = change;
    const { rowCount } = await tx.query({
      name: 'unapplied-changed',
      text: `update unapplied set refunded_minor = refunded_minor + $2, disputed_minor = disputed_minor + $3
              where charge_id = $1 and currency = $4
                and refunded_minor + $2 >= 0 and disputed_minor + $3 >= 0
                and refunded_minor + disputed_minor + $2 + $3 <= amount_minor`,
      values: [chargeId, refundedMinor, disputedMinor, currency],
    });
    if (rowCount !== 1)
      throw new BrokenBooks(
        `${event.type} at revision ${event.revision} takes more of charge ${chargeId} than is held, or gives more.`,
      );
  }
}

interface Change {
  readonly chargeId: string;
  readonly currency: string;
  readonly refundedMinor: number;
  readonly disputedMinor: number;
}

/** What an entry takes of a held charge, or gives back to it. */
function changeOf(event: RecordedEvent): Change | undefined {
  switch (event.type) {
    case 'UnappliedRefunded':
    case 'UnappliedRefundFailed': {
      const { chargeId, currency, amountMinor } = event.data;
      return {
        chargeId,
        currency,
        refundedMinor: event.type === 'UnappliedRefunded' ? amountMinor : -amountMinor,
        disputedMinor: 0,
      };
    }
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated': {
      const { chargeId, currency, unappliedMinor } = event.data;
      if (unappliedMinor === 0) return undefined;
      const disputedMinor = event.type === 'DisputeFundsWithdrawn' ? unappliedMinor : -unappliedMinor;
      return { chargeId, currency, refundedMinor: 0, disputedMinor };
    }
    default:
      return undefined;
  }
}
