/**
 * GET /api/events: server-sent events that tell a signed-in browser which of its lists have changed. Each
 * message is one {@link EventOut} as JSON; its id is the position. A list that is read after the message
 * shows the change.
 */
import { z } from 'zod';

/**
 * What can change, by the read that shows it. `user` is GET /api/auth/user: balance, totals, name. `settings`
 * are the passkeys, too, which stand beside them.
 */
export const Topic = z.enum([
  'user',
  'transactions',
  'subscriptions',
  'scheduled-payments',
  'payment-methods',
  'bank-accounts',
  'payouts',
  'treasury',
  'settings',
  'tip-page',
]);
export type Topic = z.infer<typeof Topic>;
export const ALL_TOPICS: readonly Topic[] = Topic.options;

/** Money has come in. Only for whoever has `transactionAlertsEnabled`. */
export const Alert = z.object({
  kind: z.literal('payment_received'),
  amount: z.string().describe('Decimal dollars, two decimals.'),
  counterpartyUsername: z.string().nullable(),
  counterpartyName: z
    .string()
    .nullable()
    .describe('First and last name; null while they have privacy mode on.'),
  note: z.string().optional().describe('What the payer wrote.'),
});
export type Alert = z.infer<typeof Alert>;

/**
 * One message. A first one without topics says that the stream stands; one with all of them says: read
 * everything again.
 */
export const EventOut = z.object({
  position: z.string().describe('The place in the log that the read models have passed.'),
  topics: z.array(Topic),
  alerts: z.array(Alert),
  lines: z
    .array(z.string())
    .optional()
    .describe(
      'Which transactions changed, up to 50: a list that shows more than its newest reads them again. Absent beside `transactions` where not all of them are named: it reads all again that it shows.',
    ),
  stale: z
    .boolean()
    .optional()
    .describe('Whether what is read may be out of date from now on; absent where that has not changed.'),
  closed: z
    .boolean()
    .optional()
    .describe('Beside stale: whether nothing is written, because the log has lost or hides something.'),
});
export type EventOut = z.infer<typeof EventOut>;

const LOADING_FOR = 'Send loadingForMs once, as a whole number of milliseconds.';

/**
 * The query. Browsers send Last-Event-ID when they come back by themselves; who opens the stream anew says it
 * here.
 */
export const EventsQuery = z.object({
  lastEventId: z
    .string({ error: 'Send lastEventId once.' })
    .max(100, 'The lastEventId is none that this stream gave out.')
    .optional(),
  /**
   * Of a page that opens its first stream: what changed since then may not be in the lists that it has read.
   */
  loadingForMs: z
    .string({ error: LOADING_FOR })
    .regex(/^\d{1,10}$/, LOADING_FOR)
    .transform(Number)
    .optional()
    .describe('How long ago, in milliseconds, the page began to read its lists.'),
});
export type EventsQuery = z.infer<typeof EventsQuery>;
