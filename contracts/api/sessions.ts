/** The calls about where a user is signed in. */
import { z } from 'zod';

/** One line of GET /api/sessions. */
export const Session = z.object({
  id: z.string(),
  device: z.string().nullable().describe('Such as “Chrome on Android”; null where it is not known.'),
  kind: z.enum(['phone', 'tablet', 'computer', 'unknown']),
  address: z.string().nullable().describe('The IP address without its last part: /24, of IPv6 /48.'),
  place: z.string().nullable().describe('A city or country; null where no file of places is set.'),
  signedInAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().describe('To within a few minutes.'),
  isCurrent: z.boolean().describe('Whether this very call was made in it.'),
});
export type Session = z.infer<typeof Session>;

/** POST /api/sessions/end-others: how many others there were. */
export const EndedSessions = z.object({ ended: z.number().int().nonnegative() });
export type EndedSessions = z.infer<typeof EndedSessions>;
