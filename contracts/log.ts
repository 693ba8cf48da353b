/** An event as the log holds it: what was said, where it stands, and how it is chained. */
import { z } from 'zod';
import type { DomainEvent } from './events/index.js';

/** A place in $all. Both parts count: events of one append may share a commit position. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export const START: Position = { commit: -1n, prepare: -1n };

/** Orders two places in $all: negative, zero or positive. */
export function comparePositions(a: Position, b: Position): number {
  if (a.commit !== b.commit) return a.commit < b.commit ? -1 : 1;
  return a.prepare === b.prepare ? 0 : a.prepare < b.prepare ? -1 : 1;
}

/** A position as text, for checkpoints and headers: `"1234/1234"`. */
export const positionText = (position: Position): string => `${position.commit}/${position.prepare}`;

/** Reads what {@link positionText} wrote. */
export function positionFrom(text: string): Position {
  const match = /^(-?\d+)\/(-?\d+)$/.exec(text);
  if (!match) throw new RangeError(`"${text}" is not a position`);
  return { commit: BigInt(match[1]!), prepare: BigInt(match[2]!) };
}

/** What stands beside an event's data. `hash` is last and is not part of what it covers. */
export const Metadata = z.object({
  /** The version of the event's shape. */
  version: z.number().int().positive(),
  /** When the ledger took it: never before the stream's previous event. */
  recordedAt: z.iso.datetime(),
  /** From the click to the row. */
  correlationId: z.string(),
  /** What caused it, where that is not the correlation itself: an event id, a provider event, a job. */
  causationId: z.string().optional(),
  /** Who asked; absent for what the provider or time did. */
  actorId: z.string().optional(),
  /** The journal's idempotency key of this entry: no two entries share one. */
  key: z.string().optional(),
  /**
   * HMAC of the request's body under the asker's data key, so that a reused key with another body is seen.
   */
  fingerprint: z.string().optional(),
  /** The entry was written by a recovery of the log, from what a source outside of it knew. */
  recovered: z.literal(true).optional(),
  /** The chain: base64url SHA-256, see log/chain.ts. */
  hash: z.string(),
});
export type Metadata = z.infer<typeof Metadata>;

/** An event read back from the log, upcast and validated. */
export type RecordedEvent<E extends DomainEvent = DomainEvent> = E & {
  readonly id: string;
  readonly stream: string;
  /** Its place in the stream, from 0. */
  readonly revision: number;
  /** Its place in $all. */
  readonly position: Position;
  readonly metadata: Metadata;
};
