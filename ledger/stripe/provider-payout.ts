/**
 * Payouts as the provider shows them, in our words and without the SDK's types. Amounts are minor units,
 * times ISO texts.
 */

import type { PayoutBooking } from './ownership.js';

/**
 * The numbers of a bank account, on their way from the edge to the provider's token. Never kept, never
 * logged.
 */
export interface BankNumbers {
  readonly accountHolderName: string;
  readonly accountNumber: string;
  readonly routingNumber: string;
  readonly accountType: 'checking' | 'savings';
}

/** A bank account that the provider has for a user. */
export interface ProviderBankAccount {
  readonly externalAccountId: string;
  /** What its metadata names; absent on what we did not make. */
  readonly bankAccountId: string | undefined;
  readonly isDefault: boolean;
  /** What is wrong with it, in the provider's word. */
  readonly error: string | undefined;
}

/**
 * Those that alone name their bank account. Of two that name one, one is a copy of its metadata, and money
 * may go to neither before it is known which.
 */
export const onceNamed = (accounts: readonly ProviderBankAccount[]): readonly ProviderBankAccount[] =>
  accounts.filter(
    ({ bankAccountId }) => accounts.filter((other) => other.bankAccountId === bankAccountId).length === 1,
  );

/** A user's account at the provider, as it is now. */
export interface ProviderStanding {
  readonly connectAccountId: string;
  /** What its metadata names; absent on what we did not make. */
  readonly userId: string | undefined;
  readonly payoutsEnabled: boolean;
  readonly disabledCode: string | undefined;
  /** The provider waits for something that the user has to tell it. */
  readonly isOnboardingDue: boolean;
  readonly bankAccounts: readonly ProviderBankAccount[];
}

/** One attempt at a step of a payout: its key derives from payout and number. */
export interface PayoutAttempt extends PayoutBooking {
  readonly begunAt: Date;
  /** The caller began this step just now, so nobody can have asked for it before. */
  readonly isFresh?: boolean;
  readonly amountMinor: number;
  readonly connectAccountId: string;
}

export interface ProviderTransfer {
  readonly providerTransferId: string;
  readonly occurredAt: string;
}

export interface ProviderReversal {
  readonly reversalId: string;
  readonly occurredAt: string;
}

/** A payout to a bank, as the provider shows it now. */
export interface ProviderPayout {
  readonly providerPayoutId: string;
  /** What its metadata names; absent on what we did not make. */
  readonly payoutId: string | undefined;
  /** Its metadata are as this ledger wrote them, and for this sum. */
  readonly isSealed: boolean;
  readonly status: 'underway' | 'paid' | 'failed';
  /** Why it failed or was canceled, in the provider's code and in a sentence for its owner. */
  readonly failure: { readonly code: string; readonly reason: string } | undefined;
  /** The day on which it is expected at the bank, weekends and bank holidays counted in. */
  readonly arrivesOn?: string | undefined;
  readonly createdAt: string;
}

/** What an event at a user's account is about. */
export type ConnectSubject = {
  readonly connectAccountId: string;
  readonly providerPayoutId?: string | undefined;
};

/** The provider shows that a user's account there is gone: deleted, or taken away from us. */
export class PayoutAccountGone extends Error {
  override readonly name = 'PayoutAccountGone';
  readonly answer = {
    status: 409,
    message:
      'Your account at the payment provider was closed. Please add your bank account again to be paid out.',
  };

  constructor(readonly connectAccountId: string) {
    super(`The payment provider has no account ${connectAccountId} any more.`);
  }
}

/** The provider does not take these numbers; the message is for their owner and never repeats them. */
export class NumbersRefused extends Error {
  override readonly name = 'NumbersRefused';
}
