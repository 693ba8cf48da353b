/**
 * An exported log that grows with the log, and only with what extends it: every event is held against the
 * hash chain of its stream before it is written, and before anything is followed the last archived event is
 * looked up in the log. A log that was cut, edited or put in another's place is not archived; what was
 * archived stays.
 */
import { JOURNAL } from '#contracts/events/journal';
import {
  isOurStream,
  METADATA_PREFIXES,
  OUR_PREFIXES,
  ourStreamOfMetadata,
} from '#contracts/events/our-streams';
import { comparePositions, positionText, START, type Position } from '#contracts/log';
import { carriedHash, ChainBroken, ChainVerifier } from '#log/chain';
import { eventAt } from '#log/event-at';
import { ReadRefused, type EventLog, type RawEvent } from '#log/event-log';
import { isTombstone } from '#log/stored-event';
import { openArchive, type Archive } from './archive.js';
import { ArchiveWriter } from './archive-writer.js';
import type { ArchiveHead } from './lines.js';

/** The log is not one that begins with what was archived; the message says where they part. */
export class LogDiffers extends Error {
  override readonly name: string = 'LogDiffers';
}

/** The log, as far as the node that was asked knows it, ends before what was archived. */
export class LogEndsBefore extends LogDiffers {
  override readonly name = 'LogEndsBefore';
}

/** What of the log an archive asks for. */
export type FollowedLog = Pick<EventLog, 'readAll' | 'readStream' | 'lastOf' | 'follow' | 'witness'>;

/** The beginnings of the names of the streams that are archived. */
export const ARCHIVED_PREFIXES: readonly string[] = [...OUR_PREFIXES, ...METADATA_PREFIXES];

/** Whether a stream is archived: ours, and what the store was told about them. */
export const isArchived = (stream: string): boolean =>
  isOurStream(stream) || ourStreamOfMetadata(stream) !== undefined;

/**
 * Holds events against the chains of their streams, whichever these are. In any stream but the journal an
 * event may stand that no ledger wrote, which parks that stream alone: it is archived as it is, and counted.
 */
class Chains {
  readonly #byStream = new Map<string, ChainVerifier>();
  /** Events that carry no hash of their chain, or another one. */
  unchained = 0;

  /** Where the chain of a stream stands, behind what was taken of it. */
  of(stream: string): ChainVerifier {
    let chain = this.#byStream.get(stream);
    if (!chain) this.#byStream.set(stream, (chain = new ChainVerifier(stream)));
    return chain;
  }

  /**
   * Takes the next event of its stream. Throws {@link LogDiffers} for one of the journal that does not fit,
   * and for any that is not the next one of its stream.
   */
  next(event: RawEvent): void {
    const chain = this.of(event.stream);
    const isNext = event.revision === chain.revision + 1;
    try {
      chain.next(event);
    } catch (error) {
      if (!(error instanceof ChainBroken)) throw error;
      if (event.stream === JOURNAL || !isNext)
        throw new LogDiffers(`What the log has does not extend what was archived: ${error.message}.`);
      chain.skip(event);
      this.unchained += 1;
    }
  }
}

/** Reads a whole archive: every line and every chain. Throws ArchiveDamaged and {@link LogDiffers}. */
export async function verifyArchive(archive: Archive): Promise<void> {
  const chains = new Chains();
  for await (const event of archive.events()) if (isOurStream(event.stream)) chains.next(event);
}

export class VerifiedArchive {
  readonly #chains = new Chains();
  /** The last archived event of a stream of ours. */
  #last: RawEvent | undefined;
  /** By their ids: what the store was told about our streams, archived behind that event. */
  readonly #behind = new Set<string>();

  private constructor(
    private readonly archive: Archive,
    private readonly writer: ArchiveWriter,
  ) {}

