/** Folds unapplied money: what came in, and what of it has gone back. */
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import { unapplied } from './columns.js';

export async function projectUnapplied(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const received = events.filter((event) => event.type === 'UnappliedReceived');
  await unapplied.insert(
    received.map(({ data, metadata }) => ({
      chargeId: data.chargeId,
      intentId: data.intentId,
      paymentId: data.paymentId ?? null,
      amountMinor: data.amountMinor,
      refundedMinor: 0,
      disputedMinor: 0,
      currency: data.currency,
      reason: data.reason,
      receivedAt: metadata.recordedAt,
    })),
    tx,
  );
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
      // What a dispute took of it is refunded instead of disputed, or the other way round where it failed.
      const { chargeId, currency, amountMinor, disputedMinor = 0 } = event.data;
      return event.type === 'UnappliedRefunded'
        ? { chargeId, currency, refundedMinor: amountMinor, disputedMinor: 0 - disputedMinor }
        : { chargeId, currency, refundedMinor: -amountMinor, disputedMinor };
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
