/** What a ledger tells Prometheus of the card provider's objects. */
import { ProviderFigures, type ObjectKind } from '#ledger/stripe/provider-figures';
import type { Logger } from 'pino';
import type { OnRefusal } from '#ledger/stripe/refusals';
import type { Figures } from '../shell/figures.js';

export function providerFigures(figures: Figures): ProviderFigures {
  const foreign = figures.counter(
    'encore_foreign_objects_seen_total',
    'How often an object of somebody else’s was seen in the card provider’s account, by kind; none is touched',
    ['kind'],
  );
  const declined = figures.counter(
    'encore_provider_declined_total',
    'What the card provider said and the journal declined; money="yes": money moved there and is not booked',
    ['command', 'reason', 'money'],
  );
  const refunds = figures.counter(
    'encore_unapplied_refunds_total',
    'Refunds of unapplied money that this process asked the card provider for',
  );
  const withheld = figures.counter(
    'encore_unapplied_refunds_withheld_total',
    'Refunds of unapplied money that were not made: the hour’s are used up, or the journal never recorded the object',
    ['why'],
  );
  const unknown: Record<ObjectKind, Set<string>> = {
    payment: new Set(),
    customer: new Set(),
    account: new Set(),
    transfer: new Set(),
    payout: new Set(),
  };
  figures.gauges(
    'encore_objects_unknown_to_log',
    'Objects at the card provider that this ledger made and its log does not know: the log has lost something',
    ['kind'],
    () => Promise.resolve(Object.entries(unknown).map(([kind, ids]) => [{ kind }, ids.size] as const)),
  );
  return {
    foreign: (kind) => foreign.inc({ kind }),
    unknownToLog: (kind, id) => void unknown[kind].add(id),
    declined: (command, reason, isMoney) => declined.inc({ command, reason, money: isMoney ? 'yes' : 'no' }),
    refunded: () => refunds.inc(),
    refundWithheld: (why) => withheld.inc({ why }),
  };
}

/** A label of Prometheus: the provider's codes are few, and whatever else it says is one. */
const labelOf = (code: string): string => (/^[a-zA-Z0-9_]{1,64}$/.test(code) ? code : 'other');

/** Counts what the card provider refuses; what proves nothing of anybody is an error line, too. */
export function notesRefusals(figures: Figures, log: Logger): OnRefusal {
  const refusals = figures.counter(
    'encore_provider_refusals_total',
    'What the card provider refused, by code; kind="our-fault": a request of ours or an unknown code; kind="unreadable": an answer',
    ['kind', 'code'],
  );
  return (refusal, error) => {
    const { kind, code } = refusal;
    refusals.inc({ kind, code: labelOf(code) });
    if (kind === 'unreadable')
      log.error(
        { err: error },
        'the card provider’s answer could not be read: nothing has changed, it is read again',
      );
    if (kind !== 'our-fault') return;
    // Without its message: that may repeat what was sent.
    const { statusCode, requestId, param } = error as Partial<
      Record<'statusCode' | 'requestId' | 'param', unknown>
    >;
    log.error(
      { code, statusCode, requestId, param },
      'the card provider refused a request, and this may be our fault: nothing has changed, it is tried again',
    );
  };
}
