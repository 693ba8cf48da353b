/**
 * What the provider's no to a bank account's numbers or to a payout comes to, in a sentence for their owner.
 */
import { Unavailable } from '../rejection.js';
import type { AttemptOutcome } from './provider-payment.js';
import { NumbersRefused } from './provider-payout.js';
import { claimsAccountGone, ofTable, refusalOf, type ProviderRefusal } from './refusals.js';

const NUMBERS_REFUSED = 'The payment provider did not accept this bank account. Please check its numbers.';
/** The provider's codes about numbers, as sentences that name the field. */
const ABOUT_NUMBERS: Readonly<Record<string, string>> = {
  routing_number_invalid:
    'The routing number is not one of a bank that payouts can reach. Please check its digits.',
  account_number_invalid: 'The account number is not a valid one. Please check its digits.',
  bank_account_unusable: 'This bank account cannot receive payouts. Please use another one.',
};

const NOT_THERE_YET =
  'The money for this payout is not available at the payment provider yet. It is tried again by itself.';
const UNSEEN =
  'The payment provider does not show what became of this payout. It is looked at again by itself.';
const NOT_NOW = 'The payment provider does not take this payout at the moment. It is tried again by itself.';
const AMOUNT_REFUSED = 'The payment provider does not take a payout of this amount.';
const UNUSABLE =
  'The payment provider does not pay out to this bank account any more. Please use another one.';
export const ACCOUNT_GONE =
  'Your account at the payment provider was closed. Please add your bank account again to be paid out.';
export const DESTINATION_GONE = 'The bank account is no longer known to the payment provider.';

/**
 * Reads the lists that show whether money moved. A refused list is not a refused payout: it throws
 * Unavailable. That an account is gone is thrown as it came.
 */
export async function readMovedMoney<T>(looking: Promise<T>): Promise<T> {
  try {
    return await looking;
  } catch (error) {
    if (refusalOf(error) === undefined || claimsAccountGone(error)) throw error;
    throw new Unavailable(UNSEEN, { cause: error });
  }
}

/** The outcome of a refused payout, other than that its account or bank account is gone. */
export function outcomeOf(refusal: ProviderRefusal): Exclude<AttemptOutcome<unknown>, { kind: 'done' }> {
  const { code } = refusal;
  if (refusal.kind === 'never' && refusal.about !== 'card') {
    const { about } = refusal;
    return { kind: 'never', about, code, reason: about === 'amount' ? AMOUNT_REFUSED : UNUSABLE };
  }
  if (refusal.kind === 'not-now' && refusal.because === 'funds')
    return { kind: 'not-now', code: 'balance_insufficient', reason: NOT_THERE_YET };
  return { kind: 'not-now', code, reason: NOT_NOW };
}

/** What the provider's no to a bank account says of its numbers; undefined where it may be our own fault. */
export function numbersRefused(error: unknown): NumbersRefused | undefined {
  const refusal = refusalOf(error);
  if (refusal?.kind !== 'never' || refusal.about !== 'bank-account') return undefined;
  return new NumbersRefused(ofTable(ABOUT_NUMBERS, refusal.code) ?? NUMBERS_REFUSED);
}
