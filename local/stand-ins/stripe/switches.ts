/**
 * Failures on purpose, for suites: what goes wrong, where, and how often. They last until reset, also over a
 * restart.
 */
import { z } from 'zod';

const DAY_MS = 86_400_000;

/** A place in an answer: `metadata`, `requirements.currently_due`, `data.*.metadata` for each of a list. */
const place = z.string().regex(/^[\w*]+(\.[\w*]+)*$/);

/** What is answered instead of, or changed in, what would have been. */
const rewrite = z.strictObject({
  status: z.number().int().min(200).max(599).optional(),
  /** The whole body; without it the body is the one that would have been, changed as below. */
  body: z.unknown().optional(),
  /** Places that are taken out. */
  without: z.array(place).max(100).default([]),
  /** Places that are given another value. */
  set: z.record(place, z.unknown()).default({}),
  /**
   * With `before`: an idempotency key remembers this answer, as it does once an endpoint has begun its work.
   */
  isKept: z.boolean().default(false),
});

const fault = z.strictObject({
  /** A route of the table, such as `POST /v1/payment_intents/:id/confirm`, or `*`. */
  route: z.string().min(1),
  /** `after`: the work is done and kept, only its answer is spoilt. */
  when: z.enum(['before', 'after']),
  /**
   * `lock` is a 429 about this one object; `hang` never answers, `close` ends the connection, `delay` waits
   * `delayMs` and then goes on as usual; `answer` answers what `answer` says.
   */
  what: z.enum(['error', 'rate_limit', 'lock', 'hang', 'close', 'delay', 'answer']),
  delayMs: z.number().int().min(0).max(120_000).default(0),
  answer: rewrite.prefault({}),
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
  /**
   * Requests a second with the secret key, all of them and those to one route; what is more is answered 429.
   * 0 is no limit. At the provider they are 100 and 25, in a sandbox 25 and 25.
   */
  rateLimits: z
    .strictObject({
      total: z.number().int().min(0).max(10_000).default(0),
      endpoint: z.number().int().min(0).max(10_000).default(0),
    })
    .prefault({}),
  /**
   * Whatever is confirmed with the secret key needs a `return_url`, a card too: the provider asks for one
   * where methods that its Dashboard has active might redirect
   * (https://docs.stripe.com/api/payment_intents/confirm).
   */
  needsReturnUrl: z.boolean().default(false),
  /**
   * Ways to pay that the account does not have active: they are left out, and where none is left, nothing is
   * made.
   */
  inactive: z.array(z.enum(['card', 'cashapp'])).default([]),
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

export type Rewrite = z.infer<typeof rewrite>;
export type Fault = z.infer<typeof fault>;
export type Switches = z.infer<typeof switchesSchema>;
export const NO_SWITCHES: Switches = switchesSchema.parse({});
