/** Treasury wallets with their balances, and what moved in and out of each. */
import { JOURNAL } from '#contracts/events/journal';
import { USER_PREFIX } from '#contracts/events/user';
import { indexOfUnreadable, unreadable } from '../engine/text-reader.js';
import { declared } from '../engine/read-model.js';
import { Table, text, time, whole } from '../engine/table.js';

// A place is a journal revision: unique, never moving, and the order of each list.
export const wallets = new Table(
  'wallets',
  {
    id: text().key().seenBy('owner'),
    userId: text().fixed(),
    displayName: text().orNull().seenBy('owner'),
    description: text().orNull().seenBy('owner'),
    currency: text().fixed().seenBy('owner'),
    balanceMinor: whole().seenBy('owner'),
    openedAt: time().fixed().seenBy('owner'),
    closedAt: time().orNull(),
    place: whole().fixed(),
    unreadable: unreadable(),
  },
  {
    checks: ['check (balance_minor >= 0)'],
    indexes: [indexOfUnreadable('wallets', 'id'), 'create index wallets_of_user on wallets (user_id, place)'],
  },
);

export const walletTransactions = new Table(
  'wallet_transactions',
  {
    id: text().key().seenBy('owner'),
    walletId: text().fixed().seenBy('owner'),
    userId: text().fixed(),
    /** `credit`: into the wallet. */
    type: text<'credit' | 'debit'>().fixed().seenBy('owner'),
    amountMinor: whole().fixed().seenBy('owner'),
    currency: text().fixed().seenBy('owner'),
    description: text().orNull().seenBy('owner'),
    movedAt: time().fixed().seenBy('owner'),
    place: whole().fixed(),
    unreadable: unreadable(),
  },
  {
    checks: ['foreign key (wallet_id) references wallets (id)', `check (type in ('credit', 'debit'))`],
    indexes: [
      indexOfUnreadable('wallet_transactions', 'id'),
      'create index wallet_transactions_of_user on wallet_transactions (user_id, place)',
    ],
  },
);

export const walletsModel = declared({
  name: 'wallets',
  // Users' streams too: what a forgotten user wrote is blanked.
  prefixes: [JOURNAL, USER_PREFIX],
  tables: [wallets, walletTransactions],
});
