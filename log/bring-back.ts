/**
 * Appends to a log what an exported copy of it has and it lacks: the same events, with their ids, revisions
 * and hashes. Both are read side by side and compared before anything is written. Where the log went on by
 * itself behind the place up to which both agree, the streams that it wrote to stay as they are: what the
 * copy has of those has no place in the log any more, and is named.
 */
import { JOURNAL } from '#contracts/events/journal';
import { isOurStream } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import { carriedHash, ChainBroken, ChainVerifier, GENESIS } from './chain.js';
import { WrongExpectedRevision, type EventLog, type RawEvent } from './event-log.js';

/** An append holds one mebibyte at most; this leaves room for what the store adds. */
const APPEND_BYTES = 512 * 1024;
const APPEND_EVENTS = 200;
const APPEND_TIMEOUT_MS = 30_000;

export interface BroughtBack {
  /** How many events both had. */
  readonly common: number;
  /** How many events were appended. */
  readonly appended: number;
  /** How many events the log had written by itself behind that place. */
  readonly ownEvents: number;
}

/**
 * The copy is none of this log, or is not what was written any more. The message is a sentence for an
 * operator.
 */
export class UnfitCopy extends Error {
  override readonly name = 'UnfitCopy';
}

/**
 * Brings back what the log lacks. `lost` is told of each event that can have no place in it any more. May be
 * run again after it was interrupted. Throws {@link UnfitCopy} before it appends anything of what is not
 * right, LogUnavailable and OutcomeUnknown.
 */
export async function bringBack(
  copy: AsyncIterable<RawEvent>,
  log: EventLog,
  lost: (event: RawEvent) => void,
): Promise<BroughtBack> {
  const there = log.readAll(START, [''])[Symbol.asyncIterator]();
  const nextThere = async (): Promise<RawEvent | undefined> => {
    for (let next = await there.next(); !next.done; next = await there.next())
      if (isOurStream(next.value.stream)) return next.value;
    return undefined;
  };
  /** The events that the log has behind the common place; undefined as long as both agree. */
  let own: Set<string> | undefined;
  /** Streams that the log went on with by itself: nothing of the copy follows there. */
  const apart = new Set<string>();
  let [common, appended] = [0, 0];
  let run: RawEvent[] = [];
  let bytes = 0;
  const journal = new CopiedJournal();
  const flush = async (): Promise<void> => {
    const [first] = run;
    if (!first) return;
    if (await appendRun(log, run)) appended += run.length;
    else {
      apart.add(first.stream);
      run.forEach(lost);
    }
    [run, bytes] = [[], 0];
  };
  for await (const event of copy) {
    if (!isOurStream(event.stream)) continue;
    if (own === undefined) {
      const here = await nextThere();
      if (here !== undefined && isSame(here, event)) {
        common += 1;
        journal.isThere(event);
        continue;
      }
      if (here !== undefined && common === 0) throw new UnfitCopy(ofAnotherLog(here, event));
      own = new Set();
      for (let rest = here; rest !== undefined; rest = await nextThere()) own.add(rest.id);
    }
    // An earlier run of this has appended it.
    if (own.delete(event.id)) {
      journal.isThere(event);
      continue;
    }
    const size = event.data.bytes.length + event.metadata.bytes.length;
    const isFull = run.length >= APPEND_EVENTS || bytes + size > APPEND_BYTES;
    if (isFull || run[0]?.stream !== event.stream) await flush();
    if (apart.has(event.stream)) {
      lost(event);
      continue;
    }
    const change = journal.changeIn(event);
    if (change !== undefined) {
      await flush();
      throw new UnfitCopy(change);
    }
    run.push(event);
    bytes += size;
  }
  await flush();
  let ownEvents = own?.size ?? 0;
  if (own === undefined) while ((await nextThere()) !== undefined) ownEvents += 1;
  return { common, appended, ownEvents };
}

const ofAnotherLog = (here: RawEvent, first: RawEvent): string =>
  `The archive is of another log: it begins with ${first.type} ${first.id} of ${first.stream}, and the log with ` +
  `${here.type} ${here.id} of ${here.stream}. Nothing was changed.`;

/**
 * The copy's journal, whose chain must go on from what the log has: an entry that was changed in the copy
 * would end the ledger once it is in the log. In other streams it is parked like any event that nobody can
 * read.
 */
class CopiedJournal {
  #chain = new ChainVerifier(JOURNAL);

  /** The log has it, as it stands in the copy. */
  isThere(event: RawEvent): void {
    if (event.stream === JOURNAL)
      this.#chain = new ChainVerifier(JOURNAL, {
        revision: event.revision,
        hash: carriedHash(event) ?? GENESIS,
      });
  }

  /** Takes the next event of the copy; answers in a sentence that it is not what was written. */
  changeIn(event: RawEvent): string | undefined {
    if (event.stream !== JOURNAL) return undefined;
    try {
      this.#chain.next(event);
      return undefined;
    } catch (error) {
      if (!(error instanceof ChainBroken)) throw error;
      return `The archive was changed after it was written: ${error.message}. What stands before it was brought back.`;
    }
  }
}

const isSame = (one: RawEvent, other: RawEvent): boolean =>
  one.stream === other.stream &&
  one.revision === other.revision &&
  one.id === other.id &&
  one.metadata.bytes.equals(other.metadata.bytes);

/** Appends neighbours of one stream, all or none; false where the log went on there by itself. */
async function appendRun(log: EventLog, run: readonly RawEvent[]): Promise<boolean> {
  const first = run[0]!;
  const events = run.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));
  try {
    await log.append(first.stream, events, first.revision - 1, APPEND_TIMEOUT_MS);
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return false;
    throw error;
  }
}
