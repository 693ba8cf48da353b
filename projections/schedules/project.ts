/**
 * Folds schedules' own streams into rows, and what the journal says of their payments into when they must be
 * looked after. A batch is folded in memory: rows that it continues are read in one query, and each is
 * written once.
 */
import { isOccurrenceEvent, type OccurrenceEvent } from '#contracts/events/occurrence';
import type { Sealed } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, wholeNumber, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import type { TextReader } from '../engine/text-reader.js';
import { schedules } from './columns.js';

type Row = RowOf<typeof schedules>;

/** Whoever claimed is at it; after so long somebody else looks how far it came. */
const LOOK_AFTER_MS = 30_000;

export async function projectSchedules(
  events: readonly RecordedEvent[],
  tx: Tx,
  texts: TextReader,
): Promise<void> {
  const rows = await rowsContinued(events, tx);
  const descriptions = new Map<Row, { sealed: Sealed; event: RecordedEvent }>();
  const forgotten = new Set<string>();

  const known = (id: string, event: RecordedEvent): Row => {
    const row = rows.get(id);
    if (!row)
      throw new BrokenBooks(
        `${event.type} in ${event.stream} is about schedule ${id}, which was never made.`,
      );
    return row;
  };
  const made = (row: Row, description: Sealed | undefined, event: RecordedEvent): void => {
    if (rows.has(row.id)) throw new BrokenBooks(`Schedule ${row.id} is made a second time.`);
    rows.set(row.id, row);
    if (description !== undefined) descriptions.set(row, { sealed: description, event });
  };

  for (const event of events) {
    if (isOccurrenceEvent(event)) {
      const row = known(event.data.scheduleId, event);
      occurred(row, event);
      row.wakeAt = wakeOf(row, event.data.at);
      continue;
    }
    switch (event.type) {
      case 'SubscriptionCreated': {
        const { subscriptionId: id, frequency, firstDueAt, description } = event.data;
        const row = { id, kind: 'subscription', status: 'active', frequency, firstDueAt } as const;
        made(newRow(event.data, event, row), description, event);
        break;
      }
      case 'PaymentScheduled': {
        const { scheduleId: id, dueAt: firstDueAt, description } = event.data;
        const row = { id, kind: 'scheduled-payment', status: 'pending', firstDueAt } as const;
        made(newRow(event.data, event, row), description, event);
        break;
      }
      case 'SubscriptionAmountChanged':
      case 'ScheduledPaymentAmountChanged':
        known(ownId(event), event).amountMinor = event.data.amountMinor;
        break;
      case 'SubscriptionSourceChosen':
      case 'ScheduledPaymentSourceChosen': {
        const { source } = event.data;
        const sourceCardId = source.from === 'card' ? source.cardId : null;
        Object.assign(known(ownId(event), event), { sourceFrom: source.from, sourceCardId });
        break;
      }
      case 'ScheduledPaymentMoved': {
        const row = known(event.data.scheduleId, event);
        const { dueAt } = event.data;
        Object.assign(row, { ...NONE_OPEN, ...NOTHING_FAILED, status: 'pending' });
        Object.assign(row, { firstDueAt: dueAt, nextDueAt: dueAt, wakeAt: dueAt });
        break;
      }
      case 'SubscriptionPaused':
      case 'SubscriptionResumed':
      case 'SubscriptionCanceled': {
        const row = known(event.data.subscriptionId, event);
        row.status =
          event.type === 'SubscriptionPaused'
            ? 'paused'
            : event.type === 'SubscriptionResumed'
              ? 'active'
              : 'canceled';
        // Also why it was ended, where its payer did not do it.
        row.pauseReason = (event.type === 'SubscriptionResumed' ? undefined : event.data.reason) ?? null;
        row.wakeAt = wakeOf(row, event.data.at);
        break;
      }
      case 'ScheduledPaymentCanceled': {
        const row = known(event.data.scheduleId, event);
        row.calledOff = true;
        row.lastFailureReason = event.data.reason ?? row.lastFailureReason;
        // An attempt under way ends as it ends.
        if (row.stage === null) row.status = 'canceled';
        row.wakeAt = wakeOf(row, event.data.at);
        break;
      }
      case 'PaymentOpened': {
        const { occurrence, paymentId } = event.data;
        const row = occurrence && rows.get(occurrence.scheduleId);
        if (row && row.occurrenceId === occurrence.occurrenceId) row.paymentId = paymentId;
        break;
      }
      case 'PaymentSettled':
      case 'PaymentCanceled': {
        const { occurrence } = event.data;
        // Without a row where the schedule's own stream is parked at its first event, or that was
        // quarantined.
        const row = occurrence && rows.get(occurrence.scheduleId);
        // Its outcome is in the journal and not yet in the schedule's own stream: somebody has to tell it.
        if (row && row.occurrenceId === occurrence.occurrenceId) row.wakeAt = event.metadata.recordedAt;
        break;
      }
      case 'UserForgotten':
        forgotten.add(event.data.userId);
        texts.drop(event.data.userId);
        break;
      default:
        break;
    }
  }
  await Promise.all(
    [...descriptions].map(async ([row, { sealed, event }]) => {
      const { shown, unreadable } = await texts.shown(sealed, event, forgotten.has(row.payerId));
      Object.assign(row, { description: shown, unreadable });
    }),
  );
  await schedules.put([...rows.values()], tx);
  if (forgotten.size > 0)
    await tx.query({
      name: 'schedules-descriptions-forgotten',
      text: 'update schedules set description = null, unreadable = null where payer_id = any($1::text[]) and description is not null',
      values: [[...forgotten]],
    });
}

