/**
 * What every handler of the command bus does around its decider, said once: one log line with the correlation
 * id, and another try where the ledger could only say "not now".
 */
import type { Logger } from 'pino';
import type { Patience } from '../patience.js';
import { Rejected, StoreAway, Unavailable } from '../rejection.js';

/**
 * Pauses before the second and third try, in milliseconds. An event store that is away is waited for apart.
 */
const PAUSES_MS = [50, 200] as const;
/** No further try once so much time has gone: a caller waits for the answer. */
const PATIENCE_MS = 2_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Handling {
  readonly command: string;
  readonly correlationId: string;
  readonly log: Logger;
  /** Waits for the event store. */
  readonly patience: Patience;
}

/** Runs a decider's work. It must be safe to run again: the deciders' keys and revisions see to that. */
export function handled<T>(handling: Handling, work: () => Promise<T>): Promise<T> {
  return handling.patience.for(() => decideWithRetries(handling, work));
}

async function decideWithRetries<T>(
  { command, correlationId, log }: Handling,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const line = (tries: number) => ({
    correlationId,
    command,
    tries,
    ms: Math.round(performance.now() - startedAt),
  });
  for (let tries = 1; ; tries++) {
    try {
      const result = await work();
      log.debug(line(tries), 'decided');
      return result;
    } catch (error) {
      if (error instanceof Rejected) {
        log.debug({ ...line(tries), reason: error.reason }, 'rejected');
        throw error;
      }
      const wait = PAUSES_MS[tries - 1];
      if (
        !(error instanceof Unavailable) ||
        error instanceof StoreAway ||
        wait === undefined ||
        performance.now() - startedAt > PATIENCE_MS
      )
        throw error;
      log.warn({ ...line(tries), why: error.message }, 'not now; trying again');
      await pause(wait);
    }
  }
}
