/** The calls about getting an account back whose passkeys cannot be used. */
import { z } from 'zod';

/** GET /api/account-recovery. Times are UTC. */
export const AccountRecoveryAnswer = z.object({
  status: z
    .enum(['none', 'running', 'completing', 'refused'])
    .describe('completing: completed, and what belongs to it is not all done: complete it once more.'),
  isPossible: z.boolean().describe('Whether a passkey stands in the way; without one signing in is enough.'),
  waitHours: z.number().describe('How long a recovery waits.'),
  startedBy: z.enum(['owner', 'operator']).nullable(),
  startedAt: z.iso.datetime().nullable(),
  completableFrom: z.iso.datetime().nullable(),
  lapsesAt: z.iso.datetime().nullable(),
  isConfirmed: z
    .boolean()
    .describe('False while one that an operator began waits for the first sign-in of its owner.'),
  isCompletable: z.boolean().describe('Whether the wait is over.'),
  againFrom: z.iso.datetime().nullable().describe('After a refusal: from when on another one may begin.'),
});
export type AccountRecoveryAnswer = z.infer<typeof AccountRecoveryAnswer>;

const NOT_A_LINK = { error: 'This link is not complete. Open it from the message once more.' };
/** POST /api/account-recovery/refusal-by-link: what the link in the mail holds. */
export const RefusalByLink = z.object(
  {
    userId: z.string(NOT_A_LINK).regex(/^usr_[0-9a-z]{26}$/, NOT_A_LINK),
    token: z.string(NOT_A_LINK).regex(/^[A-Za-z0-9_-]{43}$/, NOT_A_LINK),
  },
  NOT_A_LINK,
);
export type RefusalByLink = z.infer<typeof RefusalByLink>;