function newRow(
  terms: { payerId: string; recipientId: string; amountMinor: number; currency: string; at: string },
  event: RecordedEvent,
  row: Pick<Row, 'id' | 'kind' | 'status' | 'firstDueAt'> & { frequency?: string },
): Row {
  const { payerId, recipientId, amountMinor, currency, at: createdAt } = terms;
  return schedules.row({
    ...row,
    ...{ payerId, recipientId, amountMinor, currency, createdAt },
    calledOff: false,
    sourceFrom: 'balance_then_card',
    nextDueAt: row.firstDueAt,
    wakeAt: row.firstDueAt,
    place: wholeNumber(String(event.position.commit)),
  });
}

function occurred(row: Row, event: OccurrenceEvent): void {
  switch (event.type) {
    case 'OccurrenceClaimed':
    case 'OccurrenceRetried': {
      const { occurrenceId, dueAt, attempt } = event.data;
      Object.assign(row, {
        ...NONE_OPEN,
        occurrenceId,
        occurrenceDueAt: dueAt,
        attempt,
        stage: 'collecting',
        failedDueAt: null,
      });
      if (event.type === 'OccurrenceClaimed') row.nextDueAt = event.data.nextDueAt ?? null;
      // Its payer took up again what had failed.
      else if (row.status === 'failed') row.status = 'pending';
      break;
    }
    case 'OccurrencesSkipped': {
      const { lastDueAt, why, nextDueAt } = event.data;
      if (row.occurrenceDueAt !== null && Date.parse(row.occurrenceDueAt) === Date.parse(lastDueAt))
        Object.assign(row, NONE_OPEN);
      row.failedDueAt = null;
      row.nextDueAt = nextDueAt ?? null;
      if (row.kind === 'scheduled-payment' && why === 'canceled') row.status = 'canceled';
      break;
    }
    case 'OccurrenceAttemptFailed': {
      const { dueAt, retryAt } = event.data;
      Object.assign(row, { stage: 'waiting', retryAt, confirmBy: null });
      Object.assign(row, { ...failureOf(event), failedDueAt: dueAt });
      break;
    }
    case 'OccurrenceConfirmationNeeded': {
      const { paymentId, confirmBy } = event.data;
      Object.assign(row, { stage: 'confirming', paymentId, confirmBy, ...failureOf(event) });
      break;
    }
    case 'OccurrenceCollected':
      Object.assign(row, { ...NONE_OPEN, ...NOTHING_FAILED, lastCollectedAt: event.data.at });
      if (row.kind === 'scheduled-payment') row.status = 'completed';
      break;
    case 'OccurrenceFailed':
      Object.assign(row, { ...NONE_OPEN, ...failureOf(event), failedDueAt: event.data.dueAt });
      if (row.kind === 'scheduled-payment') row.status = row.calledOff ? 'canceled' : 'failed';
      break;
  }
}

const NONE_OPEN = {
  occurrenceId: null,
  occurrenceDueAt: null,
  attempt: null,
  stage: null,
  retryAt: null,
  paymentId: null,
  confirmBy: null,
} as const satisfies Partial<Row>;

const NOTHING_FAILED = {
  lastFailureReason: null,
  lastFailureFrom: null,
  lastFailureCardId: null,
  failedDueAt: null,
} as const satisfies Partial<Row>;

type FailedAttempt = Extract<
  OccurrenceEvent,
  { type: 'OccurrenceAttemptFailed' | 'OccurrenceConfirmationNeeded' | 'OccurrenceFailed' }
>;

const failureOf = ({ data: { reason, charged } }: FailedAttempt): Partial<Row> => ({
  lastFailureReason: reason,
  lastFailureFrom: charged?.from ?? null,
  lastFailureCardId: charged?.cardId ?? null,
});

const ownId = ({
  data,
}: {
  readonly data: { readonly scheduleId: string } | { readonly subscriptionId: string };
}): string => ('scheduleId' in data ? data.scheduleId : data.subscriptionId);

/** When somebody must look after it next, after an event of `at`; null for never. */
function wakeOf(row: Row, at: string): string | null {
  const isWanted = (row.status === 'active' || row.status === 'pending') && !row.calledOff;
  if (row.stage === 'collecting') return new Date(Date.parse(at) + LOOK_AFTER_MS).toISOString();
  // What the payer no longer wants need not wait for their confirmation.
  if (row.stage === 'confirming') return isWanted ? row.confirmBy : at;
  if (!isWanted) return null;
  if (row.stage !== 'waiting') return row.nextDueAt;
  return row.nextDueAt !== null && row.retryAt !== null && Date.parse(row.nextDueAt) < Date.parse(row.retryAt)
    ? row.nextDueAt
    : row.retryAt;
}

/** The rows of schedules that were made before this batch, in one query. */
async function rowsContinued(events: readonly RecordedEvent[], tx: Tx): Promise<Map<string, Row>> {
  const madeHere = new Set<string>();
  const wanted = new Set<string>();
  for (const { data, type } of events) {
    const id =
      'scheduleId' in data
        ? data.scheduleId
        : 'subscriptionId' in data
          ? data.subscriptionId
          : 'occurrence' in data
            ? data.occurrence?.scheduleId
            : undefined;
    if (id === undefined) continue;
    if (type === 'SubscriptionCreated' || type === 'PaymentScheduled') madeHere.add(id);
    else if (!madeHere.has(id)) wanted.add(id);
  }
  return new Map((await schedules.rowsBy('id', wanted, tx)).map((row) => [row.id, row]));
}
