// Figures and page of the queues: the figures over a real Redis, the page as the workers' process serves it.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { Registry } from 'prom-client';
import { useStack } from '#test/support/stack';
import { watchQueues } from './queue-figures.js';

let queue: Queue;
// Before the stack's own end, which takes Redis away.
afterAll(() => queue.close());
const stack = useStack(['redis', 'postgres', 'workers']);
const NOW = Date.parse('2026-03-01T20:00:00Z');

beforeAll(async () => {
  const { hostname, port } = new URL(stack().env.REDIS_URL!);
  queue = new Queue('encore-spec', { connection: { host: hostname, port: Number(port) } });
  await queue.add('older', { scheduleId: 'sch_1' }, { timestamp: NOW - 90_000 });
  await queue.add('newer', {}, { timestamp: NOW - 10_000 });
  await queue.add('later', {}, { delay: 3_600_000 });
});

describe('the figures of the queues', () => {
  it('tell how many jobs there are in each state, and how long the oldest has waited', async () => {
    const registry = new Registry();
    watchQueues(registry, [queue], () => NOW);
    const text = await registry.metrics();
    expect(text).toContain('encore_queue_jobs{queue="encore-spec",state="waiting"} 2');
    expect(text).toContain('encore_queue_jobs{queue="encore-spec",state="delayed"} 1');
    expect(text).toContain('encore_queue_jobs{queue="encore-spec",state="failed"} 0');
    expect(text).toContain('encore_queue_lag_seconds{queue="encore-spec"} 90');
  });

  it('leave out what cannot be read, and say the rest', async () => {
    const registry = new Registry();
    const away = {
      name: 'away',
      getJobCounts: () => new Promise<never>(() => undefined),
      getWaiting: () => Promise.reject(new Error('away')),
    };
    watchQueues(registry, [away, queue], () => NOW);
    const text = await registry.metrics();
    expect(text).not.toContain('queue="away"');
    expect(text).toContain('encore_queue_lag_seconds{queue="encore-spec"} 90');
  });
});

describe('the workers’ process', () => {
  it('tells the figures of its queues', async () => {
    const text = await (await fetch(`http://127.0.0.1:${stack().ports.workers}/metrics`)).text();
    for (const job of ['reconcile', 'refund-unapplied', 'care-for-payments'])
      expect(text).toMatch(
        new RegExp(`^encore_queue_jobs\\{queue="encore-${job}",state="delayed"\\} \\d+$`, 'm'),
      );
    expect(text).toMatch(/^encore_queue_lag_seconds\{queue="encore-reconcile"\} [\d.]+$/m);
  });
});

describe('the page of the queues', () => {
  const at = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${stack().ports.queues}${path}`, init);

  it('is a page on this machine, and shows the queues', async () => {
    const page = await at('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
    expect(await page.text()).toContain('Encore: queues');
    const found = await at('/api/queues?activeQueue=encore-reconcile&status=latest&page=1');
    expect(await found.text()).toContain('encore-reconcile');
  });

  it('changes nothing, whatever is asked', async () => {
    for (const path of ['/api/queues/encore-reconcile/pause', '/api/queues/encore-reconcile/obliterate'])
      expect((await at(path, { method: 'PUT' })).status).toBe(405);
  });

  it('is not for a site that has its name lead here', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(
        { host: '127.0.0.1', port: stack().ports.queues, path: '/', headers: { host: 'evil.example' } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });
});
