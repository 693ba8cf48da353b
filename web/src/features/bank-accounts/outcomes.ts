/** What a person is told of what they do with bank accounts and payouts. */
import type { AddedBankAccount, BankAccount } from '#contracts/api/bank-accounts';
import type { Payout } from '#contracts/api/payouts';
import type { Outcome } from '../../shared/ui/outcome.js';
import { money } from '../../shared/wording/money.js';

type Named = Pick<BankAccount, 'bankName' | 'accountNumber' | 'isVerified'>;

export const requestPayout: Outcome<Payout, Partial<Named>> = {
  label: 'Pay out',
  // What it waits for, if it waits: only what can leave now is on its way.
  done: ({ amount, statusReason }, { bankName, accountNumber, isVerified }) => [
    'Payout Requested',
    isVerified === false
      ? `${money(amount)} waits until ${bankName ?? 'the account'} is verified.`
      : (statusReason ??
        `${money(amount)} is on its way${bankName === undefined ? '' : ` to ${bankName} ${accountNumber}`}.`),
  ],
  failed: 'Failed to create payout',
};

export const addBankAccount: Outcome<AddedBankAccount> = {
  label: 'Add a bank account',
  done: ({ bankName, accountNumber }) => [
    'Bank Account Added',
    `${bankName} ${accountNumber} is on your list.`,
  ],
  failed: 'Failed to add bank account',
};

export const choosePrimary: Outcome<unknown, Partial<Named>> = {
  label: 'Change the primary account',
  done: (_answer, { bankName }) => [
    'Primary Account Updated',
    bankName && `${bankName} is chosen first for payouts.`,
  ],
  failed: 'Failed to update primary account',
};

export const removeBankAccount: Outcome<unknown, Partial<Named>> = {
  label: 'Remove a bank account',
  done: (_answer, { bankName, accountNumber }) => [
    'Bank Account Removed',
    bankName && `${bankName} ${accountNumber} is off your list.`,
  ],
  failed: 'Failed to delete bank account',
};
