/** The calls about bank accounts, and the check of the numbers that people enter. */
import { z } from 'zod';
import { ACCOUNT_CLOSED, BankAccountType } from '../events/bank-account.js';
import { canBeKept } from './kept-text.js';

const MISSING = 'Please fill in all required fields';
const NAME_MAX = 100;
const ABA_WEIGHTS = [3, 7, 1] as const;

/** Whether nine digits are a routing number: the ABA's checksum, weights 3, 7, 1. */
export function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/.test(digits) || /^0+$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * ABA_WEIGHTS[place % 3]!, 0);
  return sum % 10 === 0;
}

/** People write numbers with gaps and dashes; what is left without them are the digits. */
const digitsOf = (text: string): string => text.replace(/[\s-]/g, '');

const name = (field: string) =>
  z
    .string({ error: MISSING })
    .trim()
    .min(1, MISSING)
    .max(NAME_MAX, `The ${field} has at most ${NAME_MAX} characters.`)
    .refine(canBeKept, `The ${field} holds a character that cannot be shown.`);

/** POST /api/bank-accounts. No sentence ever repeats a number. */
export const AddBankAccount = z.object(
  {
    accountHolderName: name('account holder name'),
    bankName: name('bank name'),
    accountNumber: z
      .string({ error: MISSING })
      .transform(digitsOf)
      .pipe(
        z
          .string()
          .min(1, MISSING)
          .regex(/^\d{4,17}$/, 'The account number must have 4 to 17 digits.'),
      ),
    routingNumber: z
      .string({ error: MISSING })
      .transform(digitsOf)
      .pipe(
        z
          .string()
          .min(1, MISSING)
          .regex(/^\d{9}$/, { error: 'The routing number must have 9 digits.', abort: true })
          .refine(isRoutingNumber, 'The routing number is not a valid one. Please check its digits.'),
      ),
    accountType: z
      .enum(BankAccountType.options, { error: 'The account type is checking or savings.' })
      .default('checking'),
  },
  { error: 'Send the bank account as a JSON object.' },
);
export type AddBankAccount = z.infer<typeof AddBankAccount>;

/** One row of GET /api/bank-accounts. */
export const BankAccount = z.object({
  id: z.string(),
  bankName: z.string(),
  accountHolderName: z.string(),
  accountNumber: z.string().describe('Masked: its last four digits.'),
  routingNumber: z.string().describe('Masked: its last four digits.'),
  accountType: BankAccountType,
  isPrimary: z.boolean(),
  isVerified: z
    .boolean()
    .describe('Payouts reach it: its owner is verified and the provider has found nothing wrong.'),
  needsOnboarding: z
    .boolean()
    .describe('Its owner has not finished verification: see POST /api/payouts/onboarding.'),
  error: z.string().nullable().describe('What the provider found wrong with it, in a sentence.'),
});
export type BankAccount = z.infer<typeof BankAccount>;

/** What adding one answers: the account, and where its owner goes on while verification is due. */
export const AddedBankAccount = BankAccount.extend({
  onboardingUrl: z
    .string()
    .nullable()
    .describe('The provider’s page for verification, for one visit; null when none is due.'),
});
export type AddedBankAccount = z.infer<typeof AddedBankAccount>;

/** What POST /api/payouts/onboarding answers. */
export const Onboarding = z.object({
  onboardingUrl: z
    .string()
    .nullable()
    .describe('The provider’s page for verification, for one visit; null when none is due.'),
});
export type Onboarding = z.infer<typeof Onboarding>;

/** A number as people see it. */
export const masked = (last4: string): string => `••••${last4}`;

const ERRORS: Readonly<Record<string, string>> = {
  errored: 'A payout to this account failed. Please check its numbers, or use another account.',
  verification_failed: 'The bank could not confirm whose account this is.',
  [ACCOUNT_CLOSED]:
    'Your account at the payment provider was closed, so payouts cannot reach this bank account. Please add it again.',
  missing: 'The payment provider does not know this account any more. Please add it again.',
};

/** What the provider found wrong with an account, as its owner is told. */
export const sentenceOfError = (code: string | null | undefined): string | null =>
  typeof code === 'string'
    ? (ERRORS[code] ?? 'Something is wrong with this account. Please use another one.')
    : null;

/** Whether the user has something left to do about their verification. */
export const isOnboardingDue = (payoutsEnabled: boolean, disabledCode: string | null | undefined): boolean =>
  !payoutsEnabled &&
  disabledCode !== ACCOUNT_CLOSED &&
  !/pending_verification|under_review|^rejected/.test(disabledCode ?? '');
