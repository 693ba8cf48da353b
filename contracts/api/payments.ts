/** The calls about payments: opening one, and the list of them. */
import { z } from 'zod';
import { PaymentMethod } from '../events/journal.js';
import { NOTE_MAX_CHARACTERS } from '../note.js';
import { CardAmount } from './card-amount.js';

export { NOTE_MAX_CHARACTERS };

/** POST /api/create-payment-intent. */
export const CreatePaymentIntent = z.object(
  {
    amount: CardAmount,
    toUserId: z
      .string({ error: 'Please enter a recipient ID.' })
      .trim()
      .min(1, 'Please enter a recipient ID.')
      .max(100, 'Recipient user not found'),
    description: z
      .string({ error: 'The description must be text.' })
      .trim()
      .max(NOTE_MAX_CHARACTERS, `A description has at most ${NOTE_MAX_CHARACTERS} characters.`)
      // Postgres keeps any text but this: taken in, it would stop the projector at an event that the log cannot take back.
      .refine((text) => !text.includes('\u0000'), 'The description holds a character that cannot be shown.')
      .nullish()
      .transform((text) => text || undefined),
    saveCard: z
      .boolean({ error: 'saveCard is true or false.' })
      .optional()
      .describe('Save the card that pays this, for subscriptions and scheduled payments.'),
    paymentMethod: z.enum(PaymentMethod.options, { error: 'The payment method is card or cashapp.' }).default('card'),
  },
  { error: 'Send the payment as a JSON object.' },
);
export type CreatePaymentIntent = z.infer<typeof CreatePaymentIntent>;

export const PaymentIntentAnswer = z.object({
  clientSecret: z.string().describe('What the browser confirms the payment with. Never stored by the ledger.'),
  paymentId: z.string(),
});
export type PaymentIntentAnswer = z.infer<typeof PaymentIntentAnswer>;

/** One row of GET /api/transactions, as its reader sees it; newest first. */
export const Transaction = z.object({
  id: z.string(),
  type: z.enum(['payment_received', 'payment_sent']),
  amount: z.string().describe('Decimal dollars, two decimals, never negative.'),
  status: z.string().describe('completed, failed, partially_refunded or refunded.'),
  createdAt: z.iso.datetime().describe('When it happened, by the card provider’s clock where it took part; whole seconds.'),
  kind: z.enum(['payment', 'transfer']),
  refundedAmount: z.string(),
  paymentMethod: z.string().nullable(),
  description: z.string().nullable().describe('The payer’s note.'),
  failureReason: z.string().nullable().describe('Why the last attempt failed; told to the payer only.'),
  counterpartyId: z.string(),
  counterpartyUsername: z.string().nullable(),
});
export type Transaction = z.infer<typeof Transaction>;

export const TRANSACTIONS_MAX = 1000;
const LIMIT = `The limit is a whole number from 1 to ${TRANSACTIONS_MAX}.`;

/** The query of GET /api/transactions. */
export const TransactionsQuery = z.object({
  limit: z.coerce.number({ error: LIMIT }).int(LIMIT).min(1, LIMIT).max(TRANSACTIONS_MAX, LIMIT).default(TRANSACTIONS_MAX),
  cursor: z
    .string({ error: 'The cursor is none that this list gave out.' })
    .regex(/^\d{1,11}-\d{1,15}$/, 'The cursor is none that this list gave out.')
    .optional()
    .describe('What the header X-Encore-Next-Cursor of the page before said.'),
});
export type TransactionsQuery = z.infer<typeof TransactionsQuery>;
