/**
 * Somebody who paid without an account, stream `guest-{guestId}`: what became of their receipt. Most guests
 * have no such stream: who they are stands sealed in their payment.
 */
import { z } from 'zod';

export const GUEST_PREFIX = 'guest-';
export const guestStream = (guestId: string): string => `${GUEST_PREFIX}${guestId}`;

export const guestEvents = {
  /**
   * A signed-in user showed the guest's receipt link: what the guest paid is in that user's list from now on.
   */
  GuestTipsClaimed: z.object({ guestId: z.string(), userId: z.string() }),
  /**
   * The guest asked to be forgotten: their data key is destroyed, name and notes become unreadable for ever.
   */
  GuestForgotten: z.object({ guestId: z.string() }),
} as const;

type GuestEventType = keyof typeof guestEvents;
export type GuestEvent = {
  [T in GuestEventType]: { type: T; data: z.infer<(typeof guestEvents)[T]> };
}[GuestEventType];
