/**
 * What an operator took out of the other streams, stream `encore-quarantine`: events that cannot be read.
 * Each names one event and says why in the operator's words. Who it was is known to nobody: whoever had a
 * shell.
 */
import { z } from 'zod';

export const QUARANTINE = 'encore-quarantine';

export const quarantineEvents = {
  /** Every reader passes over this one event from here on, at its own place, and reads those after it. */
  EventQuarantined: z.object({
    stream: z.string(),
    revision: z.number().int().nonnegative(),
    eventId: z.string(),
    /** The operator's words. */
    because: z.string().min(1),
    at: z.iso.datetime(),
  }),
} as const;

type QuarantineEventType = keyof typeof quarantineEvents;
export type QuarantineEvent = {
  [T in QuarantineEventType]: { type: T; data: z.infer<(typeof quarantineEvents)[T]> };
}[QuarantineEventType];
