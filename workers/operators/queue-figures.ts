/**
 * What /metrics tells of the queues: how many jobs are in each state, and how long the oldest one that could
 * run has waited. Read when somebody scrapes; what Redis does not answer in time is left out of that scrape,
 * for a figure that is old looks like a good one.
 */
import type { Queue } from 'bullmq';
import { Gauge, type Registry } from 'prom-client';

/** The part of a BullMQ queue that is read. */
type WatchedQueue = Pick<Queue, 'name' | 'getJobCounts' | 'getWaiting'>;

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** The client waits for a Redis that is away for as long as it takes; whoever scrapes does not. */
const ANSWERS_WITHIN_MS = 1_000;

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer in time')), ANSWERS_WITHIN_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the figures of all queues to the registry. */
export function watchQueues(
  registry: Registry,
  queues: readonly WatchedQueue[],
  now: () => number = Date.now,
): void {
  const registers = [registry];
  new Gauge({
    name: 'encore_queue_jobs',
    help: 'Jobs of a queue, by state',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      this.reset();
      await Promise.all(
        queues.map(async (queue) => {
          const counts = await inTime(queue.getJobCounts(...STATES)).catch(() => undefined);
          for (const state of counts ? STATES : [])
            this.set({ queue: queue.name, state }, counts?.[state] ?? 0);
        }),
      );
    },
  });
  new Gauge({
    name: 'encore_queue_lag_seconds',
    help: 'How long the oldest job that could run has waited; 0 when none waits',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset();
      await Promise.all(
        queues.map(async (queue) => {
          // The list's end is taken first, and BullMQ counts it from there.
          const waiting = await inTime(queue.getWaiting(0, 0)).catch(() => undefined);
          if (!waiting) return;
          const [oldest] = waiting;
          const since = oldest ? oldest.timestamp + (oldest.delay ?? 0) : now();
          this.set({ queue: queue.name }, Math.max(0, (now() - since) / 1000));
        }),
      );
    },
  });
}
