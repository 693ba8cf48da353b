/**
 * Bench (g): how soon the rows and the browsers know of the first write after an outage of the event store,
 * which is killed and frozen in turns. The time begins with the store's own clock at the event and ends with
 * the announcement of the read models, and with the message on a browser's stream of changes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { POSITION_HEADER, STALE_HEADER } from '#contracts/plain/headers';
import { settingsStream } from '#contracts/events/settings';
import { positionFrom } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { openEvents } from '#test/support/event-stream';
import { Person } from '#test/support/person';
import { startStack, type TestStack } from '#test/support/start-stack';
import { Announcements } from './announcements.js';
import { givenStore, BadMeasuredStore } from './measured-store.js';
import { median, percentile, type Row } from './measure.js';

const OUTAGES = Number(process.env.BENCH_OUTAGES ?? '20');
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? '30') * 1000;
const TRY_EVERY_MS = 100;

/** What one outage measured, in milliseconds. */
interface Returned {
  readonly row: number;
  readonly told: number;
  /** From the store's return to the end of the mark on answers. */
  readonly marked: number;
}

async function endOutage(stack: TestStack, round: number): Promise<() => Promise<void>> {
  const store = stack.part('eventstore');
  if (round % 2 === 0) {
    await store.kill9();
    return () => store.start();
  }
  const { pid } = store;
  if (pid === undefined) throw new Error('The event store is no process of this machine.');
  process.kill(pid, 'SIGSTOP');
  return () => Promise.resolve(void process.kill(pid, 'SIGCONT'));
}

async function oneOutage(
  { stack, juno, log, heard }: { stack: TestStack; juno: Person; log: EsdbLog; heard: Announcements },
  round: number,
): Promise<Returned> {
  const stream = await openEvents(juno);
  const told = stream
    .next(({ topics }) => topics.includes('settings'))
    .then(() => performance.timeOrigin + performance.now());
  const end = await endOutage(stack, round);
  await pause(OUTAGE_MS);
  await end();
  const backAt = performance.timeOrigin + performance.now();
  let position = null;
  for (; position === null; await pause(TRY_EVERY_MS)) {
    const answer = await juno.put('/api/settings', { privacyModeEnabled: round % 2 === 0 });
    position = answer.headers.get(POSITION_HEADER);
  }
  const at = positionFrom(position);
  await heard.hears(at);
  const rowAt = performance.timeOrigin + heard.passed(at);
  const last = await log.lastOf(settingsStream(juno.id));
  const writtenAt = last!.createdAt.getTime();
  const toldAt = await told;
  stream.close();
  while ((await juno.get('/api/auth/user')).headers.get(STALE_HEADER) === 'true') await pause(TRY_EVERY_MS);
  const unmarkedAt = performance.timeOrigin + performance.now();
  return { row: rowAt - writtenAt, told: toldAt - writtenAt, marked: unmarkedAt - backAt };
}

export async function benchOutage(): Promise<Row[]> {
  if (givenStore() !== undefined)
    throw new BadMeasuredStore(
      'An outage is made by killing the stand-in: leave EVENTSTORE_URL unset for it.',
    );
  const stack = await startStack(['all'], { syncs: true });
  const log = EsdbLog.connect(stack.env.EVENTSTORE_URL!);
  const heard = await Announcements.listen(stack.env.DATABASE_URL!);
  try {
    const juno = await Person.signUp(stack.url, 'Juno');
    const seen: Returned[] = [];
    for (let round = 0; round < OUTAGES; round += 1)
      seen.push(await oneOutage({ stack, juno, log, heard }, round));
    const of = `${OUTAGES} outages of ${OUTAGE_MS / 1000} s`;
    const rows = (what: string, times: readonly number[]): Row[] => [
      { bench: `outage: ${what}`, of, value: Math.round(median(times)), unit: 'ms', note: 'p50' },
      { bench: `outage: ${what}`, of, value: Math.round(percentile(times, 95)), unit: 'ms', note: 'p95' },
    ];
    return [
      ...rows(
        'first write to row',
        seen.map(({ row }) => row),
      ),
      ...rows(
        'first write to browser',
        seen.map(({ told }) => told),
      ),
      ...rows(
        'return to no mark',
        seen.map(({ marked }) => marked),
      ),
    ];
  } finally {
    await Promise.all([log.close(), heard.close()]);
    await stack.stop();
  }
}
