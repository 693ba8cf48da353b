/**
 * Every journal entry's idempotency key, for ever: where a repeat older than the ledger's memory is looked
 * up.
 */
import { JOURNAL } from '#contracts/events/journal';
import { declared } from '../engine/read-model.js';
import { Table, text, whole } from '../engine/table.js';

export const idempotencyKeys = new Table(
  'idempotency_keys',
  {
    // The primary key is an assertion too: a key that stands in two entries stops the projector.
    key: text().key(),
    revision: whole().fixed(),
    position: text().fixed(),
    fingerprint: text().orNull().fixed(),
    subject: text().orNull().fixed(),
    occurrence: text().orNull().fixed(),
  },
  {
    indexes: ['subject', 'occurrence'].map(
      (about) =>
        `create index idempotency_keys_of_${about} on idempotency_keys (${about}, revision) where ${about} is not null`,
    ),
  },
);

export const idempotencyKeysModel = declared({
  name: 'idempotency_keys',
  prefixes: [JOURNAL],
  tables: [idempotencyKeys],
});
