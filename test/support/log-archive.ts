/**
 * The archive read straight from a log, for specs that have no read model: as fresh as the spec says it is.
 */
import { JOURNAL, subjectsOf, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { recorded, type EventLog } from '#log/event-log';
import type { Archive } from '#ledger/journal/archive';

/** `through` limits how far the archive has read, by revision: what lies beyond it has not reached it yet. */
export function archiveOf(
  log: EventLog,
  through: () => number = () => Infinity,
): Archive & { asked: number } {
  const read = async () => {
    archive.asked += 1;
    const events: RecordedEvent<JournalEvent>[] = [];
    for await (const raw of log.readStream(JOURNAL, 0))
      if (raw.revision <= through()) events.push(recorded(raw) as RecordedEvent<JournalEvent>);
    return { events, throughRevision: events.at(-1)?.revision ?? -1 };
  };
  const archive = {
    asked: 0,
    async find(key: string) {
      const { events, throughRevision } = await read();
      const found = events.find((event) => event.metadata.key === key);
      return {
        entry: found && {
          revision: found.revision,
          position: found.position,
          fingerprint: found.metadata.fingerprint,
          subject: subjectsOf(found)[0],
        },
        throughRevision,
      };
    },
    async entriesOf(subject: string) {
      const { events, throughRevision } = await read();
      return {
        revisions: events
          .filter((event) => subjectsOf(event).includes(subject))
          .map(({ revision }) => revision),
        throughRevision,
      };
    },
  };
  return archive;
}
