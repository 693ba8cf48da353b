/**
 * Money that came back for somebody whose account is closed: what it is known by, since when it waits, what
 * is left of it, and how an operator gave that to whom it belongs.
 */
import { JOURNAL } from '#contracts/events/journal';
import { declared } from '../engine/read-model.js';
import { Table, text, time, whole } from '../engine/table.js';

export const unclaimed = new Table(
  'unclaimed',
  {
    itemId: text().key(),
    userId: text().fixed(),
    /** What came. */
    amountMinor: whole().fixed(),
    /** What still waits of it: without what was taken from its owner later; nothing once it is paid. */
    leftMinor: whole(),
    /** The entry that brought it. */
    cause: text().fixed(),
    receivedAt: time().fixed(),
    paidAt: time().orNull(),
    reference: text().orNull(),
  },
  { indexes: ['create index unclaimed_waiting on unclaimed (received_at, item_id) where left_minor > 0'] },
);

export const unclaimedModel = declared({ name: 'unclaimed', prefixes: [JOURNAL], tables: [unclaimed] });
