/**
 * A handle, stream `handle-{handleKey}`: who claimed it, once and for all. The key derives from how the
 * handle looks, so that one that could be taken for it is the same stream; the handle itself stands sealed in
 * its owner's tip page.
 */
import { z } from 'zod';

export const HANDLE_PREFIX = 'handle-';
export const handleStream = (handleKey: string): string => `${HANDLE_PREFIX}${handleKey}`;

export const handleEvents = {
  /** Somebody took the handle. Nobody else ever gets it, also once they use another or are forgotten. */
  HandleClaimed: z.object({ handleKey: z.string(), userId: z.string() }),
} as const;

type HandleEventType = keyof typeof handleEvents;
export type HandleEvent = {
  [T in HandleEventType]: { type: T; data: z.infer<(typeof handleEvents)[T]> };
}[HandleEventType];
