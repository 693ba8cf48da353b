/** Mails between a ledger, which knows what is to be mailed, and the workers, which send it. */
import { z } from 'zod';

/** So many mails are handed out at once. */
export const MAILS_AT_ONCE = 20;

export const Mail = z.object({
  id: z.string(),
  /** The same however often this mail is sent. */
  messageId: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
});
export type Mail = z.infer<typeof Mail>;

/**
 * What became of a mail. `put-off`: not taken now, tried again later and later. `server-away`: the mail
 * server did not answer at all, which is no attempt at this mail. `address-refused` and `refused` are for
 * good. `unknown`: it may have been taken.
 */
export const MailOutcome = z.object({
  id: z.string().min(1).max(100),
  outcome: z.enum(['sent', 'put-off', 'server-away', 'address-refused', 'refused', 'unknown']),
  /** What the mail server answered. */
  code: z.number().int().optional(),
});
export type MailOutcome = z.infer<typeof MailOutcome>;
