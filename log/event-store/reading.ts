/** What a way of reading from the event store does, and how its failures are told. */
import type { Position } from '#contracts/log';
import {
  FollowerDropped,
  LogUnavailable,
  ReadRefused,
  type SubscriptionItem,
  type RawEvent,
} from '../event-log.js';
import type { ReadRequest } from './read-messages.js';

export interface Reading {
  /**
   * The events asked for, up to the present end; none for a stream that does not exist. Throws
   * {@link LogUnavailable}, also when nothing came for a while.
   */
  read(request: ReadRequest): AsyncIterable<RawEvent>;
  /**
   * One subscription; see {@link EventLog.follow}. Throws {@link FollowerDropped} when the store drops it.
   */
  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem>;
}

/** Told of what becomes of a node's calls. */
export interface CallWatch {
  /** The node has answered something. */
  readonly heard: () => void;
  /** A call has failed, other than by our leaving it. */
  readonly failed: (error: unknown) => void;
  /**
   * Why the node was left; undefined while it was not. The calls that this ended say no more than that they
   * were cancelled, or pass for complete.
   */
  readonly leftBecause: () => string | undefined;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was thrown while reading, as the log's error for it. */
export function unavailable(error: unknown, leftBecause?: string): LogUnavailable {
  if (error instanceof LogUnavailable) return error;
  const refused = refusalOf(error);
  if (refused) return new ReadRefused(messageOf(error), refused, { cause: error });
  const Kind = isDrop(error) ? FollowerDropped : LogUnavailable;
  return new Kind(leftBecause ?? messageOf(error), { cause: error });
}

/** Why the store will not show a stream, by its own word; undefined for other errors. */
function refusalOf(error: unknown): ReadRefused['because'] | undefined {
  const { type, metadata } = (error ?? {}) as {
    readonly type?: unknown;
    readonly metadata?: { readonly get?: (key: string) => readonly unknown[] };
  };
  const said = [type, metadata?.get?.('exception')?.[0]];
  if (said.includes('stream-deleted')) return 'deleted';
  return said.includes('access-denied') ? 'denied' : undefined;
}

const ABORTED = 10;

/** The code alone does not say it: a commit that takes too long has the same one. */
export const isDrop = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === ABORTED &&
  /Consumer too slow to handle event/.test(error.message);

/** A read that stands still is given up: the store may be gone without a word. */
export const nothingWasRead = (forMs: number): LogUnavailable =>
  new LogUnavailable(`Nothing was read for ${forMs / 1000} seconds`);

export const subscriptionEnded = (leftBecause?: string): LogUnavailable =>
  new LogUnavailable(leftBecause ?? 'The subscription ended');
