/**
 * The journal as an auditor reads it: each entry with the postings that the audit derives from it, never
 * those that it carries. Whatever is reported of money is made from these.
 */
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { Metadata, Position, RecordedEvent } from '#contracts/log';
import { recorded, type LogSource } from '#log/event-log';
import { Derivation, type DerivedPosting } from './derivation.js';

/** One journal entry. Its type and data are the contract's, upcast to the present version. */
export type Entry = JournalEvent & {
  readonly revision: number;
  readonly position: Position;
  readonly id: string;
  /** When the ledger took it, as an ISO date in UTC. */
  readonly recordedAt: string;
  readonly metadata: Metadata;
  /** Its chain hash, base64url, as it carries it. */
  readonly hash: string;
  /** Derived from type and fields. */
  readonly postings: readonly DerivedPosting[];
};

/**
 * Reads the journal from its beginning, in order. `derivation` is one to be continued by each entry as it is
 * yielded, so that its balances are those just after the entry. Throws LogUnavailable; UnreadableEvent for an
 * entry that cannot be read, and Underivable for one from which no postings follow: verify names them, and no
 * report is made over them.
 */
export async function* entries(
  source: Pick<LogSource, 'readStream'>,
  derivation = new Derivation(),
): AsyncGenerator<Entry> {
  for await (const raw of source.readStream(JOURNAL, 0))
    yield entryOf(recorded(raw) as RecordedEvent<JournalEvent>, derivation);
}

/** A journal event, read back, with its derived postings. Throws Underivable. */
export function entryOf(event: RecordedEvent<JournalEvent>, derivation: Derivation): Entry {
  const { stream: _, ...own } = event;
  const { recordedAt, hash } = event.metadata;
  // The event comes last: V8 is many times slower where properties are added behind a spread object.
  return { recordedAt, hash, postings: derivation.next(event), ...own };
}
