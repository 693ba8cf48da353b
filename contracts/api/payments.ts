/** The calls about payments: opening one, and the list of them. */
import { z } from 'zod';
import { PaymentMethod } from '../events/journal.js';
import { CardAmount } from './card-amount.js';

export const NOTE_MAX_CHARACTERS = 500;

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
      .nullish()
      .transform((text) => text || undefined),
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

/** One row of GET /api/transactions, as its reader sees it. */
export const Transaction = z.object({
  id: z.string(),
  type: z.enum(['payment_received', 'payment_sent']),
  amount: z.string().describe('Decimal dollars, two decimals.'),
  status: z.string(),
  createdAt: z.iso.datetime(),
});
export type Transaction = z.infer<typeof Transaction>;
