/**
 * Folds the journal into one row per payment or transfer. A batch is folded in memory: rows that it continues
 * are read in one query, and each row is written once however many of its entries the batch holds.
 */
import type { JournalEventOf, Sealed } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { isGuest } from '#contracts/plain/guest';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { RowOf } from '../engine/table.js';
import type { TextReader } from '../engine/text-reader.js';
import { transactionCounts, transactions, type TransactionStatus } from './columns.js';

type Row = RowOf<typeof transactions>;

/** A text that somebody wrote, and the event that brought it. */
interface SealedText {
  readonly sealed: Sealed;
  readonly event: RecordedEvent;
}

export async function projectTransactions(
  events: readonly RecordedEvent[],
  tx: Tx,
  texts: TextReader,
): Promise<void> {
  const rowsBefore = await rowsContinued(events, tx);
  const batch = new Batch(rowsBefore, await claimsBefore(events, tx));
  for (const event of events) fold(event, batch);
  const { rows, counts, forgotten } = batch;
  for (const writer of forgotten) texts.drop(writer);
  await openTexts(batch, texts);
  await transactions.put([...rows.values()], tx);
  if (forgotten.size > 0) await blankForgotten([...forgotten], tx);
  await transactionCounts.insert(
    [...counts].map(([userId, shownCount]) => ({ userId, shownCount })),
    tx,
    'on conflict (user_id) do update set shown_count = transaction_counts.shown_count + excluded.shown_count',
  );
}

/** The rows that a batch opens or continues, and what its events say beside them. */
class Batch {
  /** How many lines each user's list has gained. */
  readonly counts = new Map<string, number>();
  readonly guestNames = new Map<Row, SealedText>();
  readonly notes = new Map<Row, SealedText>();
  /** Users and guests whose texts go. */
  readonly forgotten = new Set<string>();

  /** `claimed`: who has claimed what a guest paid, by the guest. */
  constructor(
    readonly rows: Map<string, Row>,
    readonly claimed: Map<string, string>,
  ) {}

  /** The row of a payment. Throws for one that was never opened. */
  known(id: string, event: RecordedEvent): Row {
    const row = this.rows.get(id);
    if (!row)
      throw new BrokenBooks(
        `${event.type} at revision ${event.revision} is about payment ${id}, which was never opened.`,
      );
    return row;
  }

  open(row: Row, note: Sealed | undefined, event: RecordedEvent): void {
    if (this.rows.has(row.id))
      throw new BrokenBooks(`Payment or transfer ${row.id} is opened a second time.`);
    // What a guest pays later by the same link is in the claimed list too: a claim is made once.
    const claimedBy = this.claimed.get(row.payerId);
    if (claimedBy !== undefined && claimedBy !== row.recipientId) row.payerId = claimedBy;
    this.rows.set(row.id, row);
    if (note !== undefined) this.notes.set(row, { sealed: note, event });
  }

  claim(guestId: string, userId: string): void {
    for (const row of this.rows.values())
      // What one was paid oneself is no payment of one's own.
      if (row.payerId === guestId && row.recipientId !== userId) {
        this.claimed.set(guestId, userId);
        row.payerId = userId;
        if (row.payerPlace !== null) this.#count(userId);
      }
  }

  showToPayer(row: Row, event: RecordedEvent, occurredAt?: string): void {
    if (row.payerPlace !== null) return;
    row.payerPlace = event.revision;
    row.payerShownAt = shownAt(event, occurredAt);
    this.#count(row.payerId);
  }

  showToBoth(row: Row, event: RecordedEvent, occurredAt?: string): void {
    this.showToPayer(row, event, occurredAt);
    if (row.recipientPlace !== null) return;
    row.recipientPlace = event.revision;
    row.recipientShownAt = shownAt(event, occurredAt);
    this.#count(row.recipientId);
  }

  // A guest has no list; whoever claims what they paid has it in theirs.
  #count(userId: string): void {
    if (!isGuest(userId)) this.counts.set(userId, (this.counts.get(userId) ?? 0) + 1);
  }
}

