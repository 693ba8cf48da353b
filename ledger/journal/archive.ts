/**
 * The journal's past beyond the resident window: an index of it (a read model) says where the entries about
 * something are, and the log says what they are.
 */
import { JOURNAL, subjectsOf, type JournalEvent } from '#contracts/events/journal';
import type { Position, RecordedEvent } from '#contracts/log';
import { LogUnavailable, recorded, type EventLog } from '#log/event-log';
import { Unavailable } from '../rejection.js';
import { sleep } from './clock.js';
import { TRY_AGAIN } from './queue.js';
import type { History, Question } from './find.js';
import type { PastEntry } from './state.js';

/** The index. `throughRevision`: how far it has read the journal. */
export interface Archive {
  find(key: string): Promise<{
    entry:
      | { revision: number; position: Position; fingerprint: string | undefined; subject: string | undefined }
      | undefined;
    throughRevision: number;
  }>;
  /** The entries about a payment, payout, occurrence or charge. */
  entriesOf(subject: string): Promise<{ revisions: readonly number[]; throughRevision: number }>;
}

const PATIENCE_MS = 2_000;
const RETRY_MS = 25;

export class ArchiveReader {
  constructor(
    private readonly archive: Archive,
    private readonly log: EventLog,
    private readonly clock: () => Date,
  ) {}

  /**
   * Asks until the archive has read as far as the question needs. `known` is what it said before about the
   * same command. Throws Unavailable.
   */
  async answer(question: Question, known: History | undefined): Promise<History> {
    try {
      return await this.#answer(question, known);
    } catch (error) {
      // A log that does not answer is waited for by whoever asks.
      const isTold = error instanceof Unavailable || error instanceof LogUnavailable;
      throw isTold ? error : new Unavailable(TRY_AGAIN, { cause: error });
    }
  }

  async #answer(question: Question, known: History | undefined): Promise<History> {
    const until = this.clock().getTime() + PATIENCE_MS;
    // What was told before the question rose is told again: the answers must be of one time.
    const before = (known?.throughRevision ?? -1) >= question.throughRevision ? known : undefined;
    for (;;) {
      const history = await this.#ask(question, before);
      if (history.throughRevision >= question.throughRevision) return history;
      if (this.clock().getTime() >= until)
        throw new Unavailable('The ledger’s index is behind. Please try again in a moment.');
      await sleep(RETRY_MS);
    }
  }

  async #ask(question: Question, known: History | undefined): Promise<History> {
    const entries = new Map(known?.entries);
    const subjects = new Map(known?.subjects);
    let throughRevision: number;
    if ('key' in question) {
      const found = await this.archive.find(question.key);
      ({ throughRevision } = found);
      const { entry } = found;
      entries.set(question.key, entry && { ...entry, landing: { position: entry.position } });
    } else {
      const found = await this.archive.entriesOf(question.subject);
      ({ throughRevision } = found);
      subjects.set(question.subject, await this.#entriesAt(found.revisions));
    }
    // All parts must be as fresh as the oldest of them claims to be.
    const oldest = Math.min(throughRevision, known?.throughRevision ?? throughRevision);
    return { throughRevision: oldest, entries, subjects };
  }

  /** Reads neighbours in one go, and all that is apart side by side. */
  async #entriesAt(revisions: readonly number[]): Promise<PastEntry[]> {
    const runs: { from: number; count: number }[] = [];
    for (const revision of revisions) {
      const last = runs.at(-1);
      if (last && last.from + last.count === revision) last.count += 1;
      else runs.push({ from: revision, count: 1 });
    }
    return (await Promise.all(runs.map(({ from, count }) => this.#read(from, count)))).flat();
  }

  async #read(from: number, count: number): Promise<PastEntry[]> {
    const entries: PastEntry[] = [];
    for await (const raw of this.log.readStream(JOURNAL, from, count)) {
      const event = recorded(raw) as RecordedEvent<JournalEvent>;
      const { revision, position, metadata } = event;
      entries.push({
        event,
        last: {
          revision,
          landing: { position },
          fingerprint: metadata.fingerprint,
          key: metadata.key,
          subject: subjectsOf(event)[0],
        },
        recordedAtMs: Date.parse(metadata.recordedAt),
      });
    }
    return entries;
  }
}
