/** What the bodies of subscriptions and scheduled payments have in common, and what their lists tell. */
import { z } from 'zod';
import { cardAmount } from '../plain/card-amount.js';
import { canBeKept } from './kept-text.js';

/** Spec §5's sentence for whatever is left out. */
export const MISSING = 'Please fill in all required fields';

const isMissing = (written: unknown): boolean =>
  written === undefined || written === null || (typeof written === 'string' && written.trim() === '');

const amountSentence = (written: unknown): string => {
  if (isMissing(written)) return MISSING;
  const read = cardAmount(written);
  return 'sentence' in read ? read.sentence : MISSING;
};

/** $0.50 to $999,999.99, a number or text; parsed into minor units. */
export const ScheduledAmount = z
  .union([z.number(), z.string()], { error: ({ input }) => amountSentence(input) })
  .transform((written, context): number => {
    const read = cardAmount(written);
    if ('minor' in read) return read.minor;
    context.addIssue({ code: 'custom', message: amountSentence(written) });
    return z.NEVER;
  })
  .describe('Dollars, from 0.50 to 999999.99, at most two decimals: a number or decimal text.');

export const RecipientId = z
  .string({ error: MISSING })
  .trim()
  .min(1, MISSING)
  .max(100, 'Recipient user not found')
  .refine(canBeKept, 'Recipient user not found');

/** A required choice: what is left out is told apart from what is none of them. */
export const choice = <const T extends readonly string[]>(options: T, sentence: string) =>
  z.enum(options, { error: ({ input }) => (isMissing(input) ? MISSING : sentence) });

/** Where the search of a list of schedules looks. */
export const SEARCHED = 'description or recipient’s username or name';

const SOURCE = 'Choose what pays: balance_then_card, balance, or card with its cardId.';

/** What pays a schedule, as its payer chooses it. */
export const ChosenSource = z.discriminatedUnion(
  'from',
  [
    z.object({ from: z.literal('balance_then_card') }),
    z.object({ from: z.literal('balance') }),
    z.object({
      from: z.literal('card'),
      cardId: z.string({ error: SOURCE }).trim().min(1, SOURCE).max(100, SOURCE),
    }),
  ],
  { error: SOURCE },
);
export type ChosenSource = z.infer<typeof ChosenSource>;

const DATE = 'The date must be a date and time with its offset from UTC, such as 2026-12-24T18:00:00-05:00.';

/** A due time, as ISO 8601 with an offset; parsed into UTC. */
export const DueTime = z
  .string({ error: ({ input }) => (input === undefined || input === null ? MISSING : DATE) })
  .trim()
  .min(1, MISSING)
  .pipe(z.iso.datetime({ offset: true, error: DATE }))
  .transform((text, context): string => {
    const date = new Date(text);
    // No calendar of ours goes further than four digits, and no payer's plans either.
    if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0 && date.getUTCFullYear() < 10_000)
      return date.toISOString();
    context.addIssue({ code: 'custom', message: DATE });
    return z.NEVER;
  })
  .describe('ISO 8601 with an offset; in the future.');

/** The sentence for a change that changes nothing. */
export const NOTHING_TO_CHANGE = 'Send what is to change.';

/**
 * POST …/{id}/pay-now: which failed payment, by the `failedDueAt` of its answer, so that no other is paid for
 * it.
 */
export const PayNowBody = z.object(
  { dueAt: z.iso.datetime({ error: 'The dueAt is the failedDueAt of the payment that failed.' }) },
  { error: 'Send dueAt as a JSON object.' },
);
export type PayNowBody = z.infer<typeof PayNowBody>;

const from = z.enum(['balance_then_card', 'balance', 'card']);
const cardId = z
  .string()
  .nullable()
  .describe('Of a card: its id among GET /api/payment-methods; one that was removed is not there.');

/** What an answer tells of the payment that is due, under way or failed last; the same for both kinds. */
export const progress = {
  lastFailureReason: z
    .string()
    .nullable()
    .describe('Why the last attempt failed; null once one has succeeded.'),
  lastFailureFrom: z
    .object({ from: from.exclude(['balance_then_card']), cardId })
    .nullable()
    .describe('What that attempt was to be paid from, as far as it is known.'),
  failedDueAt: z.iso
    .datetime()
    .nullable()
    .describe(
      'The due time of a failed payment that POST …/pay-now tries again now; null where there is none.',
    ),
  source: z
    .object({ from, cardId })
    .describe('What pays: the balance or else the default card, only the balance, or one card.'),
  nextTryAt: z.iso
    .datetime()
    .nullable()
    .describe('When a failed payment is tried again; null when none waits.'),
  needsConfirmation: z
    .boolean()
    .describe('The payer’s bank wants them to confirm: open checkout with confirmPaymentId.'),
  confirmPaymentId: z
    .string()
    .nullable()
    .describe(
      'POST /api/payments/{id}/confirm confirms it with its saved card, GET /api/payments/{id}/client-secret answers what another card needs.',
    ),
  confirmBy: z.iso.datetime().nullable(),
  standsStill: z
    .string()
    .optional()
    .describe('Only where a record of it cannot be read: nothing is collected, and nothing can be changed.'),
  heldBecause: z
    .string()
    .optional()
    .describe(
      'Only while nothing that falls due is collected, in a sentence: its recipient is closing their account.',
    ),
  isCollecting: z.boolean().describe('A payment is under way now: neither a pause nor a cancel stops it.'),
};

/** Whom it pays, as a screen shows them. Names are null for somebody who is gone. */
export const recipient = {
  toUserId: z.string(),
  toUsername: z.string().nullable(),
  toFirstName: z.string().nullable(),
  toLastName: z.string().nullable(),
};

/**
 * On the answer to a change: what the person must be told beside it, such as that a payment under way is not
 * stopped.
 */
export const notice = { notice: z.string().nullable() };
