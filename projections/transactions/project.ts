/**
 * Folds the journal into one row per payment or transfer. A batch is folded in memory: rows that it continues
 * are read in one query, and each row is written once however many of its entries the batch holds.
 */
import type { Occurrence, Sealed } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, wholeNumber, type Tx } from '../engine/read-model.js';
import type { Unsealer } from '../engine/unsealer.js';
import type { DisputeStatus, TransactionStatus } from './queries.js';

interface Row {
  id: string;
  kind: 'payment' | 'transfer';
  payerId: string;
  recipientId: string;
  amountMinor: number;
  currency: string;
  method: string | null;
  note: string | null;
  status: TransactionStatus;
  unresolved: boolean;
  refundedMinor: number;
  /** What the payer's bank has taken back by a dispute and not given up. */
  disputedMinor: number;
  disputeStatus: DisputeStatus | null;
  scheduleKind: string | null;
  scheduleId: string | null;
  failureReason: string | null;
  intentId: string | null;
  openedAt: Date | string;
  settledAt: Date | string | null;
  payerPlace: number | null;
  payerShownAt: Date | string | null;
  recipientPlace: number | null;
  recipientShownAt: Date | string | null;
}

export async function projectTransactions(
  events: readonly RecordedEvent[],
  tx: Tx,
  vault: Unsealer,
): Promise<void> {
  const rows = await rowsContinued(events, tx);
  const counts = new Map<string, number>();
  const notes = new Map<Row, Sealed>();
  const forgotten = new Set<string>();

  const known = (id: string, event: RecordedEvent): Row => {
    const row = rows.get(id);
    if (!row)
      throw new BrokenBooks(
        `${event.type} at revision ${event.revision} is about payment ${id}, which was never opened.`,
      );
    return row;
  };
  const open = (row: Row, note: Sealed | undefined): void => {
    if (rows.has(row.id)) throw new BrokenBooks(`Payment or transfer ${row.id} is opened a second time.`);
    rows.set(row.id, row);
    if (note !== undefined) notes.set(row, note);
  };
  const count = (userId: string): void => void counts.set(userId, (counts.get(userId) ?? 0) + 1);
  const showToPayer = (row: Row, event: RecordedEvent, occurredAt?: string): void => {
    if (row.payerPlace !== null) return;
    row.payerPlace = event.revision;
    row.payerShownAt = shownAt(event, occurredAt);
    count(row.payerId);
  };
  const showToRecipient = (row: Row, event: RecordedEvent, occurredAt?: string): void => {
    if (row.recipientPlace !== null) return;
    row.recipientPlace = event.revision;
    row.recipientShownAt = shownAt(event, occurredAt);
    count(row.recipientId);
  };

  for (const event of events) {
    switch (event.type) {
      case 'PaymentOpened':
        open(opened(event.data.paymentId, 'payment', event.data.method, event.data, event), event.data.note);
        break;
      case 'PaymentSubmitted':
        known(event.data.paymentId, event).intentId = event.data.intentId;
        break;
      case 'PaymentAttemptFailed': {
        const row = known(event.data.paymentId, event);
        // A decline that is told after the payment has settled changes nothing that anybody sees.
        if (row.settledAt === null) {
          row.status = 'failed';
          row.failureReason = event.data.reason;
          showToPayer(row, event, event.data.occurredAt);
        }
        break;
      }
      case 'PaymentCanceled': {
        const row = known(event.data.paymentId, event);
        row.unresolved = false;
        // One that was declined before stays in its payer's list as what it was to them: a payment that
        // failed.
        if (row.status === 'open') row.status = 'canceled';
        break;
      }
      case 'PaymentSettled': {
        const row = known(event.data.paymentId, event);
        row.status = 'completed';
        row.unresolved = false;
        row.failureReason = null;
        row.intentId = event.data.intentId;
        row.settledAt = event.metadata.recordedAt;
        showToPayer(row, event, event.data.occurredAt);
        showToRecipient(row, event, event.data.occurredAt);
        break;
      }
      case 'PaymentRefunded':
      case 'RefundFailed': {
        const row = known(event.data.paymentId, event);
        row.refundedMinor = event.data.refundedMinor;
        row.status = statusOf(row);
        break;
      }
      case 'DisputeOpened':
      case 'DisputeFundsWithdrawn':
      case 'DisputeFundsReinstated':
      case 'DisputeWon':
      case 'DisputeLost': {
        // Of money that no payment explains: in nobody's list.
        if (event.data.paymentId === undefined) break;
        const row = known(event.data.paymentId, event);
        if (event.type === 'DisputeFundsWithdrawn') row.disputedMinor += event.data.amountMinor;
        else if (event.type === 'DisputeFundsReinstated') row.disputedMinor -= event.data.amountMinor;
        else row.disputeStatus = DISPUTE_STATUS[event.type];
        row.status = statusOf(row);
        break;
      }
      case 'TransferPosted': {
        const row = opened(event.data.transferId, 'transfer', null, event.data, event);
        open(row, event.data.note);
        row.status = 'completed';
        row.unresolved = false;
        row.settledAt = event.metadata.recordedAt;
        showToPayer(row, event);
        showToRecipient(row, event);
        break;
      }
      case 'UserForgotten':
        forgotten.add(event.data.userId);
        vault.drop(event.data.userId);
        break;
      default:
        break;
    }
  }
  await Promise.all(
    [...notes].map(async ([row, note]) => {
      row.note = forgotten.has(row.payerId) ? null : ((await vault.unseal(note)) ?? null);
    }),
  );
  if (rows.size > 0) await write([...rows.values()], tx);
  if (forgotten.size > 0)
    await tx.query({
      name: 'transactions-notes-forgotten',
      text: 'update transactions set note = null where payer_id = any($1::text[]) and note is not null',
      values: [[...forgotten]],
    });
  if (counts.size > 0)
    await tx.query({
      name: 'transaction-counts-raised',
      text: `insert into transaction_counts as c (user_id, shown_count) select * from unnest($1::text[], $2::bigint[])
             on conflict (user_id) do update set shown_count = c.shown_count + excluded.shown_count`,
      values: [[...counts.keys()], [...counts.values()]],
    });
}

