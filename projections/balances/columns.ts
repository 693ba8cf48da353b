/** Every account's balance, and what each user has ever received less what was refunded. */
import { JOURNAL } from '#contracts/events/journal';
import { declared } from '../engine/read-model.js';
import { Table, text, whole } from '../engine/table.js';

/**
 * Credit minus debit for every account, the platform's too: so that all balances of a currency add up to
 * zero.
 */
export const balances = new Table('balances', {
  account: text().key(),
  currency: text().fixed(),
  balanceMinor: whole().seenBy('owner'),
});

export const receipts = new Table('receipts', {
  userId: text().key(),
  receivedMinor: whole().seenBy('owner'),
});

export const balancesModel = declared({
  name: 'balances',
  prefixes: [JOURNAL],
  tables: [balances, receipts],
});
