/** The call that pays somebody at once, by a saved card or out of the available balance. */
import { z } from 'zod';
import { CreatePaymentIntent, SavedCardPaymentAnswer } from './payments.js';

const FROM = 'Say what pays it: balance, or the id of a saved card.';

/** POST /api/tips. */
export const CreateTip = CreatePaymentIntent.pick({ amount: true, toUserId: true, description: true }).extend(
  {
    from: z
      .string({ error: FROM })
      .trim()
      .min(1, FROM)
      .max(100, 'Saved card not found')
      .describe('balance, or the id of a saved card.'),
  },
);
export type CreateTip = z.infer<typeof CreateTip>;

export const TipAnswer = SavedCardPaymentAnswer;
export type TipAnswer = z.infer<typeof TipAnswer>;
