/**
 * Payments and transfers as people see them. A row exists from the moment a payment is opened; it enters a
 * person's list when it concerns them: the payer's at the first attempt that failed or at settlement, the
 * recipient's at settlement.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { ScheduleKind } from '#contracts/events/occurrence';
import { GUEST_PREFIX } from '#contracts/events/guest';
import { THANKS_PREFIX } from '#contracts/events/thanks';
import { USER_PREFIX } from '#contracts/events/user';
import type { Thanks } from '#contracts/plain/thanks';
import { indexOfUnreadable, unreadable } from '../engine/text-reader.js';
import { declared } from '../engine/read-model.js';
import { flag, Table, text, time, whole } from '../engine/table.js';

/** What a person is told. `open` and `canceled` (without an attempt) are in nobody's list. */
export type TransactionStatus =
  | 'open'
  | 'canceled'
  | 'failed'
  | 'completed'
  | 'partially_refunded'
  | 'refunded'
  | 'disputed'
  | 'dispute_lost';
export type DisputeStatus = 'open' | 'won' | 'lost';

export const transactions = new Table(
  'transactions',
  {
    id: text().key().seenBy('payer', 'recipient'),
    kind: text<'payment' | 'transfer'>().fixed().seenBy('payer', 'recipient'),
    // Who is on the other side is told by the list: see SIDE.
    // A guest's own id, until somebody signed in claims what the guest paid.
    payerId: text(),
    recipientId: text().fixed(),
    /** The guest who paid, also after it was claimed: its recipient sees the guest, and no account. */
    guestId: text().orNull().fixed(),
    guestName: text().orNull().fixed(),
    amountMinor: whole().fixed().seenBy('payer', 'recipient'),
    currency: text().fixed().seenBy('payer', 'recipient'),
    method: text().orNull().fixed().seenBy('payer', 'recipient'),
    note: text().orNull().fixed().seenBy('payer', 'recipient'),
    status: text<TransactionStatus>().seenBy('payer', 'recipient'),
    /** Neither settled nor canceled: another attempt may still pay it. */
    unresolved: flag(),
    refundedMinor: whole().seenBy('payer', 'recipient'),
    // Each side is told its own of these two as `disputedMinor`: see DISPUTED.
    /** What the payer's bank has taken back by a dispute and not given up. */
    disputedMinor: whole(),
    /**
     * What of that its recipient bears; the rest is the platform's, since refunds or other disputes had taken
     * it.
     */
    borneMinor: whole(),
    disputeStatus: text<DisputeStatus>().orNull().seenBy('payer', 'recipient'),
    /** Which answer the recipient gave to the payer. */
    thanks: text<Thanks>().orNull().seenBy('payer', 'recipient'),
    scheduleKind: text<ScheduleKind>().orNull().fixed().seenBy('payer', 'recipient'),
    /** The schedule itself is the payer's. */
    scheduleId: text().orNull().fixed().seenBy('payer'),
    /** Why the last attempt failed. */
    failureReason: text().orNull().seenBy('payer'),
    /** The provider's id, once it knows the payment. */
    intentId: text().orNull(),
    openedAt: time().fixed().seenBy('payer', 'recipient'),
    settledAt: time().orNull().seenBy('payer', 'recipient'),
    // A place is the journal revision at which the row entered that person's list: unique within it. Beside
    // it stands when that happened in the world. A list is in the order of both, and neither ever moves.
    payerPlace: whole().orNull(),
    payerShownAt: time().orNull(),
    recipientPlace: whole().orNull(),
    recipientShownAt: time().orNull(),
    unreadable: unreadable().fixed(),
  },
  {
    checks: [
      `check (kind in ('payment', 'transfer'))`,
      `check (status in ('open', 'canceled', 'failed', 'completed', 'partially_refunded', 'refunded', 'disputed', 'dispute_lost'))`,
      `check (dispute_status in ('open', 'won', 'lost'))`,
      `check (schedule_kind in ('subscription', 'scheduled-payment'))`,
    ],
    indexes: [
      indexOfUnreadable('transactions', 'id'),
      'create index transactions_of_payer on transactions (payer_id, payer_shown_at, payer_place)',
      `create index transactions_of_recipient on transactions (recipient_id, recipient_shown_at, recipient_place)
       where recipient_place is not null`,
      `create index transactions_of_guest on transactions (guest_id, settled_at desc nulls last, opened_at desc, id)
       where guest_id is not null`,
      'create index transactions_claimed on transactions (guest_id) where payer_id <> guest_id',
      'create index transactions_unresolved on transactions (opened_at, id) where unresolved',
    ],
  },
);

/** How many lines each user's list has. */
export const transactionCounts = new Table('transaction_counts', {
  userId: text().key(),
  shownCount: whole().seenBy('owner'),
});

export const transactionsModel = declared({
  name: 'transactions',
  // Users' and guests' streams too: notes of the forgotten are blanked, and what guests paid may be claimed.
  prefixes: [JOURNAL, USER_PREFIX, GUEST_PREFIX, THANKS_PREFIX],
  tables: [transactions, transactionCounts],
  fold: 2,
});
