/** Treasury wallets with their balances, and what moved in and out of each. */
import { JOURNAL } from '#contracts/events/journal';
import { USER_PREFIX } from '#contracts/events/user';
import type { TableDefinition } from '../engine/read-model.js';

export const walletsTable: TableDefinition = {
  name: 'wallets',
  version: 1,
  // Users' streams too: what a forgotten user wrote is blanked.
  prefixes: [JOURNAL, USER_PREFIX],
  tables: ['wallets', 'wallet_transactions'],
  async up(db) {
    // A place is a journal revision: unique, never moving, and the order of each list.
    await db.raw(`
      create table wallets (
        id text primary key,
        user_id text not null,
        display_name text,
        description text,
        currency text not null,
        balance_minor bigint not null check (balance_minor >= 0),
        opened_at timestamptz not null,
        place bigint not null
      )`);
    await db.raw(`create index wallets_of_user on wallets (user_id, place)`);
    await db.raw(`
      create table wallet_transactions (
        id text primary key,
        wallet_id text not null references wallets (id),
        user_id text not null,
        type text not null check (type in ('credit', 'debit')),
        amount_minor bigint not null,
        currency text not null,
        description text,
        moved_at timestamptz not null,
        place bigint not null
      )`);
    await db.raw(`create index wallet_transactions_of_user on wallet_transactions (user_id, place)`);
  },
};
