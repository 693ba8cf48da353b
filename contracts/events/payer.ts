/**
 * What a payer has agreed to pay later, stream `payer-{userId}`: each of their schedules is counted here
 * before it is made, so that all of them together have a limit, whichever ledgers they are asked of.
 */
import { z } from 'zod';
import { AmountMinor } from './amount.js';
import { ScheduleKind } from './occurrence.js';

export const PAYER_PREFIX = 'payer-';
export const payerStream = (userId: string): string => `${PAYER_PREFIX}${userId}`;

const at = z.iso.datetime();

export const payerEvents = {
  /** A schedule takes its place among those of its payer, just before it is made. */
  ScheduleCounted: z.object({
    userId: z.string(),
    scheduleKind: ScheduleKind,
    scheduleId: z.string(),
    amountMinor: AmountMinor,
    at,
  }),
  /** A schedule was found to have ended, or never to have been made, and no longer counts. */
  ScheduleUncounted: z.object({ userId: z.string(), scheduleId: z.string(), at }),
} as const;

type PayerEventType = keyof typeof payerEvents;
export type PayerEvent = {
  [T in PayerEventType]: { type: T; data: z.infer<(typeof payerEvents)[T]> };
}[PayerEventType];
