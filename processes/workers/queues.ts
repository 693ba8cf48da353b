/** The queues of a workers process: one for what is due, and one for each job that is run again and again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionOptions } from 'bullmq';
import type { Logger } from 'pino';
import type { InternalCommand } from '#contracts/api/internal';
import type { PassEnd } from '#workers/jobs/asking';
import type { JobContext, JobName } from '#workers/jobs/context';
import { JOBS } from '#workers/jobs/jobs';
import { LedgerAway } from '#workers/ledger-client';
import { DueQueue } from '#workers/queues/due-queue';
import { RepeatedQueue } from '#workers/queues/job-queue';
import type { Figures } from '../shell/figures.js';
import type { JobPace } from './attempts.js';

/**
 * How long a place of the queue rests after a job that an outage put off: all that is due would be asked for
 * at each scan.
 */
const OUTAGE_RESTS_MS = 2_000;

/** An outage is no try of anything, and nothing that somebody has to look into at each job. */
const isOutage = (error: unknown): boolean => error instanceof LedgerAway && error.isOutage;
const endedOf = (error: Error | undefined): string =>
  error === undefined ? 'well' : isOutage(error) ? 'put off' : 'badly';

interface QueueWorld {
  readonly connection: ConnectionOptions;
  readonly figures: Figures;
  readonly log: Logger;
}

interface DueWorld extends QueueWorld {
  readonly ask: (command: InternalCommand) => Promise<unknown>;
  readonly attempts: Pick<JobContext['attempts'], 'note'>;
}

/**
 * Asks the ledger for each schedule that is due. A job that ended well or badly was a try at its schedule.
 */
export function dueSchedulesQueue({ connection, figures, log, ask, attempts }: DueWorld): DueQueue {
  const ends = figures.counter(
    'encore_due_jobs_total',
    'Jobs for schedules that were due, by how they ended',
    ['ended'],
  );
  const collect = async (command: InternalCommand): Promise<void> => {
    try {
      await ask(command);
    } catch (error) {
      if (isOutage(error)) await pause(OUTAGE_RESTS_MS);
      throw error;
    }
  };
  return new DueQueue(collect, {
    connection,
    onTrouble: (error) => log.warn({ queue: 'due-schedules', why: error.message }, 'a queue is in trouble'),
    onEnd(job, error) {
      ends.inc({ ended: endedOf(error) });
      if (isOutage(error))
        return log.info({ job, why: error?.message }, 'put off by an outage; it is still due');
      if (error) log.warn({ job, why: error.message }, 'a schedule could not be seen to; it is still due');
      attempts.note(job).catch((trouble: Error) => log.warn({ why: trouble.message }, 'a try was not noted'));
    },
  });
}

interface RepeatedWorld extends QueueWorld {
  readonly everyMs: JobPace;
  readonly isLedgerAway: () => boolean;
  readonly contextOf: (job: JobName) => JobContext;
}

/** Makes each job's passes, at its pace; none while the ledger takes no commands. */
export function repeatedQueues(world: RepeatedWorld): readonly RepeatedQueue[] {
  const { connection, figures, log, everyMs, isLedgerAway, contextOf } = world;
  // The metric keeps the name that dashboards have.
  const ticks = figures.counter('encore_duty_ticks_total', 'Ticks of a job, by how they ended', [
    'duty',
    'ended',
  ]);
  const pass = (job: JobName): Promise<PassEnd> =>
    isLedgerAway()
      ? Promise.reject(new LedgerAway('The ledger takes no commands.', { isOutage: true }))
      : JOBS[job](contextOf(job));
  return (Object.keys(JOBS) as JobName[]).map((job) => {
    const onEnd = (_: string, error: Error | undefined): void => {
      ticks.inc({ duty: job, ended: endedOf(error) });
      if (error === undefined) log.debug({ job }, 'a tick ended well');
      else if (isOutage(error)) log.info({ job, why: error.message }, 'a tick was put off by an outage');
      else log.warn({ job, why: error.message }, 'a tick did not end well; the next one goes on from there');
    };
    return new RepeatedQueue(
      job,
      everyMs[job],
      () => pass(job),
      (error) => (isOutage(error) ? 'outage' : 'failed'),
      {
        connection,
        onTrouble: (error) => log.warn({ job, why: error.message }, 'a queue is in trouble'),
        onEnd,
      },
    );
  });
}
