/** What the bodies of subscriptions and scheduled payments have in common, and what their lists tell. */
import { z } from 'zod';
import { cardAmount } from './card-amount.js';
import { NOTE_MAX_CHARACTERS } from './payments.js';

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
  .max(100, 'Recipient user not found');

export const Description = z
  .string({ error: 'The description must be text.' })
  .trim()
  .max(NOTE_MAX_CHARACTERS, `A description has at most ${NOTE_MAX_CHARACTERS} characters.`)
  // Postgres keeps any text but this: taken in, it would stop the projector at an event that the log cannot
  // take back.
  .refine((text) => !text.includes('\u0000'), 'The description holds a character that cannot be shown.')
  .nullish()
  .transform((text) => text || undefined);

/** A required choice: what is left out is told apart from what is none of them. */
export const choice = <const T extends readonly string[]>(options: T, sentence: string) =>
  z.enum(options, { error: ({ input }) => (isMissing(input) ? MISSING : sentence) });

/** Where the search of a list of schedules looks. */
export const SEARCHED = 'description or recipient’s username or name';

/** What an answer tells of the payment that is due, under way or failed last; the same for both kinds. */
export const progress = {
  lastFailureReason: z
    .string()
    .nullable()
    .describe('Why the last attempt failed; null once one has succeeded.'),
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