/**
 * The time that a line shows and that orders a list: when it happened in the world, as far as the entry says
 * so. Never later than the entry itself, or a provider's clock that is ahead would hold its lines above all
 * that follow. In whole seconds, as the provider tells them: within a second the journal's order decides, and
 * a transfer with its milliseconds is not put above the payment that came after it.
 */
function shownAt({ metadata: { recordedAt } }: RecordedEvent, occurredAt = recordedAt): string {
  const ms = Math.min(Date.parse(occurredAt), Date.parse(recordedAt));
  return new Date(ms - (ms % 1000)).toISOString();
}

const DISPUTE_STATUS = { DisputeOpened: 'open', DisputeWon: 'won', DisputeLost: 'lost' } as const;

/** What a payment that was settled is to its two sides now. */
function statusOf({ disputeStatus, refundedMinor, amountMinor }: Row): TransactionStatus {
  if (disputeStatus === 'open') return 'disputed';
  if (disputeStatus === 'lost') return 'dispute_lost';
  if (refundedMinor === 0) return 'completed';
  return refundedMinor < amountMinor ? 'partially_refunded' : 'refunded';
}

function opened(
  id: string,
  kind: Row['kind'],
  method: string | null,
  terms: {
    payerId: string;
    recipientId: string;
    amountMinor: number;
    currency: string;
    occurrence?: Occurrence | undefined;
  },
  event: RecordedEvent,
): Row {
  return {
    id,
    kind,
    payerId: terms.payerId,
    recipientId: terms.recipientId,
    amountMinor: terms.amountMinor,
    currency: terms.currency,
    method,
    note: null,
    status: 'open',
    unresolved: true,
    refundedMinor: 0,
    disputedMinor: 0,
    disputeStatus: null,
    scheduleKind: terms.occurrence?.kind ?? null,
    scheduleId: terms.occurrence?.scheduleId ?? null,
    failureReason: null,
    intentId: null,
    openedAt: event.metadata.recordedAt,
    settledAt: null,
    payerPlace: null,
    payerShownAt: null,
    recipientPlace: null,
    recipientShownAt: null,
  };
}

interface StoredRow {
  id: string;
  kind: Row['kind'];
  payer_id: string;
  recipient_id: string;
  amount_minor: string;
  currency: string;
  method: string | null;
  note: string | null;
  status: TransactionStatus;
  unresolved: boolean;
  refunded_minor: string;
  disputed_minor: string;
  dispute_status: DisputeStatus | null;
  schedule_kind: string | null;
  schedule_id: string | null;
  failure_reason: string | null;
  intent_id: string | null;
  opened_at: string;
  settled_at: string | null;
  payer_place: string | null;
  payer_shown_at: string | null;
  recipient_place: string | null;
  recipient_shown_at: string | null;
}

