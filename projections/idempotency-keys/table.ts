/**
 * Every journal entry's idempotency key, for ever: where a repeat older than the ledger's memory is looked
 * up.
 */
import { JOURNAL } from '#contracts/events/journal';
import type { TableDefinition } from '../engine/read-model.js';

export const idempotencyKeysTable: TableDefinition = {
  name: 'idempotency_keys',
  version: 2,
  prefixes: [JOURNAL],
  tables: ['idempotency_keys'],
  async up(db) {
    // The primary key is an assertion too: a key that stands in two entries stops the projector.
    await db.raw(`
      create table idempotency_keys (
        key text primary key,
        revision bigint not null,
        position text not null,
        fingerprint text,
        subject text,
        occurrence text
      )`);
    for (const about of ['subject', 'occurrence'])
      await db.raw(
        `create index idempotency_keys_of_${about} on idempotency_keys (${about}, revision) where ${about} is not null`,
      );
  },
};
