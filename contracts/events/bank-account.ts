/**
 * A user's bank accounts and their account at the payout provider, stream `bank-accounts-{userId}`. A number
 * is never part of an event: it becomes the provider's token at the edge, and what names a person or a bank
 * is sealed.
 */
import { z } from 'zod';
import { Sealed } from './journal.js';

export const BANK_ACCOUNTS_PREFIX = 'bank-accounts-';
export const bankAccountsStream = (userId: string): string => `${BANK_ACCOUNTS_PREFIX}${userId}`;

/** What is wrong with a bank account whose owner's account at the provider is gone; a code of ours. */
export const ACCOUNT_CLOSED = 'account_closed';

export const BankAccountType = z.enum(['checking', 'savings']);
export type BankAccountType = z.infer<typeof BankAccountType>;

/** The plain content of an account's sealed details: all that is kept of what the owner entered. */
export const BankAccountDetails = z.object({
  accountHolderName: z.string(),
  bankName: z.string(),
  accountLast4: z.string(),
  routingLast4: z.string(),
});
export type BankAccountDetails = z.infer<typeof BankAccountDetails>;

const account = { userId: z.string(), bankAccountId: z.string() };

export const bankAccountEvents = {
  /** A user means to add a bank account. The provider may not have it yet. */
  BankAccountSubmitted: z.object({
    ...account,
    accountType: BankAccountType,
    details: Sealed,
    numberFingerprint: z.string(),
    requestFingerprint: z.string(),
    submittedAt: z.iso.datetime(),
  }),
  /** The user has an account at the provider from here on, to which their payouts go first. */
  PayoutAccountOpened: z.object({ userId: z.string(), connectAccountId: z.string() }),
  /**
   * The user's account at the provider is gone, and with it every bank account there: they are to be added
   * again, to another one.
   */
  PayoutAccountClosed: z.object({ userId: z.string(), connectAccountId: z.string() }),
  /** The provider has the bank account, under its own id: it is one of the user's. */
  BankAccountAdded: z.object({ ...account, externalAccountId: z.string() }),
  /** The provider does not take the bank account, or it never got there: it is none of the user's. */
  BankAccountRefused: z.object({ ...account, reason: z.string() }),
  /** This is the user's primary bank account from here on, and no other. */
  PrimaryBankAccountChosen: z.object(account),
  /** The provider found something wrong with the bank account. */
  BankAccountErrored: z.object({ ...account, code: z.string() }),
  /** What was wrong with the bank account is mended. */
  BankAccountMended: z.object(account),
  /** The user removed the bank account. */
  BankAccountRemoved: z.object(account),
  /** The provider pays out to this user. */
  PayoutsEnabled: z.object({ userId: z.string() }),
  /** The provider does not pay out to this user, not yet or no longer, and says why. */
  PayoutsDisabled: z.object({ userId: z.string(), code: z.string() }),
  /** The provider has verified the user, and they have a bank account that is in order. */
  UserVerified: z.object({ userId: z.string() }),
  /** That is so no longer. */
  UserUnverified: z.object({ userId: z.string() }),
} as const;

type BankAccountEventType = keyof typeof bankAccountEvents;
export type BankAccountEvent = {
  [T in BankAccountEventType]: { type: T; data: z.infer<(typeof bankAccountEvents)[T]> };
}[BankAccountEventType];