function fold(event: RecordedEvent, batch: Batch): void {
  switch (event.type) {
    case 'PaymentOpened': {
      const { paymentId, method, note, guestName } = event.data;
      const row = opened(paymentId, 'payment', method, event.data, event);
      batch.open(row, note, event);
      if (guestName !== undefined) batch.guestNames.set(row, { sealed: guestName, event });
      break;
    }
    case 'PaymentSubmitted':
      // The first one is shown to its payer; another that failures made is recorded beside it.
      batch.known(event.data.paymentId, event).intentId ??= event.data.intentId;
      break;
    case 'PaymentAttemptFailed': {
      const row = batch.known(event.data.paymentId, event);
      // A decline that is told after the payment has settled changes nothing that anybody sees.
      if (row.settledAt === null) {
        row.status = 'failed';
        row.failureReason = event.data.reason;
        batch.showToPayer(row, event, event.data.occurredAt);
      }
      break;
    }
    case 'PaymentCanceled': {
      const row = batch.known(event.data.paymentId, event);
      row.unresolved = false;
      // One that was declined before stays in its payer's list as what it was to them: a payment that
      // failed.
      if (row.status === 'open') row.status = 'canceled';
      break;
    }
    case 'PaymentSettled': {
      const row = batch.known(event.data.paymentId, event);
      row.failureReason = null;
      row.intentId = event.data.intentId;
      completed(row, event);
      batch.showToBoth(row, event, event.data.occurredAt);
      break;
    }
    case 'PaymentRefunded':
    case 'RefundFailed': {
      const row = batch.known(event.data.paymentId, event);
      row.refundedMinor = event.data.refundedMinor;
      // What a dispute had taken of a refund is borne by the recipient as refunded; once that fails, as
      // disputed.
      row.borneMinor += (event.type === 'RefundFailed' ? 1 : -1) * (event.data.disputedMinor ?? 0);
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
      const row = batch.known(event.data.paymentId, event);
      // Money of another currency than the payment's is not of this payment's amount.
      const ownMinor = event.data.currency === row.currency ? event.data.amountMinor : 0;
      if (event.type === 'DisputeFundsWithdrawn' || event.type === 'DisputeFundsReinstated') {
        const sign = event.type === 'DisputeFundsWithdrawn' ? 1 : -1;
        row.disputedMinor += sign * ownMinor;
        // What made up for a debt of the recipient's that was given up was theirs all the same.
        const madeUpMinor = event.type === 'DisputeFundsReinstated' ? (event.data.madeUpMinor ?? 0) : 0;
        row.borneMinor += sign * (event.data.recipientMinor + madeUpMinor);
      } else row.disputeStatus = DISPUTE_STATUS[event.type];
      row.status = statusOf(row);
      break;
    }
    case 'TransferPosted': {
      const row = opened(event.data.transferId, 'transfer', null, event.data, event);
      batch.open(row, event.data.note, event);
      completed(row, event);
      batch.showToBoth(row, event);
      break;
    }
    case 'PayerThanked': {
      // A recovery of the log may have lost the payment and kept the thanks.
      const row = batch.rows.get(event.data.paymentId);
      if (row) row.thanks = event.data.thanks;
      break;
    }
    case 'UserForgotten':
      batch.forgotten.add(event.data.userId);
      break;
    case 'GuestForgotten':
      batch.forgotten.add(event.data.guestId);
      break;
    case 'GuestTipsClaimed':
      batch.claim(event.data.guestId, event.data.userId);
      break;
    default:
      break;
  }
}

/** Its money has arrived. */
function completed(row: Row, event: RecordedEvent): void {
  row.status = 'completed';
  row.unresolved = false;
  row.settledAt = event.metadata.recordedAt;
}

