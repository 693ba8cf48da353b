/**
 * Jobs for what is due. Redis holds no truth: a job is a copy of what the read model says, and one that is
 * lost is found due again at the next scan. A job that ended is forgotten at once, so that what is still due
 * then is asked again.
 */
import { InternalCommand } from '#contracts/api/internal';
import type { DueSchedule } from '#projections/schedules/queries';
import { commandFor, jobIdOf } from '../jobs/due-schedules.js';
import { JobQueue, type JobQueueOptions } from './job-queue.js';

/** Asked of the ledger at a time, by one process. */
const AT_A_TIME = 8;
/** How soon a job of a process that died is taken up by another one. */
const LOCK_MS = 15_000;
const STALLED_MS = 5_000;
/** BullMQ takes jobs without a priority first. */
const RETRY_PRIORITY = 1;

export class DueQueue extends JobQueue {
  constructor(run: (command: InternalCommand) => Promise<void>, options: JobQueueOptions) {
    super(
      {
        name: 'encore-due-schedules',
        run: (job) => run(InternalCommand.parse(job.data)),
        kept: { removeOnComplete: true, removeOnFail: true },
        worker: { concurrency: AT_A_TIME, lockDuration: LOCK_MS, stalledInterval: STALLED_MS },
      },
      options,
    );
  }

  /** What was tried in vain before comes after what was not: it keeps no other waiting. */
  async add(dues: readonly DueSchedule[], isRetry: boolean): Promise<void> {
    const priority = isRetry ? RETRY_PRIORITY : 0;
    await this.queue.addBulk(
      dues.map((due) => ({
        name: 'collect',
        data: commandFor(due),
        opts: { jobId: jobIdOf(due), priority },
      })),
    );
  }
}
