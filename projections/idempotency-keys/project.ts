/**
 * Writes down each journal entry's key. A key that is there already stops the projector: an effect would be
 * booked twice.
 */
import { JOURNAL, subjectsOf, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { positionText } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';
import { idempotencyKeys } from './columns.js';

export async function projectIdempotencyKeys(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  await idempotencyKeys.insert(
    events.filter(isEntry).flatMap((entry) => {
      const { metadata, revision, position } = entry;
      if (metadata.key === undefined) return [];
      const [subject, occurrence] = subjectsOf(entry);
      return [
        idempotencyKeys.row({
          key: metadata.key,
          revision,
          position: positionText(position),
          fingerprint: metadata.fingerprint,
          subject,
          occurrence,
        }),
      ];
    }),
    tx,
  );
}

const isEntry = (event: RecordedEvent): event is RecordedEvent<JournalEvent> => event.stream === JOURNAL;
