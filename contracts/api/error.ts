/**
 * What every refused call answers: a status and one plain sentence; a code where a program can do something
 * about it.
 */
import { z } from 'zod';

export const ErrorAnswer = z.object({
  message: z.string(),
  code: z
    .string()
    .optional()
    .describe(
      'What a program can do: card_required, ask for a card; passkey_required, confirm with a passkey; then send the same again.',
    ),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;
