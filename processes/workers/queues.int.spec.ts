/** Jobs for what is due while no ledger can do anything: for as long as that lasts they are tried gently. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { DueSchedule } from '#projections/schedules/queries';
import { useStack } from '#test/support/stack';
import { LedgerAway } from '#workers/ledger-client';
import { Figures } from '../shell/figures.js';
import { queueConnection } from '../shell/redis-connection.js';
import { dueSchedulesQueue } from './queues.js';

const stack = useStack(['redis']);

const dueOf = (n: number): DueSchedule => ({
  id: `sub_${n}`,
  kind: 'subscription',
  dueAt: new Date(0),
  attempt: 1,
  wakeAt: new Date(n),
});

it('hundreds of due schedules are not asked for over and over in an outage, and all of them after it', async () => {
  let asked = 0;
  let isAway = true;
  const collected = new Set<string>();
  const queue = dueSchedulesQueue({
    connection: queueConnection(`redis://127.0.0.1:${stack().ports.redis}`),
    figures: new Figures(),
    log: pino({ level: 'silent' }),
    attempts: { note: () => Promise.resolve() },
    ask(command) {
      asked += 1;
      if (isAway) return Promise.reject(new LedgerAway('Not now.', { isOutage: true }));
      if (command.type === 'CollectDue') collected.add(command.scheduleId);
      return Promise.resolve();
    },
  });
  await queue.start();
  const dues = Array.from({ length: 300 }, (_, n) => dueOf(n));
  await queue.add(dues, false);
  await pause(1_000);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(20);
  isAway = false;
  // As the next scan does with what is still due.
  await queue.add(dues, false);
  for (let waits = 0; waits < 100 && collected.size < dues.length; waits++) {
    await pause(100);
    if (waits === 30) await queue.add(dues, false);
  }
  expect(collected.size).toBe(dues.length);
  await queue.close();
});
