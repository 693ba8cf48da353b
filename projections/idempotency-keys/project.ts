/** Writes down each journal entry's key. A key that is there already stops the projector: an effect would be booked twice. */
import type { RecordedEvent } from '#contracts/log';
import { positionText } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';

export async function projectIdempotencyKeys(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const keyed = events.filter(({ metadata }) => metadata.key !== undefined);
  if (keyed.length === 0) return;
  await tx.query({
    name: 'idempotency-keys-written',
    text: `insert into idempotency_keys (key, revision, position, fingerprint, payment_id)
           select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])`,
    values: [
      keyed.map(({ metadata }) => metadata.key),
      keyed.map(({ revision }) => revision),
      keyed.map(({ position }) => positionText(position)),
      keyed.map(({ metadata }) => metadata.fingerprint),
      keyed.map(paymentOrTransferOf),
    ],
  });
}

/** The payment or transfer that an entry is about. Unapplied money is about none, even where it names one. */
function paymentOrTransferOf(event: RecordedEvent): string | undefined {
  if (event.type === 'UnappliedReceived') return undefined;
  if ('paymentId' in event.data) return event.data.paymentId;
  return 'transferId' in event.data ? event.data.transferId : undefined;
}
