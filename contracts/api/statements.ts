/**
 * A person's own statements: what each month began and ended with, and every entry of an account with the
 * balance that it left. Amounts are decimal strings; those of entries have a sign.
 */
import { z } from 'zod';
import { MONTH_FORM } from '../plain/months.js';
import { page } from './lists.js';

/** `2026-11`. */
export const StatementMonth = z
  .string()
  .regex(MONTH_FORM, 'A month is written as 2026-11.')
  .describe('Such as 2026-11.');

const ACCOUNT = 'An account is available, payouts, or the id of a wallet.';
/** Which of one's accounts: `available`, `payouts`, or a wallet's id. */
const account = z.string({ error: ACCOUNT }).regex(/^[A-Za-z0-9_-]{1,100}$/, ACCOUNT);

export const StatementQuery = z.object({
  account: account.default('available').describe('available, payouts, or the id of a wallet.'),
});
export type StatementQuery = z.infer<typeof StatementQuery>;

/** GET /api/account-entries. */
export const AccountEntriesQuery = z.object({
  account: account.default('available').describe('available, payouts, or the id of a wallet.'),
  // Revision of the journal and the number of the posting within that entry.
  ...page(/^\d{1,15}-\d{1,4}$/),
});
export type AccountEntriesQuery = z.infer<typeof AccountEntriesQuery>;

/** What one entry of the journal did to one account of its reader's. */
export const AccountEntry = z.object({
  id: z.string().describe('Revision of the journal, and the number of the posting within that entry.'),
  type: z.string().describe('The entry’s type, such as PaymentSettled.'),
  account: z.string().describe('available, payouts, or the id of a wallet.'),
  recordedAt: z.string(),
  amount: z.string().describe('What it added, or with a minus sign what it took.'),
  balance: z.string().describe('What the account held after it.'),
  counterpartyUsername: z.string().nullable(),
  counterpartyName: z.string().nullable(),
  description: z.string().nullable(),
  paymentId: z.string().nullable().describe('Of the payment or transfer: it opens the receipt.'),
  payoutId: z.string().nullable(),
  bankAccountLabel: z.string().nullable(),
  walletId: z.string().nullable(),
  walletName: z.string().nullable(),
});
export type AccountEntry = z.infer<typeof AccountEntry>;

const figures = {
  month: StatementMonth,
  opening: z
    .string()
    .describe('The balance before the month’s first entry: the closing one of the month before.'),
  received: z.string(),
  sent: z.string().describe('Without a sign.'),
  closing: z.string(),
};

/** A month in the list of months. */
export const StatementSummary = z.object({
  ...figures,
  entryCount: z.number().int(),
  isClosed: z.boolean().describe('The books of the month are closed: its entries never change.'),
});
export type StatementSummary = z.infer<typeof StatementSummary>;

/** GET /api/statements: the months that have entries, newest first. */
export const StatementList = z.object({
  timeZone: z.string().describe('In which a month begins and ends.'),
  months: z.array(StatementSummary),
});
export type StatementList = z.infer<typeof StatementList>;

/** GET /api/statements/{month}. */
export const Statement = z.object({
  ...figures,
  account: z.string(),
  timeZone: z.string(),
  isClosed: z.boolean(),
  lines: z.array(AccountEntry).describe('In the order in which they were booked.'),
  isCut: z.boolean().describe('It has more lines than one answer holds: /api/account-entries has them all.'),
});
export type Statement = z.infer<typeof Statement>;