/** Opens the names of guests and the notes into their rows; of somebody who is forgotten there is none. */
async function openTexts({ guestNames, notes, forgotten }: Batch, texts: TextReader): Promise<void> {
  await Promise.all(
    [...guestNames].map(async ([row, { sealed, event }]) => {
      const { shown, unreadable } = await texts.shown(sealed, event, forgotten.has(row.guestId ?? ''));
      Object.assign(row, { guestName: shown, unreadable });
    }),
  );
  await Promise.all(
    [...notes].map(async ([row, { sealed, event }]) => {
      const { shown, unreadable } = await texts.shown(
        sealed,
        event,
        forgotten.has(row.guestId ?? row.payerId),
      );
      Object.assign(row, { note: shown, unreadable: unreadable ?? row.unreadable });
    }),
  );
}

/** Takes out of all rows what the forgotten wrote: notes and names of payers, thanks of recipients. */
async function blankForgotten(userIds: readonly string[], tx: Tx): Promise<void> {
  await tx.query({
    name: 'transactions-notes-forgotten',
    // The two sides of `or` have an index each; `coalesce(guest_id, payer_id)` had the whole table read.
    text: `update transactions set note = null, guest_name = null, unreadable = null
            where (guest_id = any($1::text[]) or guest_id is null and payer_id = any($1::text[]))
              and (note is not null or guest_name is not null)`,
    values: [userIds],
  });
  await tx.query({
    name: 'transactions-thanks-forgotten',
    // Nobody gave thanks for what they were not paid; without its condition the index would not be used.
    text: `update transactions set thanks = null
            where recipient_id = any($1::text[]) and recipient_place is not null and thanks is not null`,
    values: [userIds],
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
  terms: Omit<JournalEventOf<'PaymentOpened'>['data'], 'paymentId' | 'method'>,
  event: RecordedEvent,
): Row {
  return transactions.row({
    id,
    kind,
    payerId: terms.payerId,
    guestId: isGuest(terms.payerId) ? terms.payerId : null,
    recipientId: terms.recipientId,
    amountMinor: terms.amountMinor,
    currency: terms.currency,
    method,
    status: 'open',
    unresolved: true,
    refundedMinor: 0,
    disputedMinor: 0,
    borneMinor: 0,
    scheduleKind: terms.occurrence?.kind,
    scheduleId: terms.occurrence?.scheduleId,
    openedAt: event.metadata.recordedAt,
  });
}

/**
 * Who has claimed what the guests of this batch paid before, by the guest: one of their rows says so. A guest
 * may have opened any number of payments, and all of them are read and written for a claim only.
 */
async function claimsBefore(events: readonly RecordedEvent[], tx: Tx): Promise<Map<string, string>> {
  const guests = new Set(
    events.flatMap((event) =>
      event.type === 'PaymentOpened' && isGuest(event.data.payerId) ? [event.data.payerId] : [],
    ),
  );
  if (guests.size === 0) return new Map();
  const { rows } = await tx.query<{ guestId: string; claimedBy: string }>({
    name: 'transactions-claimed-of-guests',
    text: `select guests.id as "guestId", claimed.payer_id as "claimedBy"
             from unnest($1::text[]) as guests (id)
            cross join lateral (select payer_id from transactions t
                                 where t.guest_id = guests.id and t.payer_id <> t.guest_id limit 1) claimed`,
    values: [[...guests]],
  });
  return new Map(rows.map(({ guestId, claimedBy }) => [guestId, claimedBy]));
}

/**
 * The rows of payments that were opened before this batch, and all of guests whose payments are claimed in
 * it.
 */
async function rowsContinued(events: readonly RecordedEvent[], tx: Tx): Promise<Map<string, Row>> {
  const openedHere = new Set<string>();
  const wanted = new Set<string>();
  const guests = new Set<string>();
  for (const event of events) {
    if (event.type === 'GuestTipsClaimed') guests.add(event.data.guestId);
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
  const ofGuests = await transactions.rowsBy('guestId', guests, tx);
  const continued = [...(await transactions.rowsBy('id', wanted, tx)), ...ofGuests];
  return new Map(continued.map((row) => [row.id, row]));
}
