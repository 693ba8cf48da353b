/**
 * The calls about saved cards. The card provider keeps them; nothing of a card number is ever here but its
 * last four digits.
 */
import { z } from 'zod';

/** One row of GET /api/payment-methods, newest first. */
export const SavedCardAnswer = z.object({
  id: z.string(),
  brand: z.string(),
  last4: z.string(),
  expMonth: z.number().int(),
  expYear: z.number().int(),
  isDefault: z.boolean().describe('Subscriptions and scheduled payments are charged to this one.'),
  earlierIds: z
    .array(z.string())
    .optional()
    .describe(
      'Only where it was saved more than once, such as when it was renewed: the ids that it had before, by which schedules may name it.',
    ),
});
export type SavedCardAnswer = z.infer<typeof SavedCardAnswer>;

/** POST /api/setup-intent: what the browser saves a card with. */
export const SetupIntentAnswer = z.object({
  clientSecret: z
    .string()
    .describe('What the browser confirms the card with (confirmSetup). Never stored by the ledger.'),
});
export type SetupIntentAnswer = z.infer<typeof SetupIntentAnswer>;
