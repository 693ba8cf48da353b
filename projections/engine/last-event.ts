/**
 * Whether log and rows belong together. A checkpoint knows the event that it stands at, and the log is asked
 * for that event before it is followed: a place in another log means something else, and a store that has no
 * record at it refuses to be followed from there for ever.
 */
import { JOURNAL } from '#contracts/events/journal';
import { comparePositions, positionText, START } from '#contracts/log';
import { ReadRefused, type EventLog, type RawEvent } from '#log/event-log';
import type { Checkpoint, LastEvent } from './checkpoints.js';

type Difference =
  /** The log ends before what the rows have seen, as far as the node that was asked knows. */
  | { readonly kind: 'lacking'; readonly why: string }
  /** Another event is at that place. */
  | { readonly kind: 'other'; readonly why: string };

type LogComparison =
  /** `filled`: the last events of checkpoints that did not know them, being of builds before. */
  { readonly kind: 'same'; readonly filled: readonly LastEvent[] } | Difference;

/** Asks the log for the last event of each checkpoint. Throws LogUnavailable. */
export async function compareWithLog(
  log: EventLog,
  checkpoints: readonly Checkpoint[],
): Promise<LogComparison> {
  const filled: LastEvent[] = [];
  const asked = new Set<string>();
  for (const checkpoint of checkpoints) {
    const { position, lastEvent } = checkpoint;
    const place = `${positionText(position)} ${lastEvent?.id}`;
    if (comparePositions(position, START) <= 0 || asked.has(place)) continue;
    asked.add(place);
    const found = lastEvent
      ? await compareEvent(log, checkpoint, lastEvent)
      : await findEvent(log, checkpoint);
    if ('kind' in found) return found;
    if (!lastEvent) filled.push(found);
  }
  return { kind: 'same', filled };
}

async function compareEvent(
  log: EventLog,
  checkpoint: Checkpoint,
  known: LastEvent,
): Promise<LastEvent | Difference> {
  const { stream, revision } = known;
  const { position } = checkpoint;
  let event: RawEvent | undefined;
  try {
    [event] = await eventsFrom(log, stream, revision, 1);
  } catch (error) {
    if (!(error instanceof ReadRefused) || error.because !== 'deleted') throw error;
    return compareInAll(log, checkpoint, known);
  }
  if (event?.revision !== revision) return lacking(log, stream, revision);
  const what = `revision ${revision} of ${stream}`;
  const there = lastEventOf(event);
  if (there.id !== known.id || there.hash !== known.hash)
    return otherLog(`${what} is ${event.type} ${there.id} in it, and they have read ${known.id}`);
  if (comparePositions(event.position, position) !== 0)
    return otherLog(
      `${what} stands at ${there.position} in it, and where they have read it at ${positionText(position)}`,
    );
  return there;
}

/** The same where the stream was deleted for good: $all has its events yet. */
async function compareInAll(
  log: EventLog,
  checkpoint: Checkpoint,
  known: LastEvent,
): Promise<LastEvent | Difference> {
  const there = await findEvent(log, checkpoint);
  return 'kind' in there || there.id === known.id
    ? there
    : otherLog(`it has ${there.id} at ${there.position}, and they have read ${known.id} there`);
}

/**
 * The event at a checkpoint that knows no more than its place and the journal's revision. The journal's entry
 * leads there: the place itself may be none in this log.
 */
async function findEvent(
  log: EventLog,
  { position, journalRevision }: Checkpoint,
): Promise<LastEvent | Difference> {
  const place = positionText(position);
  let from = START;
  if (journalRevision >= 0) {
    const [entry, next] = await eventsFrom(log, JOURNAL, journalRevision, 2);
    if (entry?.revision !== journalRevision) return lacking(log, JOURNAL, journalRevision);
    if (comparePositions(entry.position, position) === 0) return lastEventOf(entry);
    const isBehind = comparePositions(entry.position, position) < 0;
    if (!isBehind || (next && comparePositions(next.position, position) <= 0))
      return otherLog(
        `they stand at ${place} and have seen journal revision ${journalRevision}, which stands at ${positionText(entry.position)} in it`,
      );
    from = entry.position;
  }
  for await (const event of log.readAll(from, [''])) {
    const order = comparePositions(event.position, position);
    if (order === 0) return lastEventOf(event);
    if (order > 0) return otherLog(`they stand at ${place}, and it has no event there`);
  }
  return lackingFrom(`the log up to ${place}`, 'it ends before that');
}

async function eventsFrom(
  log: EventLog,
  stream: string,
  revision: number,
  limit: number,
): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of log.readStream(stream, revision, limit)) events.push(event);
  return events;
}

/** What a checkpoint keeps of the event that it stands at. */
export function lastEventOf(event: RawEvent): LastEvent {
  const { position, stream, revision, id } = event;
  const metadata = event.metadata.value;
  const hash =
    typeof metadata === 'object' && metadata && 'hash' in metadata ? String(metadata.hash) : undefined;
  return { position: positionText(position), stream, revision, id, ...(hash !== undefined && { hash }) };
}

async function lacking(log: EventLog, stream: string, revision: number): Promise<Difference> {
  const last = await log.lastOf(stream);
  const end = last ? `the log ends at ${last.revision}` : 'the log has none';
  return lackingFrom(
    stream === JOURNAL ? `journal revision ${revision}` : `revision ${revision} of ${stream}`,
    end,
  );
}

const lackingFrom = (seen: string, end: string): Difference => ({
  kind: 'lacking',
  why: `The read models have seen ${seen} and ${end}: it lacks what they have seen. Restore the log, or drop the schema of the read models if this log is the right one.`,
});

const otherLog = (difference: string): Difference => ({
  kind: 'other',
  why:
    `The log is another one than the read models were made from: ${difference}. ` +
    'If it is the right one, because the log was moved or restored, let the read models go, as step 6 of docs/how-to/move.md says ' +
    '(drop schema read cascade), and start the projections again. If it is not, correct EVENTSTORE_URL.',
});
