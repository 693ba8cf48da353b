/**
 * Payouts: money on its way to a bank, how far each has come, and how it ended. One row each, folded from the
 * journal.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { TableDefinition } from '../engine/read-model.js';

export const payoutsTable: TableDefinition = {
  name: 'payouts',
  version: 1,
  prefixes: [JOURNAL],
  tables: ['payouts'],
  async up(db) {
    // The place is the journal revision of the request: unique, never moving, and the order of the list.
    await db.raw(`
      create table payouts (
        id text primary key,
        user_id text not null,
        bank_account_id text not null,
        amount_minor bigint not null,
        currency text not null,
        step text not null check (step in ('requested', 'transferred', 'submitted', 'completed', 'returned', 'failed')),
        connect_account_id text,
        provider_transfer_id text,
        provider_payout_id text,
        reversal_id text,
        requested_at timestamptz not null,
        transferred_at timestamptz,
        submitted_at timestamptz,
        completed_at timestamptz,
        returned_at timestamptz,
        failed_at timestamptz,
        failure_code text,
        failure_reason text,
        place bigint not null
      )`);
    await db.raw(`create index payouts_of_user on payouts (user_id, place)`);
    await db.raw(
      `create index payouts_under_way on payouts (place) where step not in ('completed', 'failed')`,
    );
    await db.raw(
      `create index payouts_by_provider on payouts (provider_payout_id) where provider_payout_id is not null`,
    );
  },
};
