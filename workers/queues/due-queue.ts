/**
 * Jobs for what is due. Redis holds no truth: a job is a copy of what the read model says, and one that is
 * lost is found due again at the next scan. A job that ended is forgotten at once, so that what is still due
 * then is asked again.
 */
import { Queue, Worker, type ConnectionOptions } from 'bullmq';
import { InternalCommand } from '#contracts/api/internal';
import { commandFor, jobIdOf, type DueSchedule } from '../jobs/due-schedules.js';

const NAME = 'encore-due-schedules';
const KEPT = { removeOnComplete: true, removeOnFail: true } as const;
/** Asked of the ledger at a time, by one process. */
const AT_A_TIME = 8;
/** How soon a job of a process that died is taken up by another one. */
const LOCK_MS = 15_000;
const STALLED_MS = 5_000;

export interface DueQueueOptions {
  readonly connection: ConnectionOptions;
  readonly run: (command: InternalCommand) => Promise<void>;
  /** Told of every job that ended: what was asked, under which id, and why it ended badly, if it did. */
  readonly onEnd: (jobId: string, error: Error | undefined) => void;
  readonly onTrouble: (error: Error) => void;
}

export class DueQueue {
  /** For operators to look at. */
  readonly queue: Queue;
  readonly #worker: Worker;

  constructor({ connection, run, onEnd, onTrouble }: DueQueueOptions) {
    this.queue = new Queue(NAME, { connection, defaultJobOptions: KEPT });
    this.#worker = new Worker(NAME, (job) => run(InternalCommand.parse(job.data)), {
      connection,
      concurrency: AT_A_TIME,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      autorun: false,
    });
    this.#worker.on('completed', (job) => onEnd(job.id ?? '', undefined));
    this.#worker.on('failed', (job, error) => onEnd(job?.id ?? '', error));
    this.#worker.on('error', onTrouble);
    this.queue.on('error', onTrouble);
  }

  start(onTrouble: (error: Error) => void): void {
    this.#worker.run().catch(onTrouble);
  }

  async add(dues: readonly DueSchedule[]): Promise<void> {
    await this.queue.addBulk(
      dues.map((due) => ({ name: 'collect', data: commandFor(due), opts: { jobId: jobIdOf(due) } })),
    );
  }

  /** Lets the jobs that run end, and takes no other. */
  async close(): Promise<void> {
    await this.#worker.close();
    await this.queue.close();
  }
}
