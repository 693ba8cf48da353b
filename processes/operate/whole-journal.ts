/**
 * A journal of which everything is in memory, for an operator's command: no read model is asked for its past.
 */
import { Journal } from '#ledger/journal/journal';
import type { EventLog } from '#log/event-log';

const ANSWER_WITHIN_MS = 120_000;
const NO_ARCHIVE = {
  find: () => Promise.reject(new Error('Everything is resident here')),
  entriesOf: () => Promise.reject(new Error('Everything is resident here')),
};

/** Reads all of the journal. Throws what {@link Journal.open} throws. */
export const openWhole = (log: EventLog): Promise<Journal> =>
  Journal.open(log, {
    archive: NO_ARCHIVE,
    window: { ms: Infinity, entries: Infinity },
    answerWithinMs: ANSWER_WITHIN_MS,
  });