/** The rows of payments that were opened before this batch, in one query. */
async function rowsContinued(events: readonly RecordedEvent[], tx: Tx): Promise<Map<string, Row>> {
  const openedHere = new Set<string>();
  const wanted = new Set<string>();
  for (const event of events) {
    if (event.type === 'PaymentOpened') openedHere.add(event.data.paymentId);
    else if (
      'paymentId' in event.data &&
      event.data.paymentId !== undefined &&
      // Money that no payment explains may name one all the same; it leaves that payment as it is.
      event.type !== 'UnappliedReceived' &&
      // The platform's own: no line shows it.
      event.type !== 'ProviderFeeBooked' &&
      !openedHere.has(event.data.paymentId)
    )
      wanted.add(event.data.paymentId);
  }
  if (wanted.size === 0) return new Map();
  const { rows } = await tx.query<StoredRow>({
    name: 'transactions-continued',
    // Times as text and to the microsecond: they go back as they came.
    text: `select id, kind, payer_id, recipient_id, amount_minor, currency, method, note, status, unresolved, refunded_minor,
                  disputed_minor, dispute_status, schedule_kind, schedule_id, failure_reason, intent_id, opened_at::text, settled_at::text, payer_place, payer_shown_at::text,
                  recipient_place, recipient_shown_at::text
             from transactions where id = any($1::text[])`,
    values: [[...wanted]],
  });
  return new Map(rows.map((row) => [row.id, rowOf(row)]));
}

const placeOf = (text: string | null): number | null => (text === null ? null : wholeNumber(text));

const rowOf = (row: StoredRow): Row => ({
  id: row.id,
  kind: row.kind,
  payerId: row.payer_id,
  recipientId: row.recipient_id,
  amountMinor: wholeNumber(row.amount_minor),
  currency: row.currency,
  method: row.method,
  note: row.note,
  status: row.status,
  unresolved: row.unresolved,
  refundedMinor: wholeNumber(row.refunded_minor),
  disputedMinor: wholeNumber(row.disputed_minor),
  disputeStatus: row.dispute_status,
  scheduleKind: row.schedule_kind,
  scheduleId: row.schedule_id,
  failureReason: row.failure_reason,
  intentId: row.intent_id,
  openedAt: row.opened_at,
  settledAt: row.settled_at,
  payerPlace: placeOf(row.payer_place),
  payerShownAt: row.payer_shown_at,
  recipientPlace: placeOf(row.recipient_place),
  recipientShownAt: row.recipient_shown_at,
});

/**
 * Each column once, with its type and what of a row it holds. What a payment was opened with never changes.
 */
const COLUMNS: readonly { name: string; type: string; of: (row: Row) => unknown; fixed?: true }[] = [
  { name: 'id', type: 'text', of: (row) => row.id, fixed: true },
  { name: 'kind', type: 'text', of: (row) => row.kind, fixed: true },
  { name: 'payer_id', type: 'text', of: (row) => row.payerId, fixed: true },
  { name: 'recipient_id', type: 'text', of: (row) => row.recipientId, fixed: true },
  { name: 'amount_minor', type: 'bigint', of: (row) => row.amountMinor, fixed: true },
  { name: 'currency', type: 'text', of: (row) => row.currency, fixed: true },
  { name: 'method', type: 'text', of: (row) => row.method, fixed: true },
  { name: 'note', type: 'text', of: (row) => row.note, fixed: true },
  { name: 'status', type: 'text', of: (row) => row.status },
  { name: 'unresolved', type: 'boolean', of: (row) => row.unresolved },
  { name: 'refunded_minor', type: 'bigint', of: (row) => row.refundedMinor },
  { name: 'disputed_minor', type: 'bigint', of: (row) => row.disputedMinor },
  { name: 'dispute_status', type: 'text', of: (row) => row.disputeStatus },
  { name: 'schedule_kind', type: 'text', of: (row) => row.scheduleKind, fixed: true },
  { name: 'schedule_id', type: 'text', of: (row) => row.scheduleId, fixed: true },
  { name: 'failure_reason', type: 'text', of: (row) => row.failureReason },
  { name: 'intent_id', type: 'text', of: (row) => row.intentId },
  { name: 'opened_at', type: 'timestamptz', of: (row) => row.openedAt, fixed: true },
  { name: 'settled_at', type: 'timestamptz', of: (row) => row.settledAt },
  { name: 'payer_place', type: 'bigint', of: (row) => row.payerPlace },
  { name: 'payer_shown_at', type: 'timestamptz', of: (row) => row.payerShownAt },
  { name: 'recipient_place', type: 'bigint', of: (row) => row.recipientPlace },
  { name: 'recipient_shown_at', type: 'timestamptz', of: (row) => row.recipientShownAt },
];

const UPSERT = `insert into transactions (${COLUMNS.map(({ name }) => name).join(', ')})
  select * from unnest(${COLUMNS.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})
  on conflict (id) do update set ${COLUMNS.filter(({ fixed }) => !fixed)
    .map(({ name }) => `${name} = excluded.${name}`)
    .join(', ')}`;

async function write(rows: readonly Row[], tx: Tx): Promise<void> {
  await tx.query({
    name: 'transactions-written',
    text: UPSERT,
    values: COLUMNS.map(({ of }) => rows.map(of)),
  });
}
