/**
 * What others have seen in the log: rows, the archive, this process itself. A log that lacks an event which
 * one of them knows, or has another one in its place, has lost something.
 */
import { JOURNAL } from '#contracts/events/journal';
import { carriedHash } from '#log/chain';
import { eventAt } from '#log/event-at';
import { ReadRefused, type EventLog, type RawEvent } from '#log/event-log';
import { assertVisible } from '#log/hidden-events';
import type { KnownFrom, LogRecovery } from '#log/log-recovery';

/**
 * An event of the log, as somebody outside of it remembers it. Positions are no part of it: a copy has
 * others.
 */
export interface KnownEvent {
  readonly stream: string;
  readonly revision: number;
  readonly id?: string | undefined;
  readonly hash?: string | undefined;
}

export interface KnownSource {
  readonly from: KnownFrom;
  /**
   * The events furthest on that it has seen, of the journal and of any other stream; none for an empty one.
   */
  known(): Promise<readonly KnownEvent[]>;
}

export type LogLoss = Omit<LogRecovery, 'foundAt'>;

const SAW: Readonly<Record<KnownFrom, string>> = {
  rows: 'The rows in Postgres have seen',
  archive: 'The archive has',
  anchor: 'The signed note of where the journal ended has',
  provider: 'The card provider has',
  ledger: 'This process has seen',
};

type Reads = Pick<EventLog, 'readStream' | 'lastOf'>;

/**
 * What the log lacks of what a source has seen; undefined where it lacks nothing. `givenUp` is told of what
 * it lacks of a history that an operator has given up. Throws LogUnavailable.
 */
export async function lossAgainst(
  log: Reads,
  source: KnownSource,
  givenUp: (event: KnownEvent) => void = () => undefined,
): Promise<LogLoss | undefined> {
  // What is known first, then the log: it only grows.
  const known = await source.known();
  for (const event of known) {
    const there = await shownAt(log, event.stream, event.revision);
    if (isSame(there, event)) continue;
    if (!(await isOfLostEpoch(log, event, there))) return lossOf(log, source.from, event, there, known);
    givenUp(event);
  }
  return undefined;
}

/**
 * A recovery makes the rows anew: those of the history before it have come back with an older Postgres. What
 * they say was booked, and where, is not so.
 */
export function refuseRowsGivenUp({ revision }: KnownEvent): never {
  throw new Error(
    `The read models are of a history that a recovery gave up: they have seen another revision ${revision} of the journal. ` +
      'Postgres was brought back from before it. Let them go (drop schema read cascade): the projections make them anew.',
  );
}

/** Throws HiddenEvents, which say what to do, for a stream that the store does not show. */
async function shownAt(log: Reads, stream: string, revision: number): Promise<RawEvent | undefined> {
  try {
    return await eventAt(log, stream, revision);
  } catch (error) {
    if (error instanceof ReadRefused) await assertVisible(log, stream);
    throw error;
  }
}

const isSame = (there: RawEvent | undefined, { id, hash }: KnownEvent): boolean =>
  there !== undefined &&
  (id === undefined || there.id === id) &&
  (hash === undefined || carriedHash(there) === hash);

/**
 * Of a history that an operator has given up: a later entry of the journal says so. Read only where something
 * is missing.
 */
async function isOfLostEpoch(log: Reads, known: KnownEvent, there: RawEvent | undefined): Promise<boolean> {
  if (known.stream !== JOURNAL || known.hash === undefined) return false;
  for await (const { type, data } of log.readStream(JOURNAL, 0)) {
    if (type !== 'EpochBegun') continue;
    const { commonRevision, lostRevision, lostHash } = data.value as {
      readonly commonRevision: number;
      readonly lostRevision?: number;
      readonly lostHash?: string;
    };
    if (known.hash === lostHash) return true;
    const isWithin = known.revision > commonRevision && known.revision <= (lostRevision ?? -1);
    // Where the log has no such revision at all, the new history may have been lost in its turn.
    if (isWithin && there !== undefined) return true;
  }
  return false;
}

async function lossOf(
  log: Reads,
  from: KnownFrom,
  event: KnownEvent,
  there: RawEvent | undefined,
  known: readonly KnownEvent[],
): Promise<LogLoss> {
  const { stream, revision } = event;
  const last = await log.lastOf(stream);
  const what = `revision ${revision} of ${stream}${event.id === undefined ? '' : ` (event ${event.id})`}`;
  const difference =
    there !== undefined
      ? `the log has ${there.type} ${there.id} in its place`
      : last === undefined
        ? 'the log has nothing of that stream'
        : `there the log ends at revision ${last.revision}`;
  const end = stream === JOURNAL ? last : await log.lastOf(JOURNAL);
  const ofJournal = stream === JOURNAL ? event : known.find((other) => other.stream === JOURNAL);
  return {
    reason: `${SAW[from]} ${what}, and ${difference}.`,
    logRevision: end?.revision ?? -1,
    logHash: end && carriedHash(end),
    knownRevision: ofJournal?.revision,
    knownHash: ofJournal?.hash,
    knownFrom: from,
  };
}
