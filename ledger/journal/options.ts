/** How a journal is opened, and what it tells of itself. */
import { DEFAULT_LIMITS, type Limits } from '#contracts/limits';
import { WRITE_WAITS_MS } from '../patience.js';
import type { Archive } from './archive.js';
import type { JournalCommand } from './commands.js';

/** How often it is looked who has waited too long. */
export const EXPIRE_EVERY_MS = 250;

export interface JournalOptions {
  readonly archive: Archive;
  readonly clock?: () => Date;
  /** How long keys and closed payments stay in memory, and how many entries' at most. */
  readonly window?: { readonly ms: number; readonly entries: number };
  /** How much of anything one user may have, of which the log is the count. */
  readonly limits?: Limits;
  /** Batches under way at once: one on its way to the log, the others decided and waiting for it to land. */
  readonly depth?: number;
  /**
   * When a caller is told to come back, in milliseconds; a quarter of a second less than anybody is let wait.
   */
  readonly answerWithinMs?: number;
  readonly appendTimeoutMs?: number;
  /** Throws WritesClosed while nothing may be appended; a command is refused then before it waits. */
  readonly assertNotClosed?: () => void;
  /** Told of conflicts, re-sends and stops: for logs and metrics. */
  readonly observe?: (observed: JournalObservation) => void;
}

export type JournalObservation =
  | { readonly kind: 'appended'; readonly entries: number; readonly ms: number }
  | { readonly kind: 'conflict'; readonly caughtUp: number }
  | { readonly kind: 'unknown-outcome'; readonly error: unknown }
  /** A command was refused alone: what it brings cannot be booked, or deciding it failed. An alarm. */
  | {
      readonly kind: 'inapplicable';
      readonly command: JournalCommand['type'];
      readonly correlationId: string;
      readonly error: unknown;
    }
  | { readonly kind: 'stopped'; readonly error: unknown };

export interface JournalStatus {
  readonly ready: boolean;
  /** Why not, in a sentence. */
  readonly reason?: string;
  readonly revision: number;
  readonly queued: number;
  readonly accounts: number;
}

export const withDefaults = (options: JournalOptions): Required<JournalOptions> => ({
  clock: () => new Date(),
  window: { ms: 10 * 60_000, entries: 200_000 },
  limits: DEFAULT_LIMITS,
  depth: 2,
  answerWithinMs: WRITE_WAITS_MS - EXPIRE_EVERY_MS,
  appendTimeoutMs: 5_000,
  assertNotClosed: () => undefined,
  observe: () => undefined,
  ...options,
});
