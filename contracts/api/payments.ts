/** The calls about payments: opening one, and the list of them. */
import { z } from 'zod';
import { PaymentMethod } from '../events/journal.js';
import { ScheduleKind } from '../events/occurrence.js';
import { THANKS } from '../plain/thanks.js';
import { NOTE_MAX_CHARACTERS } from '../plain/note.js';
import { MOST_INSTEAD_OF } from '../plain/earlier-payment.js';
import { CardAmount } from './card-amount.js';
import { IdempotencyKey } from './idempotency-key.js';
import { canBeKept, description } from './kept-text.js';
import { page, search, timeRange } from './lists.js';

/** The keys of the same payer's payments in the place of which one is made: those are ended first. */
export const EarlierKeys = z
  .array(IdempotencyKey, { error: 'Send the keys of earlier payments as a list.' })
  .max(MOST_INSTEAD_OF, `At most ${MOST_INSTEAD_OF} earlier payments can be named.`);

/** The note of a payment, now, recurring or later. */
export const Note = description(
  NOTE_MAX_CHARACTERS,
  `A description has at most ${NOTE_MAX_CHARACTERS} characters.`,
);

/** POST /api/create-payment-intent. */
export const CreatePaymentIntent = z.object(
  {
    amount: CardAmount,
    toUserId: z
      .string({ error: 'Please enter a recipient ID.' })
      .trim()
      .min(1, 'Please enter a recipient ID.')
      .max(100, 'Recipient user not found')
      .refine(canBeKept, 'Recipient user not found'),
    description: Note,
    saveCard: z
      .boolean({ error: 'saveCard is true or false.' })
      .optional()
      .describe('Save the card that pays this, for subscriptions and scheduled payments.'),
    paymentMethod: z
      .enum(PaymentMethod.options, { error: 'The payment method is card or cashapp.' })
      .default('card'),
    insteadOf: EarlierKeys.default([]).describe(
      'The keys of payments that this one takes the place of, such as one that was left at Cash App. They are ended first, and cannot be paid as well.',
    ),
  },
  { error: 'Send the payment as a JSON object.' },
);
export type CreatePaymentIntent = z.infer<typeof CreatePaymentIntent>;

export const PaymentIntentAnswer = z.object({
  clientSecret: z
    .string()
    .describe('What the browser confirms the payment with. Never stored by the ledger.'),
  paymentId: z.string(),
});
export type PaymentIntentAnswer = z.infer<typeof PaymentIntentAnswer>;

/** The same of a payment that is open already; the answer of GET /api/payments/{id}/client-secret. */
export const OpenPaymentAnswer = PaymentIntentAnswer.extend({
  amount: z
    .string()
    .describe(
      'Decimal dollars. What it charges, whatever its subscription or scheduled payment says by now.',
    ),
});
export type OpenPaymentAnswer = z.infer<typeof OpenPaymentAnswer>;

/** GET /api/payments/of-intent/{intentId}. */
export const PaymentOfIntent = PaymentIntentAnswer.pick({ paymentId: true });
export type PaymentOfIntent = z.infer<typeof PaymentOfIntent>;

/** How a payment by a saved card stands; the answer of POST /api/payments/{id}/confirm. */
export const SavedCardPaymentAnswer = z.object({
  id: z.string().describe('Of the payment or transfer, as in the list of transactions.'),
  status: z
    .enum(['completed', 'processing', 'action_required', 'failed'])
    .describe('action_required: the payer’s bank asks for them; the browser does that with clientSecret.'),
  clientSecret: z.string().nullable().describe('Only where the payer’s bank asks for its payer.'),
  failureReason: z.string().nullable(),
});
export type SavedCardPaymentAnswer = z.infer<typeof SavedCardPaymentAnswer>;

