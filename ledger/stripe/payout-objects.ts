/** The provider's objects of bank accounts and payouts, read into our words. */
import type Stripe from 'stripe';
import { idIn, readable } from './answers.js';
import { idOf } from './card-provider.js';
import type { OwnershipSeal, PayoutBooking, Sum } from './ownership.js';
import type { ProviderBankAccount, ProviderPayout } from './provider-payout.js';
import { wordsOf } from './provider-words.js';
import { ofTable } from './refusals.js';
import { isoFrom } from './stripe-client.js';

/** Why a bank or the provider sent a payout back, by the provider's codes. */
const FAILURES: Readonly<Record<string, string>> = {
  account_closed: 'The bank account has been closed.',
  account_frozen: 'The bank account has been frozen.',
  bank_account_restricted: 'The bank account does not take this kind of payout.',
  bank_ownership_changed: 'The bank account belongs to another bank now.',
  could_not_process: 'The bank could not process this payout.',
  debit_not_authorized: 'The bank account does not allow this kind of payout.',
  declined: 'The bank declined this payout.',
  incorrect_account_holder_name: 'The name of the account holder does not match the bank account.',
  insufficient_funds: 'The payment provider did not have the money for this payout.',
  invalid_account_number: 'The bank does not know this account number.',
  incorrect_account_number: 'The bank does not know this account number.',
  invalid_currency: 'The bank account does not take this currency.',
  no_account: 'The bank could not find this account.',
  canceled: 'The payout was canceled at the payment provider.',
};
const FAILED = 'The bank sent this payout back.';

/** The provider's states of a bank account in which nothing reaches it. */
const BANK_ERRORS: ReadonlySet<string> = new Set([
  'errored',
  'verification_failed',
  'tokenized_account_number_deactivated',
]);

/** The provider's reason for disabling an account, as a code of ours; undefined without one. */
export const disabledCodeOf = (reason: string | null | undefined): string | undefined =>
  reason ? wordsOf(reason) : undefined;

/** A bank account in our words. Throws UnreadableAnswer. */
export function bankOf(
  given: Stripe.BankAccount,
  seal: Pick<OwnershipSeal, 'mayBeOurs'>,
): ProviderBankAccount {
  const bank = readable('bank_account', given);
  const isOurs = seal.mayBeOurs('bank-account', bank.metadata);
  return {
    externalAccountId: bank.id,
    bankAccountId: isOurs ? idIn(bank.metadata, 'bankAccountId') : undefined,
    isDefault: bank.default_for_currency === true,
    error: BANK_ERRORS.has(bank.status) ? bank.status : undefined,
  };
}

/** The money that a transfer or payout moves. */
export const sumOf = ({ amount: amountMinor, currency }: Stripe.Transfer | Stripe.Payout): Sum => ({
  amountMinor,
  currency,
});

/** The provider names the day by its midnight, UTC. */
export const arrivalOf = ({ arrival_date: atS }: Stripe.Payout): string | undefined =>
  typeof atS === 'number' ? isoFrom(atS).slice(0, 10) : undefined;

/** The payout that a transfer was made for, where its seal holds for where it really goes. */
export const transferredIn = (
  transfer: Stripe.Transfer,
  seal: Pick<OwnershipSeal, 'payoutIn'>,
): PayoutBooking | undefined =>
  seal.payoutIn('transfer', transfer.metadata, sumOf(transfer), idOf(transfer.destination));

/** A payout in our words; isSealed says whether it is ours. Throws UnreadableAnswer. */
export function payoutOf(given: Stripe.Payout, seal: OwnershipSeal): ProviderPayout {
  const payout = readable('payout', given);
  const isFailed = payout.status === 'failed' || payout.status === 'canceled';
  const code = payout.status === 'canceled' ? 'canceled' : wordsOf(payout.failure_code ?? 'failed');
  return {
    providerPayoutId: payout.id,
    payoutId: idIn(payout.metadata, 'payoutId'),
    isSealed: seal.isOurs('payout', payout.metadata, sumOf(payout)),
    status: isFailed ? 'failed' : payout.status === 'paid' ? 'paid' : 'underway',
    failure: isFailed ? { code, reason: ofTable(FAILURES, code) ?? FAILED } : undefined,
    arrivesOn: arrivalOf(payout),
    createdAt: isoFrom(payout.created),
  };
}
