/**
 * Payments and transfers as people see them. A row exists from the moment a payment is opened; it enters a
 * person's list when it concerns them: the payer's at the first attempt that failed or at settlement, the
 * recipient's at settlement.
 */
import { JOURNAL } from '#contracts/events/journal';
import { USER_PREFIX } from '#contracts/events/user';
import type { TableDefinition } from '../engine/read-model.js';

export const transactionsTable: TableDefinition = {
  name: 'transactions',
  version: 3,
  // Users' streams too: a forgotten user's notes are blanked.
  prefixes: [JOURNAL, USER_PREFIX],
  tables: ['transactions', 'transaction_counts'],
  async up(db) {
    // A place is the journal revision at which the row entered that person's list: unique within it. Beside
    // it stands when that happened in the world. A list is in the order of both, and neither ever moves.
    await db.raw(`
      create table transactions (
        id text primary key,
        kind text not null check (kind in ('payment', 'transfer')),
        payer_id text not null,
        recipient_id text not null,
        amount_minor bigint not null,
        currency text not null,
        method text,
        note text,
        status text not null check (status in (
          'open', 'canceled', 'failed', 'completed', 'partially_refunded', 'refunded', 'disputed', 'dispute_lost')),
        unresolved boolean not null,
        refunded_minor bigint not null,
        disputed_minor bigint not null,
        dispute_status text check (dispute_status in ('open', 'won', 'lost')),
        schedule_kind text check (schedule_kind in ('subscription', 'scheduled-payment')),
        schedule_id text,
        failure_reason text,
        intent_id text,
        opened_at timestamptz not null,
        settled_at timestamptz,
        payer_place bigint,
        payer_shown_at timestamptz,
        recipient_place bigint,
        recipient_shown_at timestamptz
      )`);
    await db.raw(
      `create index transactions_of_payer on transactions (payer_id, payer_shown_at, payer_place)`,
    );
    await db.raw(
      `create index transactions_of_recipient on transactions (recipient_id, recipient_shown_at, recipient_place)
       where recipient_place is not null`,
    );
    await db.raw(`create index transactions_unresolved on transactions (opened_at, id) where unresolved`);
    await db.raw(`create table transaction_counts (user_id text primary key, shown_count bigint not null)`);
  },
};
