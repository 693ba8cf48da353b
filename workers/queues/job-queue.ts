/**
 * One duty on BullMQ: a scheduler that makes a tick every so often, and one worker that runs it. Redis is an
 * alarm clock: whatever is lost of it is set again by `keepScheduled`.
 */
import { Queue, Worker, type ConnectionOptions } from 'bullmq';
import type { DutyName } from '../jobs/jobs.js';

export interface DutyQueueOptions {
  readonly duty: DutyName;
  readonly everyMs: number;
  readonly connection: ConnectionOptions;
  readonly run: () => Promise<void>;
  /** Told of every end of a tick, and of Redis' own troubles. */
  readonly onEnd: (error: Error | undefined) => void;
  readonly onTrouble: (error: Error) => void;
}

const KEPT = { removeOnComplete: true, removeOnFail: 10 } as const;

export class DutyQueue {
  /** To be watched by operators. */
  readonly queue: Queue;
  readonly #worker: Worker;

  constructor(private readonly options: DutyQueueOptions) {
    const { duty, connection, run, onEnd, onTrouble } = options;
    this.queue = new Queue(`encore-${duty}`, { connection, defaultJobOptions: KEPT });
    // One at a time: two passes at once do no harm, and no good.
    this.#worker = new Worker(`encore-${duty}`, () => run(), { connection, concurrency: 1, autorun: false });
    this.#worker.on('completed', () => onEnd(undefined));
    this.#worker.on('failed', (_, error) => onEnd(error));
    this.#worker.on('error', onTrouble);
    this.queue.on('error', onTrouble);
  }

  /** Begins to work, with a first pass at once: what happened while nobody looked is looked at first. */
  async start(): Promise<void> {
    this.#worker.run().catch(this.options.onTrouble);
    await this.queue.add(this.options.duty, {});
    await this.keepScheduled();
  }

  /** Sets the alarm if Redis has lost it. Called on a timer; one that is set and on time is left alone. */
  async keepScheduled(): Promise<void> {
    const { duty, everyMs } = this.options;
    const scheduler = await this.queue.getJobScheduler(duty);
    const isOnTime = scheduler?.every === everyMs && (scheduler.next ?? 0) > Date.now() - 2 * everyMs;
    if (!isOnTime) await this.queue.upsertJobScheduler(duty, { every: everyMs }, { name: duty, opts: KEPT });
  }

  /** Lets the tick that runs end, and takes no other. */
  async close(): Promise<void> {
    await this.#worker.close();
    await this.queue.close();
  }
}
