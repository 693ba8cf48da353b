/**
 * Appends to a log what an exported copy of it has and it lacks: the same events, with their ids, revisions and
 * hashes. Both are read side by side and compared before anything is written. Where the log went on by itself
 * behind the place up to which both agree, the streams that it wrote to stay as they are: what the copy has of
 * those has no place in the log any more, and is named.
 */
import { isOurStream } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import { WrongExpectedRevision, type EventLog, type RawEvent } from './event-log.js';

/** An append holds one mebibyte at most; this leaves room for what the store adds. */
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
 * Brings back what the log lacks. `lost` is told of each event that can have no place in it any more. May be run
 * again after it was interrupted. Throws LogUnavailable and OutcomeUnknown.
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
  const flush = async (): Promise<void> => {
    const [first] = run;
    if (!first) return;
    if (await appendRun(log, run)) appended += run.length;
    else {
      apart.add(first.stream);
      run.forEach(lost);
    }
    run = [];
  };
  for await (const event of copy) {
    if (!isOurStream(event.stream)) continue;
    if (own === undefined) {
      const here = await nextThere();
      if (here !== undefined && isSame(here, event)) {
        common += 1;
        continue;
      }
      own = new Set();
      for (let rest = here; rest !== undefined; rest = await nextThere()) own.add(rest.id);
    }
    // An earlier run of this has appended it.
    if (own.delete(event.id)) continue;
    if (run.length > 0 && (run[0]!.stream !== event.stream || run.length >= APPEND_EVENTS)) await flush();
    if (apart.has(event.stream)) lost(event);
    else run.push(event);
  }
  await flush();
  let ownEvents = own?.size ?? 0;
  if (own === undefined) while ((await nextThere()) !== undefined) ownEvents += 1;
  return { common, appended, ownEvents };
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
