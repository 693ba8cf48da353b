/**
 * An event of ours as a reader has it: as stored, with what it says, or with the reason why that cannot be
 * read. One that cannot be read parks its stream; in the journal it stops whoever reads.
 */
import { z } from 'zod';
import type { RecordedEvent } from '#contracts/log';
import { ChainBroken, type ChainVerifier } from './chain.js';
import { recorded, type RawEvent } from './event-log.js';

export interface StoredEvent {
  readonly raw: RawEvent;
  /** What it says, upcast to the present version; undefined where it cannot be read. */
  readonly event: RecordedEvent | undefined;
  /** Why it cannot be read, as a sentence. */
  readonly unreadable: string | undefined;
}

/**
 * The last event of a stream that somebody has deleted for good; the store shows nothing of the stream from
 * then on.
 */
const TOMBSTONE = '$streamDeleted';

/** What a reader of such a stream is told. */
export const DELETED_FOR_GOOD =
  'The stream was deleted at the event store for good: bring the log back from a backup.';

export const isTombstone = ({ type }: Pick<RawEvent, 'type'>): boolean => type === TOMBSTONE;

/** Reads an event of ours. Never throws: whatever an event holds, the reason says what is wrong with it. */
export function storedEvent(raw: RawEvent): StoredEvent {
  if (isTombstone(raw)) return { raw, event: undefined, unreadable: DELETED_FOR_GOOD };
  try {
    return { raw, event: recorded(raw), unreadable: undefined };
  } catch (error) {
    return { raw, event: undefined, unreadable: reasonOf(error) };
  }
}

/** Why an event parks its stream: it is not chained to the one before it, or what it says cannot be read. */
export interface ParkingReason {
  readonly by: 'chain' | 'shape';
  /** As a sentence. */
  readonly why: string;
}

/** Takes a stream's next event into its chain, or says why it parks the stream. */
export function parkingReason(
  chain: ChainVerifier,
  { raw, unreadable }: StoredEvent,
): ParkingReason | undefined {
  try {
    chain.next(raw);
  } catch (error) {
    if (!(error instanceof ChainBroken)) throw error;
    return { by: 'chain', why: unreadable ?? error.message };
  }
  return unreadable === undefined ? undefined : { by: 'shape', why: unreadable };
}

/** At most so much of a reason is kept: what a stranger wrote may be as large as an event. */
const REASON_LENGTH = 500;

function reasonOf(error: unknown): string {
  const text =
    error instanceof z.ZodError
      ? `Its metadata are not well formed: ${z.prettifyError(error)}`
      : error instanceof Error
        ? error.message
        : String(error);
  // Postgres keeps no NUL, and a line is a line.
  return text
    .replaceAll(/[\s\u0000]+/g, ' ')
    .trim()
    .slice(0, REASON_LENGTH);
}