/** One row of GET /api/transactions, as its reader sees it; newest first. */
export const Transaction = z.object({
  id: z.string(),
  type: z.enum(['payment_received', 'payment_sent']),
  amount: z.string().describe('Decimal dollars, two decimals, never negative.'),
  status: z
    .string()
    .describe(
      'completed, failed, partially_refunded, refunded, disputed (the payer’s bank asks) or dispute_lost.',
    ),
  createdAt: z.iso
    .datetime()
    .describe('When it happened, by the card provider’s clock where it took part; whole seconds.'),
  kind: z.enum(['payment', 'transfer']),
  refundedAmount: z.string(),
  disputedAmount: z
    .string()
    .describe(
      'What disputes have taken and not given back: of what was sent, what the payer’s bank took back; of what was received, what the recipient bears of that.',
    ),
  disputeStatus: z.enum(['open', 'won', 'lost']).nullable(),
  paymentMethod: z.string().nullable(),
  description: z.string().nullable().describe('The payer’s note.'),
  failureReason: z.string().nullable().describe('Why the last attempt failed; told to the payer only.'),
  counterpartyId: z.string(),
  counterpartyUsername: z.string().nullable(),
  counterpartyName: z
    .string()
    .nullable()
    .describe('First and last name; null while they have privacy mode on, and once they are gone.'),
  thanks: z
    .enum(THANKS)
    .nullable()
    .describe('Which of the fixed answers the recipient sent; null where they sent none.'),
  scheduleKind: ScheduleKind.nullable().describe('What it was paid by, where that was a schedule.'),
  scheduleId: z
    .string()
    .nullable()
    .describe('The subscription or scheduled payment; told to the payer only.'),
});
export type Transaction = z.infer<typeof Transaction>;

/** GET /api/transactions/{id}: a line of one's own list, with what a receipt says besides. */
export const TransactionReceipt = Transaction.extend({
  currency: z.string(),
  openedAt: z.iso.datetime().describe('When the payer asked for it.'),
  settledAt: z.iso.datetime().nullable().describe('When the ledger booked the money; null where none came.'),
});
export type TransactionReceipt = z.infer<typeof TransactionReceipt>;

/** POST /api/transactions/{id}/thanks. */
export const SendThanks = z.object(
  { thanks: z.enum(THANKS, { error: `The thanks are one of: ${THANKS.join(', ')}.` }) },
  { error: 'Send the thanks as a JSON object.' },
);
export type SendThanks = z.infer<typeof SendThanks>;

/**
 * The query of GET /api/transactions. All of it narrows the list; without any of it, it begins with the
 * newest 1,000.
 */
const NARROWING = {
  ...timeRange('that happened'),
  type: z
    .enum(['payment_received', 'payment_sent'], { error: 'The type is payment_received or payment_sent.' })
    .optional(),
  method: z
    .enum(['card', 'cashapp', 'balance'], { error: 'The method is card, cashapp or balance.' })
    .optional()
    .describe('Only lines that were paid so.'),
  status: z
    .enum(['completed', 'failed', 'refunded', 'disputed'], {
      error: 'The status is completed, failed, refunded or disputed.',
    })
    .optional()
    .describe('Only lines that stand so: refunded also in part, disputed also once it is lost.'),
  search: search('description, counterparty’s username or name, or amount from its first digit on,'),
};

export const TransactionsQuery = z.object({
  // The second and the place of the last line.
  ...page(/^\d{1,11}-\d{1,15}$/),
  ...NARROWING,
});
export type TransactionsQuery = z.infer<typeof TransactionsQuery>;

/** The query of GET /api/transactions/totals: the same, over all lines. */
export const TransactionTotalsQuery = z.object(NARROWING);
export type TransactionTotalsQuery = z.infer<typeof TransactionTotalsQuery>;

/** GET /api/transactions/totals. What failed is in no figure, and what went back is taken off. */
export const TransactionTotals = z.object({
  received: z.string().describe('Decimal dollars.'),
  sent: z.string(),
  net: z.string().describe('Signed.'),
  count: z.number().int().describe('How many lines did not fail.'),
  lines: z.number().int().describe('How many lines there are.'),
});
export type TransactionTotals = z.infer<typeof TransactionTotals>;

/** More bars than a chart has. */
const BARS_MOST = 100;
const BEGINS = `The beginnings of the bars are 1 to ${BARS_MOST} times such as 2026-03-01T00:00:00Z, each later than the one before, with commas between them.`;
const isTime = (text: string): boolean => z.iso.datetime({ offset: true }).safeParse(text).success;

/**
 * The query of GET /api/transactions/earnings. Whoever reads says where their days begin: they know their
 * time zone.
 */
export const EarningsQuery = z.object({
  begins: z
    .string({ error: BEGINS })
    .refine((text) => text.split(',').length <= BARS_MOST && text.split(',').every(isTime), BEGINS)
    .transform((text) => text.split(',').map((time) => new Date(time)))
    .refine((times) => times.every((time, n) => n === 0 || time > times[n - 1]!), BEGINS)
    .meta({ description: BEGINS }),
});
export type EarningsQuery = z.infer<typeof EarningsQuery>;

/** GET /api/transactions/earnings. */
export const Earnings = z.object({
  bars: z
    .array(z.string())
    .describe('What was received in each bar, in decimal dollars; what went back is taken off.'),
});
export type Earnings = z.infer<typeof Earnings>;
