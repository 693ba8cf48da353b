/**
 * The log as the rest of the system sees it: an interface of a few calls, so that `esdb.ts` alone knows the
 * event store, and a test can put a log in memory, a slow one or a broken one in its place.
 */
import { readEvent, type DomainEvent } from '#contracts/events/index';
import { assertBelongs } from '#contracts/events/our-streams';
import { OUTAGE_CODE } from '#contracts/outage';
import { Metadata, type Position, type RecordedEvent } from '#contracts/log';
import type { StoreHealth } from './store-health.js';
import type { StoredContent } from './stored-content.js';

/**
 * An event to append. `data` and `metadata` are plain JSON objects; a copy of another log brings
 * {@link StoredContent}.
 */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
}

/** An event as stored, before it is upcast and validated: what the hash chain covers. */
export interface RawEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly data: StoredContent;
  readonly metadata: StoredContent;
  /** The store's own clock when it wrote the event. Not part of the chain. */
  readonly createdAt: Date;
}

/** The expected revision of a stream that must not exist yet. */
export const NO_STREAM = -1;

/** Somebody else wrote first. Nothing was written. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  constructor(stream: string, expected: number) {
    super(`Stream "${stream}" is not at revision ${expected}`);
  }
}

/** The store did not answer (in time), or the connection broke: the append may or may not have happened. */
export class OutcomeUnknown extends Error {
  override readonly name: string = 'OutcomeUnknown';
  readonly answer = { status: 503, code: OUTAGE_CODE };
}

/**
 * The store does not let us append to a stream. Somebody may give the right back at any moment, so the append
 * is sent again as one whose outcome is unknown. The message says what to do.
 */
export class AppendDenied extends OutcomeUnknown {
  override readonly name = 'AppendDenied';
}

/** The store cannot be reached for reading. */
export class LogUnavailable extends Error {
  override readonly name: string = 'LogUnavailable';
  readonly answer = { status: 503, code: OUTAGE_CODE };
}

/** The store will not show a stream: it was deleted for good, or this user may not read it. */
export class ReadRefused extends LogUnavailable {
  override readonly name = 'ReadRefused';
  constructor(
    message: string,
    readonly because: 'deleted' | 'denied',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The store ended a live subscription because its reader was behind. It is no outage: whoever subscribes
 * again behind the last event has lost nothing.
 */
export class FollowerDropped extends LogUnavailable {
  override readonly name = 'FollowerDropped';
}

export interface AppendResult {
  /** The revision of the last event appended. */
  readonly revision: number;
  /** The place in $all of the last event appended. */
  readonly position: Position;
}

/**
 * What a subscription yields: an event, word that all of the past has been read, progress through others'
 * events, or word that the store dropped this follower, which has been subscribed again behind the last
 * event: what was written meanwhile comes next, and `caught-up` once more.
 */
export type SubscriptionItem =
  | { kind: 'event'; event: RawEvent }
  | { kind: 'caught-up' }
  | { kind: 'checkpoint'; position: Position }
  | { kind: 'dropped'; why: string };

/** Watches that what is read comes from the node that leads, and from it alone. */
export interface LeaderWitness {
  /**
   * Says that all that was read since this witness was made, also what is being read now, was the leader's
   * word: whatever had been written by then was in it. Throws {@link LogUnavailable} where that is not
   * certain; then read again.
   */
  confirm(): Promise<void>;
}

export interface EventLog {
  /** Whether the store answers and writes, as this process finds it. */
  readonly health: StoreHealth;
  /**
   * Appends events in one atomic write after `expectedRevision` (the last revision, or NO_STREAM). The same
   * events (by id) at the same revision again are a success. Throws {@link WrongExpectedRevision} or {@link
   * OutcomeUnknown}.
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: number,
    timeoutMs: number,
  ): Promise<AppendResult>;
  /** Reads a stream from a revision on, forwards. A stream that does not exist has no events. */
  readStream(stream: string, fromRevision: number, limit?: number): AsyncIterable<RawEvent>;
  /** The last event of a stream, or undefined. */
  lastOf(stream: string): Promise<RawEvent | undefined>;
  /**
   * Reads $all after a position (exclusive), forwards to its present end, only streams that begin with one of
   * the prefixes.
   */
  readAll(after: Position, prefixes: readonly string[]): AsyncIterable<RawEvent>;
  /**
   * Like readAll, and goes on with what comes, also after the store has dropped this follower. Ends when the
   * signal aborts; throws {@link LogUnavailable} when the connection breaks.
   */
  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem>;
  /** A refusal or a repeat writes nothing that proves what it was decided on: a witness does. */
  witness(): LeaderWitness;
  /** What time it is by the store's own clock. */
  storeTime(): Promise<Date>;
  close(): Promise<void>;
}

/** What reading a whole log takes: the event store, or an exported log. */
export type LogSource = Pick<EventLog, 'readAll' | 'readStream' | 'lastOf'>;

/**
 * Upcasts and validates a stored event. Throws for one that cannot be read: whoever reads must stop, or park
 * its stream (`stored-event.ts`), and not skip it.
 */
export function recorded(raw: RawEvent): RecordedEvent {
  const metadata = Metadata.parse(raw.metadata.value);
  const event: DomainEvent = readEvent(raw.type, metadata.version, raw.data.value);
  assertBelongs(raw.stream, event);
  const { id, stream, revision, position } = raw;
  // The event comes last: V8 is many times slower where properties are added behind a spread object.
  return { id, stream, revision, position, metadata, ...event };
}
