/** Users' bank accounts as their owners see them, and how each user stands with the payout provider. */
import { BANK_ACCOUNTS_PREFIX } from '#contracts/events/bank-account';
import { USER_PREFIX } from '#contracts/events/user';
import type { TableDefinition } from '../engine/read-model.js';

export const bankAccountsTable: TableDefinition = {
  name: 'bank_accounts',
  version: 1,
  prefixes: [BANK_ACCOUNTS_PREFIX, USER_PREFIX],
  tables: ['bank_accounts', 'payout_accounts'],
  async up(db) {
    // One row for each that was ever submitted: a payout's line names its account also after that was
    // removed.
    await db.raw(`
      create table bank_accounts (
        id text primary key,
        user_id text not null,
        status text not null,
        account_type text not null,
        account_holder_name text,
        bank_name text,
        account_last4 text,
        routing_last4 text,
        is_primary boolean not null,
        error text,
        place bigint not null,
        submitted_at timestamptz not null
      )`);
    await db.raw(`create index bank_accounts_of_user on bank_accounts (user_id, place)`);
    await db.raw(
      `create index bank_accounts_under_way on bank_accounts (submitted_at, id) where status = 'submitted'`,
    );
    await db.raw(`
      create table payout_accounts (
        user_id text primary key,
        connect_account_id text,
        payouts_enabled boolean not null,
        disabled_code text,
        is_verified boolean not null
      )`);
    await db.raw(`create unique index payout_accounts_by_provider on payout_accounts (connect_account_id)`);
  },
};
