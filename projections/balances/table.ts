/** Every account's balance, and what each user has ever received less what was refunded. */
import { JOURNAL } from '#contracts/events/journal';
import type { TableDefinition } from '../engine/read-model.js';

export const balancesTable: TableDefinition = {
  name: 'balances',
  version: 2,
  prefixes: [JOURNAL],
  tables: ['balances', 'receipts'],
  async up(db) {
    // Credit minus debit for every account, the platform's too: so that all balances of a currency add up to
    // zero.
    await db.raw(`
      create table balances (
        account text primary key,
        currency text not null,
        balance_minor bigint not null
      )`);
    await db.raw(`create table receipts (user_id text primary key, received_minor bigint not null)`);
  },
};
