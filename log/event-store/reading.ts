/** What a way of reading from the event store does, and how its failures are told. */
import type { Position } from '#contracts/log';
import { LogUnavailable, type SubscriptionItem, type RawEvent } from '../event-log.js';
import type { ReadRequest } from './read-messages.js';

export interface Reading {
  /**
   * The events asked for, up to the present end; none for a stream that does not exist. Throws
   * {@link LogUnavailable}, also when nothing came for a while.
   */
  read(request: ReadRequest): AsyncIterable<RawEvent>;
  /** See {@link EventLog.follow}. */
  follow(after: Position, prefixes: readonly string[], signal: AbortSignal): AsyncIterable<SubscriptionItem>;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was thrown while reading, as the log's one error for it. */
export const unavailable = (error: unknown): LogUnavailable =>
  error instanceof LogUnavailable ? error : new LogUnavailable(messageOf(error), { cause: error });

/** A read that stands still is given up: the store may be gone without a word. */
export const nothingWasRead = (forMs: number): LogUnavailable =>
  new LogUnavailable(`Nothing was read for ${forMs / 1000} seconds`);

export const subscriptionEnded = (): LogUnavailable => new LogUnavailable('The subscription ended');
