/**
 * What each job is given: pages of what the read models say, the marks of comparisons, and the ledger to ask.
 */
import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { ACCOUNTS_AT_ONCE, type InternalCommand } from '#contracts/api/internal';
import { providerAccounts, stuckBankAccounts } from '#projections/bank-accounts/queries';
import { payoutFunds } from '#projections/payouts/funds';
import { unfinishedPayouts } from '#projections/payouts/queries';
import { dueSchedules, halfForgotten } from '#projections/schedules/queries';
import { unresolvedPaymentsBefore } from '#projections/transactions/queries';
import { unappliedCharges } from '#projections/unapplied/queries';
import { dueToBeForgotten } from '#projections/users/queries';
import type { JobContext, JobName } from '#workers/jobs/context';
import { Marks } from '#workers/queues/marks';

const PAGE = 200;
/**
 * For lists that each pass reads to their end: with every page of payouts Postgres sums up their whole queue
 * anew.
 */
const LONG_PAGE = 1_000;
/** A bank account that was submitted so long ago is looked after; no request is still at work on it. */
const STUCK_AFTER_MS = 11 * 60_000;

/**
 * Jobs that look for what is due at a time that people were told: they go by the clock that suites can move.
 */
const BY_MOVED_CLOCK: ReadonlySet<JobName> = new Set<JobName>(['find-due-schedules', 'forget-who-asked']);

/** Asks the ledger, and counts and notes it. */
export type Ask = (
  command: InternalCommand,
  about: { readonly correlationId: string; readonly job?: JobName },
) => ReturnType<JobContext['ask']>;

interface JobWorld extends Pick<JobContext, 'mail' | 'payoutRetryMs' | 'enqueue'> {
  readonly reads: pg.Pool;
  readonly redis: Redis;
  /** The time that schedules go by. */
  readonly scheduleNow: () => Date;
  readonly ask: Ask;
  readonly attemptsOf: (job: JobName) => JobContext['attempts'];
  readonly log: Logger;
}

/** Makes what one pass of a job is given; all that it asks is told under one correlation. */
export function jobContexts(world: JobWorld): (job: JobName) => JobContext {
  const { mail, payoutRetryMs, enqueue, reads, scheduleNow, ask, attemptsOf, log } = world;
  const marks = new Marks(world.redis);
  return (job) => {
    const about = { correlationId: uuidv7(), job };
    return {
      mail,
      now: BY_MOVED_CLOCK.has(job) ? scheduleNow : () => new Date(),
      marks,
      ask: (command) => ask(command, about),
      attempts: attemptsOf(job),
      unappliedCharges: (after) => unappliedCharges(reads, PAGE, after),
      unresolvedPayments: (after) => unresolvedPaymentsBefore(reads, new Date(), LONG_PAGE, after),
      unfinishedPayouts: async (after) =>
        unfinishedPayouts(reads, LONG_PAGE, after?.id, (await payoutFunds(reads)).availableMinor),
      payoutAccounts: (after) => providerAccounts(reads, ACCOUNTS_AT_ONCE, after?.userId),
      payoutRetryMs,
      usersWithStuckBankAccounts: (afterId) =>
        stuckBankAccounts(reads, new Date(Date.now() - STUCK_AFTER_MS), PAGE, afterId),
      dueToBeForgotten: (now, afterId) => dueToBeForgotten(reads, now, PAGE, afterId),
      halfForgotten: (afterId) => halfForgotten(reads, PAGE, afterId),
      dueSchedules: (now, after) => dueSchedules(reads, now, PAGE, after),
      enqueue,
      declined: (command, error) =>
        log.warn({ ...about, command, why: error.message }, 'the ledger declined'),
    };
  };
}
