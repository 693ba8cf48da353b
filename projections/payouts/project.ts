/**
 * Folds each payout's entries, and what its own stream says of its way at the provider, into its row. Rows
 * that a batch continues are read in one query and written in one.
 */
import { JOURNAL, type JournalEvent, type JournalEventOf } from '#contracts/events/journal';
import { PAYOUT_PREFIX, type PayoutProcessEvent } from '#contracts/events/payout-process';
import type { RecordedEvent } from '#contracts/log';
import { CURRENCY } from '#contracts/plain/money';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import { fundsArriving, payouts } from './columns.js';

type Row = RowOf<typeof payouts>;
type PayoutEntry = JournalEventOf<
  | 'PayoutRequested'
  | 'PayoutTransferred'
  | 'PayoutSubmitted'
  | 'PayoutCompleted'
  | 'PayoutReturned'
  | 'PayoutFailed'
>;

const isAboutPayout = (
  event: RecordedEvent,
): event is (RecordedEvent<JournalEvent> & PayoutEntry) | RecordedEvent<PayoutProcessEvent> =>
  event.stream.startsWith(PAYOUT_PREFIX) || (event.stream === JOURNAL && 'payoutId' in event.data);

export async function projectPayouts(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const concerned = events.filter(isAboutPayout);
  const ids = new Set(concerned.map(({ data }) => data.payoutId));
  const rows = new Map((await payouts.rowsBy('id', ids, tx)).map((row) => [row.id, row]));
  for (const event of concerned) {
    const { payoutId } = event.data;
    const row = rows.get(payoutId);
    if (event.type === 'PayoutRequested') {
      if (row) throw new BrokenBooks(`Payout ${payoutId} is requested a second time.`);
      rows.set(payoutId, requested(event.data, event.metadata.recordedAt, event.revision));
    } else if (row) Object.assign(row, changeBy(event, row));
    else
      throw new BrokenBooks(
        `${event.type} at revision ${event.revision} of ${event.stream} is about payout ${payoutId}, which was never requested.`,
      );
  }
  await payouts.put([...rows.values()], tx);
  await projectArrivals(events, tx);
}

/** Adds up what the provider's fees left of charges, by the time from which it can be used. */
async function projectArrivals(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const arriving = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'ProviderFeeBooked') continue;
    const { availableOn, netMinor, currency } = event.data;
    if (availableOn === null || netMinor === null || currency !== CURRENCY) continue;
    arriving.set(availableOn, (arriving.get(availableOn) ?? 0) + netMinor);
  }
  await fundsArriving.insert(
    [...arriving].map(([availableOn, netMinor]) => ({ availableOn, netMinor })),
    tx,
    'on conflict (available_on) do update set net_minor = funds_arriving.net_minor + excluded.net_minor',
  );
}

const requested = (
  data: JournalEventOf<'PayoutRequested'>['data'],
  requestedAt: string,
  place: number,
): Row =>
  payouts.row({
    id: data.payoutId,
    userId: data.userId,
    bankAccountId: data.bankAccountId,
    amountMinor: data.amountMinor,
    currency: data.currency,
    step: 'requested',
    requestedAt,
    delays: 0,
    place,
  });

function changeBy(
  event: RecordedEvent<Exclude<PayoutEntry, { type: 'PayoutRequested' }>> | RecordedEvent<PayoutProcessEvent>,
  { delays }: Row,
): Partial<Row> {
  const { recordedAt } = event.metadata;
  switch (event.type) {
    case 'PayoutTransferred': {
      const { providerTransferId, connectAccountId } = event.data;
      return { step: 'transferred', providerTransferId, connectAccountId, transferredAt: recordedAt };
    }
    case 'PayoutSubmitted':
      return {
        step: 'submitted',
        providerPayoutId: event.data.providerPayoutId,
        submittedAt: recordedAt,
        arrivesOn: event.data.arrivesOn ?? null,
      };
    case 'PayoutCompleted':
      return { step: 'completed', completedAt: recordedAt };
    case 'PayoutReturned': {
      const { code: failureCode, reason: failureReason } = event.data;
      // What came back was not completed after all.
      return { step: 'returned', completedAt: null, returnedAt: recordedAt, failureCode, failureReason };
    }
    case 'PayoutFailed': {
      const { code: failureCode, reason: failureReason, reversalId = null, madeUpMinor = null } = event.data;
      const failure = { failedAt: recordedAt, failureCode, failureReason };
      return { step: 'failed', reversalId, ...failure, madeUpMinor };
    }
    case 'PayoutDelayed': {
      const { step, code: delayCode, reason: delayReason, delayedAt } = event.data;
      const over = step === 'transfer' ? { transferBegunAt: null } : {};
      return { delays: delays + 1, delayCode, delayReason, delayedAt, ...over };
    }
    case 'PayoutStepBegun':
      return event.data.step === 'transfer' ? { transferBegunAt: event.data.begunAt } : {};
    case 'PayoutAbandoned':
      return {};
  }
}
