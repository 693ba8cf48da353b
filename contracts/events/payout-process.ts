/**
 * The process of one payout at the provider, stream `payout-{payoutId}`: what was begun there before it was
 * known to be done, and what has to wait. No money moves by these events; what is proven is in the journal.
 */
import { z } from 'zod';

export const PAYOUT_PREFIX = 'payout-';
export const payoutStream = (payoutId: string): string => `${PAYOUT_PREFIX}${payoutId}`;

/**
 * The three things that are done at the provider: to the user's account there, on to the bank, and all the
 * way back.
 */
export const PayoutStep = z.enum(['transfer', 'send', 'reverse']);
export type PayoutStep = z.infer<typeof PayoutStep>;

const ids = { payoutId: z.string(), userId: z.string() };

export const payoutProcessEvents = {
  /**
   * A step is about to be asked of the provider, under a key that derives from its number. Its outcome must
   * be learnt.
   */
  PayoutStepBegun: z.object({
    ...ids,
    step: PayoutStep,
    attempt: z.number().int().positive(),
    connectAccountId: z.string(),
    externalAccountId: z.string().optional(),
    begunAt: z.iso.datetime(),
  }),
  /** The provider did not do this attempt and may do a later one. */
  PayoutDelayed: z.object({
    ...ids,
    step: PayoutStep,
    attempt: z.number().int().positive(),
    code: z.string(),
    reason: z.string(),
    delayedAt: z.iso.datetime(),
  }),
  /** It will not be sent: whatever has been transferred is to be taken back. */
  PayoutAbandoned: z.object({ ...ids, code: z.string(), reason: z.string() }),
} as const;

type PayoutProcessEventType = keyof typeof payoutProcessEvents;
export type PayoutProcessEvent = {
  [T in PayoutProcessEventType]: { type: T; data: z.infer<(typeof payoutProcessEvents)[T]> };
}[PayoutProcessEventType];
