/**
 * One queue of BullMQ with the one worker of this process that runs its jobs. Redis is an alarm clock: what
 * is lost of it is set again, or found due again.
 */
import { Queue, Worker, type ConnectionOptions, type Job, type KeepJobs, type WorkerOptions } from 'bullmq';
import { setTimeout as pause } from 'node:timers/promises';
import { inTime } from '#contracts/plain/in-time';
import type { PassEnd } from '../jobs/asking.js';
import type { JobName } from '../jobs/context.js';

export interface JobQueueOptions {
  readonly connection: ConnectionOptions;
  /** Told of every job that ended: its id, and why it ended badly, if it did. */
  readonly onEnd: (jobId: string, error: Error | undefined) => void;
  /** Told of Redis' own troubles. */
  readonly onTrouble: (error: Error) => void;
}

interface QueueShape {
  readonly name: string;
  readonly run: (job: Job) => Promise<void>;
  /** What stays of jobs that ended. */
  readonly kept: { readonly removeOnComplete: boolean; readonly removeOnFail: boolean | number | KeepJobs };
  readonly worker: Omit<WorkerOptions, 'connection' | 'autorun'>;
}

/** How long Redis is left alone after it refused to hand out a job. */
const REFUSED_MS = 5_000;
/** A Redis that answers nothing for so long is away. */
const ANSWERS_WITHIN_MS = 1_000;

/**
 * A worker that waits after Redis refused (it is full, cannot write or is read-only). BullMQ alone would ask
 * again at once, thousands of times a second, each with a line in the log.
 */
class PatientWorker extends Worker {
  /** Set after construction: BullMQ's constructor takes no options of ours. */
  refusedMs = REFUSED_MS;

  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await pause(this.refusedMs);
      throw error;
    }
  }
}

export class JobQueue {
  /** To be watched by operators. */
  readonly queue: Queue;
  readonly #worker: PatientWorker;
  readonly #running = new Set<Promise<void>>();

  constructor(
    { name, run, kept, worker }: QueueShape,
    protected readonly options: JobQueueOptions,
    refusedMs = REFUSED_MS,
  ) {
    const { connection, onEnd, onTrouble } = options;
    this.queue = new Queue(name, { connection, defaultJobOptions: kept });
    const noted = (job: Job): Promise<void> => {
      const running = run(job).finally(() => this.#running.delete(running));
      this.#running.add(running);
      return running;
    };
    this.#worker = new PatientWorker(name, noted, { connection, autorun: false, ...worker });
    this.#worker.refusedMs = refusedMs;
    this.#worker.on('completed', (job) => onEnd(job.id ?? '', undefined));
    this.#worker.on('failed', (job, error) => onEnd(job?.id ?? '', error));
    this.#worker.on('error', onTrouble);
    this.queue.on('error', onTrouble);
  }

  start(): Promise<void> {
    this.#worker.run().catch(this.options.onTrouble);
    return Promise.resolve();
  }

  /**
   * Lets the jobs that run end, and takes no other. Of a Redis that is away BullMQ would wait for an answer,
   * and does not end where it comes back either (https://github.com/taskforcesh/bullmq/issues/4656).
   */
  async close(): Promise<void> {
    if (await this.#answers()) {
      await this.#worker.close();
      await this.queue.close();
      return;
    }
    await this.#worker.close(true);
    await Promise.allSettled(this.#running);
    await this.queue.backend.close(true);
  }

  #answers(): Promise<boolean> {
    const answer = this.queue.getWaitingCount().then(
      () => true,
      () => false,
    );
    return inTime<boolean>(ANSWERS_WITHIN_MS, answer, false);
  }
}

const KEPT = { removeOnComplete: true, removeOnFail: 10 } as const;

/** How a pass may end, and how soon the next one follows where that is sooner than the regular one. */
type PassOutcome = 'done' | 'more' | 'outage' | 'failed';
const SOONER_MS: Readonly<Record<PassOutcome, number | undefined>> = {
  done: undefined,
  more: 0,
  outage: 2_000,
  failed: 60_000,
};

/** In how long the next pass is to be made, before its regular time; undefined where that is soon enough. */
export function nextPassInMs(ended: PassOutcome, everyMs: number): number | undefined {
  const soonerMs = SOONER_MS[ended];
  return soonerMs !== undefined && soonerMs < everyMs ? soonerMs : undefined;
}

/**
 * Whether an alarm rings in time. One that was passed over rings no more; one that a clock set which was
 * ahead rings when the time has caught up with that clock.
 */
export const isOnTime = (nextMs: number, everyMs: number, nowMs: number): boolean =>
  Math.abs(nextMs - nowMs) < 2 * everyMs;

/** A job that is run every so often, and sooner where it was not done. */
export class RepeatedQueue extends JobQueue {
  #next: NodeJS.Timeout | undefined;

  /** `outcomeOf` says how a pass that threw ended; `refusedMs` is shorter in suites alone. */
  constructor(
    private readonly job: JobName,
    private readonly everyMs: number,
    run: () => Promise<PassEnd>,
    outcomeOf: (error: unknown) => PassOutcome,
    options: JobQueueOptions,
    refusedMs = REFUSED_MS,
  ) {
    const pass = async (): Promise<void> => {
      let ended: PassOutcome = 'failed';
      try {
        ended = await run();
      } catch (error) {
        ended = outcomeOf(error);
        throw error;
      } finally {
        this.#passAgain(nextPassInMs(ended, everyMs));
      }
    };
    // One at a time: two passes at once do no harm, and no good.
    super({ name: `encore-${job}`, run: pass, kept: KEPT, worker: { concurrency: 1 } }, options, refusedMs);
  }

  /** Begins to work, with a first pass at once: what happened while nobody looked is looked at first. */
  override async start(): Promise<void> {
    await super.start();
    await this.passNow();
    await this.keepScheduled();
  }

  override async close(): Promise<void> {
    clearTimeout(this.#next);
    await super.close();
    clearTimeout(this.#next);
  }

  /**
   * Makes a pass now, beside the regular ones. One that waits already is enough: as the ledger comes and goes
   * while none is made, they would pile up, and all be made later.
   */
  async passNow(): Promise<void> {
    if ((await this.queue.getWaitingCount()) === 0) await this.queue.add(this.job, {});
  }

  /** Sets the alarm if Redis has lost it. Called on a timer; one that is set and on time is left alone. */
  async keepScheduled(): Promise<void> {
    const { job: name, everyMs } = this;
    const scheduler = await this.queue.getJobScheduler(name);
    const nextMs = scheduler?.next ?? 0;
    const isKnown = scheduler?.every === everyMs && isOnTime(nextMs, everyMs, Date.now());
    if (isKnown && (await this.#hasJob())) return;
    // BullMQ counts on from the alarm before, also from one that is a year ahead.
    if (nextMs > Date.now()) await this.queue.removeJobScheduler(name);
    await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: KEPT });
  }

  /**
   * BullMQ makes the next job when one begins. If Redis had no room for it, the scheduler exists and has no
   * job.
   */
  async #hasJob(): Promise<boolean> {
    const counts = await this.queue.getJobCounts('delayed', 'waiting', 'prioritized', 'active');
    return Object.values(counts).some((count) => count > 0);
  }

  #passAgain(inMs: number | undefined): void {
    clearTimeout(this.#next);
    if (inMs === undefined) return;
    this.#next = setTimeout(() => void this.passNow().catch(this.options.onTrouble), inMs);
    this.#next.unref();
  }
}
