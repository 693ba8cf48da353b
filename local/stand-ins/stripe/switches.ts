/**
 * Failures on purpose, for suites: what goes wrong, where, and how often. They last until reset, also over a
 * restart.
 */
import { z } from 'zod';

const DAY_MS = 86_400_000;

const fault = z.strictObject({
  /** A route of the table, such as `POST /v1/payment_intents/:id/confirm`, or `*`. */
  route: z.string().min(1),
  /** `after`: the work is done and kept, only its answer is spoilt. */
  when: z.enum(['before', 'after']),
  /** `hang` never answers, `close` ends the connection, `delay` waits `delayMs` and then goes on as usual. */
  what: z.enum(['error', 'rate_limit', 'hang', 'close', 'delay']),
  delayMs: z.number().int().min(0).max(120_000).default(0),
  times: z.number().int().min(1).max(1_000_000).default(1),
});

/** Everything is optional: what is not sent is off. */
export const switchesSchema = z.strictObject({
  faults: z.array(fault).max(100).default([]),
  webhooks: z
    .strictObject({
      /** Nothing is sent; what is owed stays owed. */
      paused: z.boolean().default(false),
      /** Each event is sent this many times more. */
      duplicates: z.number().int().min(0).max(20).default(0),
      shuffle: z.boolean().default(false),
      delayMs: z.number().int().min(0).max(86_400_000).default(0),
    })
    .prefault({}),
  /** How long a confirmed payment stays `processing`; 0 settles at once, as cards do. */
  processingMs: z.number().int().min(0).max(86_400_000).default(0),
  /**
   * How long a charge has no balance transaction yet (`capture_method: automatic_async`); 0 makes it at once.
   */
  balanceTransactionMs: z.number().int().min(0).max(86_400_000).default(0),
  /**
   * How long the funds of a new charge are pending; 0 has them available at once. At the provider it is two
   * days.
   */
  chargeFundsPendingMs: z
    .number()
    .int()
    .min(0)
    .max(30 * DAY_MS)
    .default(0),
  payouts: z
    .strictObject({
      /** From its creation until a payout is paid or fails; half of it is in transit. */
      settleMs: z
        .number()
        .int()
        .min(0)
        .max(30 * DAY_MS)
        .default(1000),
      /** From `paid` until the bank returns the money, for the accounts that do. */
      returnMs: z
        .number()
        .int()
        .min(0)
        .max(30 * DAY_MS)
        .default(2000),
    })
    .prefault({}),
});

export type Fault = z.infer<typeof fault>;
export type Switches = z.infer<typeof switchesSchema>;
export const NO_SWITCHES: Switches = switchesSchema.parse({});
