/** What a ledger says of its journal: in its log, and as figures. */
import type { Logger } from 'pino';
import type { Journal } from '#ledger/journal/journal';
import type { JournalObservation } from '#ledger/journal/options';
import type { Figures } from '../shell/figures.js';
import type { LedgerReadiness } from './readiness.js';

/** For `observe` of the journal. */
export function noteJournal(log: Logger, figures: Figures): (observed: JournalObservation) => void {
  const inapplicable = figures.counter(
    'encore_journal_inapplicable_total',
    'Commands that the journal refused alone because what they brought cannot be booked: each is looked into',
    ['command'],
  );
  return (observed) => {
    if (observed.kind === 'appended') log.debug(observed, 'journal');
    else if (observed.kind === 'conflict') log.info(observed, 'another ledger wrote first');
    else if (observed.kind === 'unknown-outcome')
      log.warn({ err: observed.error }, 'an append is sent again');
    else if (observed.kind === 'inapplicable') {
      const { command, correlationId, error: err } = observed;
      inapplicable.inc({ command });
      log.error({ command, correlationId, err }, 'the journal cannot book this');
    } else log.fatal({ err: observed.error }, 'the journal has stopped');
  };
}

export function showJournal(figures: Figures, journal: Journal, readiness: LedgerReadiness): void {
  figures.gauge('encore_journal_ready', '1 when the journal takes commands', () =>
    Number(readiness.areWritesOpen),
  );
  figures.gauge(
    'encore_journal_queue',
    'Commands that wait for the journal’s writer',
    () => journal.status().queued,
  );
  figures.gauge(
    'encore_journal_revision',
    'The last entry of the journal that this process has',
    () => journal.status().revision,
  );
}
