/** Bank accounts for tests: what a payout to each comes to, and which bank a routing number is. */

/** Why a bank sends a payout back, with the provider's codes. */
export const PAYOUT_FAILURE_CODES = [
  'account_closed',
  'no_account',
  'insufficient_funds',
  'debit_not_authorized',
  'invalid_currency',
  'could_not_process',
] as const;
export type PayoutFailure = (typeof PAYOUT_FAILURE_CODES)[number];

/** `returned`: it is paid first, and comes back when nobody expects it any more. */
export type PayoutOutcome = { kind: 'paid' } | { kind: 'failed' | 'returned'; reason: PayoutFailure };

export const PAYOUT_FAILURES: Readonly<Record<PayoutFailure, string>> = {
  account_closed: 'The bank account has been closed.',
  no_account:
    'The bank account details on file are probably incorrect. No bank account could be located with those details.',
  insufficient_funds: 'Your Stripe account has insufficient funds to cover the payout.',
  debit_not_authorized: 'Debit transactions are not approved on your bank account.',
  invalid_currency:
    'The bank was unable to process this payout because of its currency. This is probably because the bank account cannot ' +
    'accept payments in that currency.',
  could_not_process: 'The bank could not process this payout.',
};

/** The provider publishes all of these but the last two, which only this stand-in has. */
const BY_NUMBER = new Map<string, PayoutOutcome>([
  ['000123456789', { kind: 'paid' }],
  ['000111111116', { kind: 'failed', reason: 'no_account' }],
  ['000111111113', { kind: 'failed', reason: 'account_closed' }],
  ['000222222227', { kind: 'failed', reason: 'insufficient_funds' }],
  ['000333333335', { kind: 'failed', reason: 'debit_not_authorized' }],
  ['000444444440', { kind: 'failed', reason: 'invalid_currency' }],
  ['000777777771', { kind: 'returned', reason: 'account_closed' }],
  ['000777777772', { kind: 'returned', reason: 'could_not_process' }],
]);

/** What becomes of payouts to a number; one that is no test number is paid. */
export function payoutOutcomeOf(accountNumber: string): PayoutOutcome {
  return BY_NUMBER.get(accountNumber) ?? { kind: 'paid' };
}

const BANKS: Readonly<Record<string, string>> = {
  '110000000': 'STRIPE TEST BANK',
  '011000138': 'BANK OF AMERICA, N.A.',
  '021000021': 'JPMORGAN CHASE',
  '021000089': 'CITIBANK, N.A.',
  '026009593': 'BANK OF AMERICA, N.A.',
  '031201360': 'TD BANK, N.A.',
  '091000022': 'U.S. BANK, N.A.',
  '121000248': 'WELLS FARGO BANK, N.A.',
  '122105155': 'U.S. BANK, N.A.',
  '256074974': 'NAVY FEDERAL CREDIT UNION',
  '322271627': 'JPMORGAN CHASE',
};

export function bankNameOf(routingNumber: string): string | null {
  return BANKS[routingNumber] ?? null;
}

/** Nine digits whose weighted sum (3, 7, 1, …) is a multiple of ten. */
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = [...text].reduce(
    (total, digit, index) => total + Number(digit) * ([3, 7, 1][index % 3] ?? 0),
    0,
  );
  return sum > 0 && sum % 10 === 0;
}
