/** How often each job is run, and how long what stays as it was is left alone. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Configuration } from '#contracts/configuration';
import { STUCK_AFTER_TRIES } from '#workers/jobs/back-off';
import type { JobContext, JobName } from '#workers/jobs/context';
import { Attempts } from '#workers/queues/attempts';

const MINUTE_MS = 60_000;
/** What is due, or what a job could not look into, is looked at again at least this often. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** A refund of unapplied money that does not work is tried again at least this often. */
const LONGEST_REFUND_WAIT_MS = 6 * 60 * MINUTE_MS;

type JobAttempts = JobContext['attempts'];
export type JobPace = Readonly<Record<JobName, number>>;

/** How often each job is run, in ms. */
export function everyMsOf(
  settings: Configuration<
    'CARE_EVERY_SECONDS' | 'RECONCILE_EVERY_MINUTES' | 'SCHEDULES_EVERY_SECONDS' | 'MAIL_EVERY_SECONDS'
  >,
): JobPace {
  const sweepMs = settings.CARE_EVERY_SECONDS * 1000;
  const reconcileMs = settings.RECONCILE_EVERY_MINUTES * MINUTE_MS;
  return {
    reconcile: reconcileMs,
    'refund-unapplied': sweepMs,
    'care-for-payments': sweepMs,
    'find-due-schedules': settings.SCHEDULES_EVERY_SECONDS * 1000,
    'reconcile-payouts': reconcileMs,
    'advance-payouts': sweepMs,
    'care-for-bank-accounts': sweepMs,
    'compare-provider-balance': reconcileMs,
    'finish-forgetting': reconcileMs,
    'send-mails': settings.MAIL_EVERY_SECONDS * 1000,
    'forget-who-asked': sweepMs,
  };
}

/** The attempts of each job at what it finds, kept in Redis. Too many at one thing are a warning. */
export function attemptsIn(redis: Redis, everyMs: JobPace, log: Logger): (job: JobName) => JobAttempts {
  const attemptsAt = (store: string, kind: string, firstMs: number, longestMs: number): JobAttempts => {
    const attempts = new Attempts(redis, store, { firstMs, longestMs });
    return {
      due: (names) => attempts.due(names),
      done: (name) => attempts.done(name),
      async note(name) {
        const last = await attempts.note(name);
        if (last.tries >= STUCK_AFTER_TRIES)
          log.warn({ [kind]: name, ...last }, 'it was tried again and again and stays as it was');
      },
    };
  };
  return (job) => {
    const soonMs = Math.min(everyMs[job], MINUTE_MS);
    if (job === 'find-due-schedules') return attemptsAt('schedule', 'job', everyMs[job], LONGEST_WAIT_MS);
    if (job === 'refund-unapplied') return attemptsAt('refund', 'chargeId', soonMs, LONGEST_REFUND_WAIT_MS);
    return attemptsAt(job, 'item', soonMs, LONGEST_WAIT_MS);
  };
}
