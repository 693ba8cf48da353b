/**
 * Subscriptions and scheduled payments as their payers see them, and when somebody must next look after each:
 * `wake_at` is what the due-scan walks. Both kinds are one table: what is due is found in one place.
 */
import { JOURNAL } from '#contracts/events/journal';
import { SCHEDULED_PAYMENT_PREFIX } from '#contracts/events/schedule';
import { SUBSCRIPTION_PREFIX } from '#contracts/events/subscription';
import { USER_PREFIX } from '#contracts/events/user';
import type { TableDefinition } from '../engine/read-model.js';

export const schedulesTable: TableDefinition = {
  name: 'schedules',
  version: 1,
  // The journal too: a payment that is resolved wakes its schedule. Users' streams: what a forgotten user
  // wrote is blanked.
  prefixes: [SUBSCRIPTION_PREFIX, SCHEDULED_PAYMENT_PREFIX, JOURNAL, USER_PREFIX],
  tables: ['schedules'],
  async up(db) {
    await db.raw(`
      create table schedules (
        id text primary key,
        kind text not null check (kind in ('subscription', 'scheduled-payment')),
        payer_id text not null,
        recipient_id text not null,
        amount_minor bigint not null,
        currency text not null,
        frequency text,
        description text,
        status text not null check (status in ('active', 'paused', 'canceled', 'pending', 'completed', 'failed')),
        called_off boolean not null,
        first_due_at timestamptz not null,
        next_due_at timestamptz,
        pause_reason text,
        occurrence_id text,
        occurrence_due_at timestamptz,
        attempt integer,
        stage text check (stage in ('collecting', 'confirming', 'waiting')),
        retry_at timestamptz,
        payment_id text,
        confirm_by timestamptz,
        last_failure_reason text,
        last_collected_at timestamptz,
        wake_at timestamptz,
        created_at timestamptz not null,
        place bigint not null
      )`);
    // A place is the commit position of the event that made it: unique, and never moving.
    await db.raw(`create unique index schedules_of_payer on schedules (payer_id, kind, place)`);
    await db.raw(`create index schedules_to_wake on schedules (wake_at, id) where wake_at is not null`);
  },
};
