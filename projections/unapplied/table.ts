/**
 * Money that the provider gave us and no payment explains, until it has gone back or a dispute has taken it.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { TableDefinition } from '../engine/read-model.js';

export const unappliedTable: TableDefinition = {
  name: 'unapplied',
  version: 2,
  prefixes: [JOURNAL],
  tables: ['unapplied'],
  async up(db) {
    await db.raw(`
      create table unapplied (
        charge_id text primary key,
        intent_id text not null,
        payment_id text,
        amount_minor bigint not null,
        refunded_minor bigint not null,
        disputed_minor bigint not null,
        currency text not null,
        reason text not null,
        received_at timestamptz not null,
        check (refunded_minor >= 0 and disputed_minor >= 0 and refunded_minor + disputed_minor <= amount_minor)
      )`);
    await db.raw(
      `create index unapplied_to_refund on unapplied (received_at, charge_id) where refunded_minor + disputed_minor < amount_minor`,
    );
  },
};
