/**
 * Payouts: money on its way to a bank, how far each has come, what it waits for, and how it ended. One row
 * each, folded from the journal and from the payout's own stream. Beside them, when the money that they wait
 * for can be used.
 */
import { JOURNAL } from '#contracts/events/journal';
import { PAYOUT_PREFIX } from '#contracts/events/payout-process';
import { declared } from '../engine/read-model.js';
import { small, Table, text, time, whole } from '../engine/table.js';

/** How far it has come, by the journal. */
export type PayoutStep = 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';

export const payouts = new Table(
  'payouts',
  {
    id: text().key().seenBy('owner'),
    userId: text().fixed(),
    bankAccountId: text().fixed().seenBy('owner'),
    amountMinor: whole().fixed().seenBy('owner'),
    currency: text().fixed().seenBy('owner'),
    step: text<PayoutStep>().seenBy('owner'),
    connectAccountId: text().orNull(),
    providerTransferId: text().orNull(),
    providerPayoutId: text().orNull(),
    reversalId: text().orNull(),
    requestedAt: time().fixed().seenBy('owner'),
    /** When an attempt at its transfer was begun whose outcome is not known yet. */
    transferBegunAt: time().orNull(),
    transferredAt: time().orNull(),
    submittedAt: time().orNull(),
    /**
     * The day on which the provider expects it at the bank; null before it was sent, and where none was told.
     */
    arrivesOn: text().orNull().seenBy('owner'),
    completedAt: time().orNull().seenBy('owner'),
    /** When the bank or the provider sent it back. */
    returnedAt: time().orNull(),
    failedAt: time().orNull(),
    failureCode: text().orNull(),
    /** Known from the moment it is sent back, also while the money is still on its way to the user. */
    failureReason: text().orNull().seenBy('owner'),
    /** What of a failed one made up for a debt that had been written off, and is not in the balance again. */
    madeUpMinor: whole().orNull().seenBy('owner'),
    /** How often the provider put it off, and why the last time: told while it stands at that step. */
    delays: small(),
    delayCode: text().orNull(),
    delayReason: text().orNull(),
    delayedAt: time().orNull(),
    /** The journal revision of the request: unique, never moving, and the order of the list. */
    place: whole().fixed(),
  },
  {
    checks: [`check (step in ('requested', 'transferred', 'submitted', 'completed', 'returned', 'failed'))`],
    indexes: [
      'create index payouts_of_user on payouts (user_id, place)',
      `create index payouts_under_way on payouts (place) where step not in ('completed', 'failed')`,
      'create index payouts_by_transfer on payouts (transferred_at) where transferred_at is not null',
      // Ledgers of the version before read it while they are replaced one by one. It goes with the next one.
      `create view payout_courses as
         select id as payout_id, user_id, delays, delay_code, delay_reason, delayed_at from payouts`,
    ],
  },
);

/** When money of charges can be used at the provider, so much at a time: what payouts wait for. */
export const fundsArriving = new Table('funds_arriving', {
  availableOn: time().key(),
  netMinor: whole(),
});

export const payoutsModel = declared({
  name: 'payouts',
  prefixes: [JOURNAL, PAYOUT_PREFIX],
  tables: [payouts, fundsArriving],
});
