/** The calls about payouts: asking for one, and the list of them. */
import { z } from 'zod';
import { UNCLEAR_SEPARATOR } from '../plain/card-amount.js';
import { minorFromDecimal } from '../plain/money.js';
import { page, search, timeRange } from './lists.js';

const MISSING = 'Please enter an amount and select a bank account';
const NOT_POSITIVE = 'Please enter a valid amount greater than 0';
const DECIMALS = 'An amount has at most two decimals, such as 12.50.';
const LARGEST = 'The largest payout is $999,999.99.';
/** The provider moves no more at once. */
const PAYOUT_MAX_MINOR = 99_999_999;

function minorOf(written: unknown): { minor: number } | { sentence: string } {
  const read = minorFromDecimal(typeof written === 'string' ? written.trim() : written);
  if ('problem' in read) {
    if (read.problem === 'missing') return { sentence: MISSING };
    if (read.problem === 'too-many-decimals') return { sentence: DECIMALS };
    if (read.problem === 'unclear-separator') return { sentence: UNCLEAR_SEPARATOR };
    return { sentence: read.problem === 'too-large' ? LARGEST : NOT_POSITIVE };
  }
  if (read.minor === 0) return { sentence: NOT_POSITIVE };
  return read.minor > PAYOUT_MAX_MINOR ? { sentence: LARGEST } : read;
}

/** POST /api/payouts. */
export const RequestPayout = z.object(
  {
    amount: z
      .union([z.number(), z.string()], {
        error: (issue) => (issue.input === undefined || issue.input === null ? MISSING : NOT_POSITIVE),
      })
      .transform((written, context): number => {
        const read = minorOf(written);
        if ('minor' in read) return read.minor;
        context.addIssue({ code: 'custom', message: read.sentence });
        return z.NEVER;
      })
      .describe('Dollars, more than 0, at most two decimals: a number or decimal text.'),
    bankAccountId: z.string({ error: MISSING }).trim().min(1, MISSING).max(100, 'Bank account not found'),
  },
  { error: 'Send the payout as a JSON object.' },
);
export type RequestPayout = z.infer<typeof RequestPayout>;

export const PayoutStatus = z.enum(['pending', 'processing', 'completed', 'failed'], {
  error: 'The status is pending, processing, completed or failed.',
});
export type PayoutStatus = z.infer<typeof PayoutStatus>;

/** One row of GET /api/payouts; newest first. */
export const Payout = z.object({
  id: z.string(),
  amount: z.string().describe('Decimal dollars, two decimals.'),
  status: PayoutStatus,
  statusReason: z
    .string()
    .nullable()
    .describe('What it waits for, while it is pending or processing and that is known.'),
  expectedOn: z.iso
    .datetime()
    .nullable()
    .describe('When the money that it waits for is available at the payment provider, where that is known.'),
  arrivesOn: z.iso
    .date()
    .nullable()
    .describe('The day on which the payment provider expects it at the bank, once it is sent there.'),
  bankAccountId: z.string(),
  createdAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable(),
  failureReason: z.string().nullable().describe('Why the money is back in the balance.'),
  madeUp: z
    .string()
    .nullable()
    .describe(
      'What of a failed one makes up for a debt that had been written off, and is not back in the balance. Decimal dollars, two decimals.',
    ),
});
export type Payout = z.infer<typeof Payout>;

/** GET /api/payouts/funds: the balance by when it could be paid out, after everybody who asked before. */
export const PayoutFunds = z.object({
  now: z
    .string()
    .describe('What the payment provider has available for a payout now. Decimal dollars, two decimals.'),
  later: z
    .array(
      z.object({
        on: z.iso.datetime().describe('From when on.'),
        amount: z.string().describe('What is added to that then. Decimal dollars.'),
      }),
    )
    .describe('What is on its way to the payment provider’s available balance, day by day.'),
  undated: z.string().describe('What nothing covers that is known to come. Decimal dollars.'),
});
export type PayoutFunds = z.infer<typeof PayoutFunds>;

/** The query of GET /api/payouts. */
export const PayoutsQuery = z.object({
  ...page(),
  ...timeRange('requested'),
  status: PayoutStatus.optional(),
  search: search('bank account (its bank’s name, its last four digits) or reason of a failure'),
});
export type PayoutsQuery = z.infer<typeof PayoutsQuery>;
