/** What every refused call answers: a status and one plain sentence. */
import { z } from 'zod';

export const ErrorAnswer = z.object({ message: z.string() });
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;
