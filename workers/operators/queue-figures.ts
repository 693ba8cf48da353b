/**
 * What /metrics tells of the queues: how many jobs are in each state, and how long the oldest one that could
 * run has waited. Read when somebody scrapes; what Redis does not answer in time is left out of that scrape,
 * for a figure that is old looks like a good one.
 */
import type { Queue } from 'bullmq';
import { Gauge, type Registry } from 'prom-client';
import { inTime } from '#contracts/plain/in-time';

/** The part of a BullMQ queue that is read. */
type WatchedQueue = Pick<Queue, 'name' | 'getJobCounts' | 'getWaiting'>;

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
/** The client waits for a Redis that is away for as long as it takes; whoever scrapes does not. */
const ANSWERS_WITHIN_MS = 1_000;

/** Undefined where Redis gave none in time, or an error. */
const inASecond = <T>(answer: Promise<T>): Promise<T | undefined> =>
  inTime<T | undefined>(
    ANSWERS_WITHIN_MS,
    answer.catch(() => undefined),
    undefined,
  );

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
          const counts = await inASecond(queue.getJobCounts(...STATES));
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
          const waiting = await inASecond(queue.getWaiting(0, 0));
          if (!waiting) return;
          const [oldest] = waiting;
          const since = oldest ? oldest.timestamp + (oldest.delay ?? 0) : now();
          this.set({ queue: queue.name }, Math.max(0, (now() - since) / 1000));
        }),
      );
    },
  });
}
