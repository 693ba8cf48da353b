/**
 * What every entry did to every account of a person's, with the balance that it left: the lines of
 * statements. Ids only; names and notes are those of other read models. Beside them, in which time zone
 * months are cut, and which months are closed.
 */
import { JOURNAL } from '#contracts/events/journal';
import { declared } from '../engine/read-model.js';
import { small, Table, text, time, whole } from '../engine/table.js';

export const accountLines = new Table(
  'account_lines',
  {
    /** Revision of the entry and number of the leg: `17-0`. */
    id: text().key().seenBy('owner'),
    account: text().fixed(),
    userId: text().fixed(),
    place: whole().fixed(),
    /** Of the entry's debits and credits, in their order. */
    leg: small().fixed(),
    type: text().fixed().seenBy('owner'),
    recordedAt: time().fixed().seenBy('owner'),
    /** What it added; below zero, what it took. */
    amountMinor: whole().fixed().seenBy('owner'),
    /** What the account held after it. */
    balanceMinor: whole().fixed().seenBy('owner'),
    counterpartyId: text().orNull().fixed(),
    paymentId: text().orNull().fixed().seenBy('owner'),
    payoutId: text().orNull().fixed().seenBy('owner'),
    movementId: text().orNull().fixed(),
    walletId: text().orNull().fixed().seenBy('owner'),
  },
  { indexes: ['create index account_lines_of_account on account_lines (account, place, leg)'] },
);

/** What each month did to an account, and what it left. */
export const accountMonths = new Table(
  'account_months',
  {
    /** `{account} {month}`. */
    id: text().key(),
    account: text().fixed(),
    userId: text().fixed(),
    month: text().fixed().seenBy('owner'),
    openingMinor: whole().fixed().seenBy('owner'),
    receivedMinor: whole().seenBy('owner'),
    /** Without a sign. */
    sentMinor: whole().seenBy('owner'),
    closingMinor: whole().seenBy('owner'),
    entryCount: whole().seenBy('owner'),
  },
  { indexes: ['create index account_months_of_account on account_months (account, month)'] },
);

/** The one fact of the books that months are cut by: `timeZone`. */
export const bookFacts = new Table('book_facts', { name: text().key(), value: text() });

/**
 * Months that are closed, and what proves it: the entry that closed each, its chain hash, the log's tree
 * then.
 */
export const closedMonths = new Table('closed_months', {
  month: text().key(),
  closedAt: time().fixed(),
  revision: whole().fixed(),
  hash: text().fixed(),
  treeSize: whole().orNull().fixed(),
  root: text().orNull().fixed(),
});

export const statementsModel = declared({
  name: 'statements',
  prefixes: [JOURNAL],
  tables: [accountLines, accountMonths, bookFacts, closedMonths],
});
