/** Users' bank accounts as their owners see them, and how each user stands with the payout provider. */
import { BANK_ACCOUNTS_PREFIX, type BankAccountType } from '#contracts/events/bank-account';
import { USER_PREFIX } from '#contracts/events/user';
import { indexOfUnreadable, unreadable } from '../engine/text-reader.js';
import { declared } from '../engine/read-model.js';
import { flag, Table, text, time, whole } from '../engine/table.js';

/**
 * One row for each that was ever submitted: a payout's line names its account also after that was removed.
 */
export const bankAccounts = new Table(
  'bank_accounts',
  {
    id: text().key().seenBy('owner'),
    userId: text().fixed(),
    status: text<'submitted' | 'added' | 'refused' | 'removed'>(),
    accountType: text<BankAccountType>().fixed().seenBy('owner'),
    accountHolderName: text().orNull().seenBy('owner'),
    bankName: text().orNull().seenBy('owner'),
    accountLast4: text().orNull().seenBy('owner'),
    routingLast4: text().orNull().seenBy('owner'),
    isPrimary: flag().seenBy('owner'),
    error: text().orNull().seenBy('owner'),
    place: whole().fixed(),
    submittedAt: time().fixed(),
    unreadable: unreadable(),
  },
  {
    indexes: [
      indexOfUnreadable('bank_accounts', 'id'),
      'create index bank_accounts_of_user on bank_accounts (user_id, place)',
      `create index bank_accounts_under_way on bank_accounts (submitted_at, id) where status = 'submitted'`,
    ],
  },
);

export const payoutAccounts = new Table(
  'payout_accounts',
  {
    userId: text().key(),
    connectAccountId: text().orNull().seenBy('owner'),
    payoutsEnabled: flag().seenBy('owner'),
    disabledCode: text().orNull().seenBy('owner'),
    isVerified: flag().seenBy('owner'),
  },
  { indexes: ['create unique index payout_accounts_by_provider on payout_accounts (connect_account_id)'] },
);

export const bankAccountsModel = declared({
  name: 'bank_accounts',
  prefixes: [BANK_ACCOUNTS_PREFIX, USER_PREFIX],
  tables: [bankAccounts, payoutAccounts],
});
