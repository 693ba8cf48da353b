/**
 * A person's public tip page, stream `tip-page-{userId}`: under which handle it stands, what it says, and
 * whether it is published. What its owner wrote is sealed with their key; what is published is shown to
 * everybody.
 */
import { z } from 'zod';
import { Sealed } from './journal.js';

export const TIP_PAGE_PREFIX = 'tip-page-';
export const tipPageStream = (userId: string): string => `${TIP_PAGE_PREFIX}${userId}`;

export const tipPageEvents = {
  /** Its owner asks for a handle that was free. It counts as one of theirs before it is claimed. */
  TipPageHandleRequested: z.object({ userId: z.string(), handleKey: z.string() }),
  /** The page stands under this handle from now on, which its owner has claimed. Older ones lead to it. */
  TipPageHandleChosen: z.object({
    userId: z.string(),
    handleKey: z.string(),
    exactKey: z.string(),
    handle: Sealed,
  }),
  /** What the page says, and whether search engines may list it. */
  TipPageDescribed: z.object({
    userId: z.string(),
    words: Sealed,
    isListed: z.boolean(),
    fingerprint: z.string(),
  }),
  /** Everybody can open the page and pay its owner. */
  TipPagePublished: z.object({ userId: z.string() }),
  /** Nobody but its owner can open the page. */
  TipPageUnpublished: z.object({ userId: z.string() }),
} as const;

/** The plain content of a page's sealed words. */
export const TipPageWords = z.object({ stageName: z.string(), line: z.string() });
export type TipPageWords = z.infer<typeof TipPageWords>;

type TipPageEventType = keyof typeof tipPageEvents;
export type TipPageEvent = {
  [T in TipPageEventType]: { type: T; data: z.infer<(typeof tipPageEvents)[T]> };
}[TipPageEventType];
