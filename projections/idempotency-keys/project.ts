/**
 * Writes down each journal entry's key. A key that is there already stops the projector: an effect would be
 * booked twice.
 */
import { JOURNAL, subjectsOf, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { positionText } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';

export async function projectIdempotencyKeys(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const keyed = events.filter(isEntry).filter(({ metadata }) => metadata.key !== undefined);
  if (keyed.length === 0) return;
  const subjects = keyed.map(subjectsOf);
  await tx.query({
    name: 'idempotency-keys-written',
    text: `insert into idempotency_keys (key, revision, position, fingerprint, subject, occurrence)
           select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])`,
    values: [
      keyed.map(({ metadata }) => metadata.key),
      keyed.map(({ revision }) => revision),
      keyed.map(({ position }) => positionText(position)),
      keyed.map(({ metadata }) => metadata.fingerprint),
      subjects.map(([subject]) => subject),
      subjects.map(([, occurrence]) => occurrence),
    ],
  });
}

const isEntry = (event: RecordedEvent): event is RecordedEvent<JournalEvent> => event.stream === JOURNAL;
