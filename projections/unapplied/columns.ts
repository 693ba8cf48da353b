/**
 * Money that the provider gave us and no payment explains, until it has gone back or a dispute has taken it.
 * No person is told of it.
 */
import { JOURNAL } from '#contracts/events/journal';
import { declared } from '../engine/read-model.js';
import { Table, text, time, whole } from '../engine/table.js';

export const unapplied = new Table(
  'unapplied',
  {
    chargeId: text().key(),
    intentId: text().fixed(),
    paymentId: text().orNull().fixed(),
    amountMinor: whole().fixed(),
    refundedMinor: whole(),
    /** What disputes have taken of it. */
    disputedMinor: whole(),
    currency: text().fixed(),
    reason: text().fixed(),
    receivedAt: time().fixed(),
  },
  {
    checks: [
      'check (refunded_minor >= 0 and disputed_minor >= 0 and refunded_minor + disputed_minor <= amount_minor)',
    ],
    indexes: [
      'create index unapplied_to_refund on unapplied (received_at, charge_id) where refunded_minor + disputed_minor < amount_minor',
    ],
  },
);

export const unappliedModel = declared({ name: 'unapplied', prefixes: [JOURNAL], tables: [unapplied] });
