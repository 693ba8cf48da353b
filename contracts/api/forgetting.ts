/** The calls of somebody who wants to be forgotten. */
import { z } from 'zod';

/** GET /api/forgetting. Times are UTC. */
export const ForgettingAnswer = z.object({
  status: z.enum(['none', 'requested']),
  requestedAt: z.iso.datetime().nullable(),
  dueAt: z.iso.datetime().nullable().describe('When it is done, unless it is called off before.'),
  waitHours: z.number(),
  blockedBecause: z
    .string()
    .nullable()
    .describe('What stands in the way now, in a sentence; asking is refused with the same.'),
  lastEndedBecause: z
    .enum(['recovery_started', 'money_left'])
    .nullable()
    .describe('Why the last request came to nothing, where its owner did not call it off.'),
});
export type ForgettingAnswer = z.infer<typeof ForgettingAnswer>;