  /**
   * Opens the folder for writing and verifies all that is in it. Throws FolderInUse, ArchiveDamaged and
   * {@link LogDiffers}.
   */
  static async open(folder: string): Promise<VerifiedArchive> {
    const writer = await ArchiveWriter.open(folder);
    try {
      const verified = new VerifiedArchive(await openArchive(folder), writer);
      for await (const event of verified.archive.events()) verified.#verify(event);
      return verified;
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  get head(): ArchiveHead {
    return this.writer.head;
  }

  /**
   * How many events outside the journal no ledger wrote: they carry no hash of their chain, or another one.
   */
  get unchained(): number {
    return this.#chains.unchained;
  }

  /** When the last archived event was written, by the store's clock; undefined without one. */
  get lastCreatedAt(): Date | undefined {
    return this.#last?.createdAt;
  }

  /**
   * Where the log goes on behind what was archived. Throws {@link LogDiffers} where it is not the same log,
   * {@link LogEndsBefore} where it lacks the end of it, and LogUnavailable.
   */
  async placeIn(log: FollowedLog): Promise<Position> {
    const last = this.#last;
    if (!last) return START;
    const { journal } = this.head;
    if (journal) await assertHasEntry(log, journal);
    const found = await shownAt(log, last);
    // Of a stream that is shown no more nothing but the whole log tells whether it is the same.
    if (found === 'deleted') return this.#moveTo(log);
    if (!found) throw new LogEndsBefore(endsBefore(`revision ${last.revision} of ${last.stream}`));
    if (!isSame(found, last)) throw new LogDiffers(isAnother(nameOf(found), last));
    // Of a log that moved all positions are others: nothing but the events themselves tells that it is the
    // same.
    if (comparePositions(found.position, this.head.position) !== 0) return this.#moveTo(log);
    return found.position;
  }

  /**
   * Archives events that the log has behind the last one; those that are archived already are passed over.
   * They are on the disk when this returns. Of events that do not extend what was archived, those before the
   * first such are archived, and {@link LogDiffers} is thrown. After any error it must be opened anew.
   */
  async take(events: readonly RawEvent[], log: FollowedLog): Promise<void> {
    const extending: RawEvent[] = [];
    try {
      for (const event of events) {
        if (!this.#isNew(event)) continue;
        const { hash } = this.#chains.of(event.stream);
        const { unchained } = this.#chains;
        this.#verify(event);
        if (this.#chains.unchained > unchained) await assertFollows(log, event, hash);
        extending.push(event);
      }
    } finally {
      await this.writer.append(extending);
    }
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  #isNew(event: RawEvent): boolean {
    const { id, stream, position } = event;
    if (isOurStream(stream)) return isKept(event) && comparePositions(position, this.head.position) > 0;
    return ourStreamOfMetadata(stream) !== undefined && !this.#behind.has(id);
  }

  /** Throws {@link LogDiffers}. What the store was told about a stream has no chain. */
  #verify(event: RawEvent): void {
    if (!isOurStream(event.stream)) {
      this.#behind.add(event.id);
      return;
    }
    this.#chains.next(event);
    this.#last = event;
    this.#behind.clear();
  }

  /**
   * Compares the whole of both, and answers where the log goes on; where that is another place now, it is
   * noted.
   */
  async #moveTo(log: FollowedLog): Promise<Position> {
    let position = START;
    const there = log.readAll(START, ARCHIVED_PREFIXES)[Symbol.asyncIterator]();
    try {
      for await (const event of (await openArchive(this.archive.folder)).events()) {
        if (!isOurStream(event.stream)) continue;
        let found = await there.next();
        while (!found.done && !isKept(found.value)) found = await there.next();
        if (found.done) throw new LogEndsBefore(endsBefore(nameOf(event)));
        if (!isSame(found.value, event)) throw new LogDiffers(isAnother(nameOf(found.value), event));
        ({ position } = found.value);
      }
    } finally {
      await there.return?.();
    }
    if (comparePositions(position, this.head.position) !== 0) await this.writer.moved(position);
    return position;
  }
}

/**
 * Whether an event of ours is archived: the end of a stream that was deleted for good can be written nowhere
 * else.
 */
const isKept = (event: RawEvent): boolean => isOurStream(event.stream) && !isTombstone(event);

/** The event of the log at an archived one's place; undefined where there is none. */
async function shownAt(
  log: FollowedLog,
  { stream, revision }: RawEvent,
): Promise<RawEvent | 'deleted' | undefined> {
  try {
    return await eventAt(log, stream, revision);
  } catch (error) {
    if (error instanceof ReadRefused && error.because === 'deleted') return 'deleted';
    throw error;
  }
}

/**
 * An event that does not fit may be the only one that is wrong, or the first that is right behind others that
 * were rewritten: the one before it says which.
 */
async function assertFollows(log: FollowedLog, event: RawEvent, archived: string): Promise<void> {
  if (event.revision === 0) return;
  const before = await eventAt(log, event.stream, event.revision - 1);
  if (before !== undefined && [undefined, archived].includes(carriedHash(before))) return;
  throw new LogDiffers(
    `Revision ${event.revision - 1} of ${event.stream} is another one than was archived: somebody has edited the log. Nothing is archived.`,
  );
}

async function assertHasEntry(
  log: FollowedLog,
  { revision, hash }: { readonly revision: number; readonly hash: string },
): Promise<void> {
  const entry = await eventAt(log, JOURNAL, revision);
  if (!entry) {
    const last = await log.lastOf(JOURNAL);
    const end = last ? `at revision ${last.revision}` : 'before its first entry';
    throw new LogEndsBefore(
      `The journal ends ${end}, and is archived up to revision ${revision}: the log has lost entries, or it is another one. ` +
        'Nothing is archived until it has them again. What was archived stays as it is: `operate recover` takes it from there.',
    );
  }
  const found = carriedHash(entry) ?? '';
  if (found !== hash)
    throw new LogDiffers(
      `Revision ${revision} of the journal has the hash ${found} in the log and ${hash} in the archive: ` +
        'it is another log, or somebody has edited it. Nothing is archived. For another log take another folder.',
    );
}

const isSame = (one: RawEvent, other: RawEvent): boolean =>
  one.stream === other.stream &&
  one.revision === other.revision &&
  one.id === other.id &&
  one.type === other.type &&
  one.data.bytes.equals(other.data.bytes) &&
  one.metadata.bytes.equals(other.metadata.bytes);

const nameOf = ({ type, stream, revision, position }: RawEvent): string =>
  `${type} (${stream} at revision ${revision}, at ${positionText(position)})`;

const endsBefore = (what: string): string =>
  `The log ends before what was archived: ${what} is archived and not in it. It was restored from an older backup, or it is another log. ` +
  'Nothing is archived until it has that again. What was archived stays as it is: `operate recover` takes it from there.';

const isAnother = (there: string, archived: RawEvent): string =>
  `The log is not the one that was archived: it has ${there}, where ${nameOf(archived)} was archived` +
  `${there === nameOf(archived) ? ' with another content' : ''}. Nothing is archived. For another log take another folder.`;
