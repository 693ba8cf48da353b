/**
 * Two ledgers, two projectors and two workers at once: each event is projected once, and each job has its
 * effect once.
 */
import { describe, expect, it } from '@jest/globals';
import { OUR_PREFIXES } from '#contracts/events/our-streams';
import { START } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { Crowd } from '#test/support/crowd';
import { eventually } from '#test/conformance/stripe-process';
import { useEvidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { useStack } from '#test/support/stack';

const TIPS = 24;
const AT_ONCE = 4;

const stack = useStack(['all', 'projections-2', 'workers-2'], {
  ledgers: 2,
  env: { CARE_EVERY_SECONDS: '1', SCHEDULES_EVERY_SECONDS: '1' },
});
const evidence = useEvidence(stack);
const provider = new CardProviderWorld(stack);

const until = (what: string, isSo: () => Promise<boolean>): Promise<boolean> => eventually(isSo, what);

const LEDGERS = ['ledger-1-internal', 'ledger-2-internal'];
const PROJECTORS = ['projections', 'projections-2'];
const WORKERS = ['workers', 'workers-2'];

/**
 * A figure of each of two processes; where it is told apart by labels, the sum of those lines in which
 * `label` stands.
 */
async function figures(name: string, processes: readonly string[], label = ''): Promise<number[]> {
  return Promise.all(
    processes.map(async (process) => {
      const text = await (await fetch(`http://127.0.0.1:${stack().ports[process]}/metrics`)).text();
      const lines = text
        .split('\n')
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      return lines
        .filter((line) => line.includes(label))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    }),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const both = (numbers: readonly number[]): boolean =>
  numbers.length === 2 && numbers.every((number) => number > 0);

/** How many events of the log the read models are made from. */
async function eventsOfTheReadModels(): Promise<number> {
  const log = EsdbLog.connect(stack().env.EVENTSTORE_URL ?? '');
  let count = 0;
  for await (const event of log.readAll(START, OUR_PREFIXES)) count += event.stream === '' ? 0 : 1;
  await log.close();
  return count;
}

describe('two ledgers, two projectors and two workers', () => {
  it('book each tip once, collect each occurrence once, and project each event once', async () => {
    await provider.control('POST', '/test/switches', { webhooks: { duplicates: 1, shuffle: true } });
    const crowd = await Crowd.gather(stack().url, provider);
    await crowd.tip(TIPS, AT_ONCE);
    await crowd.cameOutRight(evidence);

    // Whoever was tipped subscribes to everybody else, three times: all of it is due at once, and both
    // workers see all of it.
    const payers = crowd.people.filter((person) => crowd.tips.some(({ recipient }) => recipient === person));
    const subscribed = payers.flatMap((payer) =>
      crowd.people.filter((one) => one !== payer).map((payee) => [payer, payee] as const),
    );
    const made = await Promise.all(
      subscribed.flatMap(([payer, payee]) =>
        ['0.50', '0.51', '0.52'].map((amount) => payer.subscribe(payee.id, amount, 'monthly')),
      ),
    );
    expect(made.length).toBeGreaterThanOrEqual(9);
    const collected = async (): Promise<string[]> =>
      (await evidence.journal()).flatMap((event) =>
        event.type === 'TransferPosted' && event.data.occurrence ? [event.data.occurrence.scheduleId] : [],
      );
    await until('every subscription to be collected', async () => (await collected()).length >= made.length);
    await until('nothing to be due', async () => sum(await figures('encore_schedules_due', WORKERS)) === 0);
    expect((await collected()).sort()).toEqual(made.map(({ id }) => id).sort());
    await evidence.holds();
    const report = await evidence.run('processes/audit.js', 'schedules-report', '--day', 'all');
    expect([report.status, report.err]).toEqual([0, '']);

    const projected = async (): Promise<number> =>
      sum(await figures('encore_events_projected_total', PROJECTORS));
    const events = await eventsOfTheReadModels();
    // A projector counts a moment after it has committed.
    await until('the projectors to have counted', async () => (await projected()) >= events);
    expect(await projected()).toBe(events);

    // And both took part: each ledger answered people, and each worker did its turns.
    const answered = await figures('encore_http_request_duration_seconds_count', LEDGERS, 'method="POST"');
    expect([answered, both(answered)]).toEqual([answered, true]);
    await until('both workers to have had a turn', async () =>
      both(await figures('encore_duty_ticks_total', WORKERS, '"well"')),
    );
    // Both projectors follow the log to its end, whichever of them finds the work done.
    const behind = (): Promise<number[]> => figures('encore_projection_events_behind', PROJECTORS);
    await until('both projectors to have followed the log', async () =>
      (await behind()).every((count) => count === 0),
    );
    expect(both(await figures('encore_projection_journal_revision', PROJECTORS))).toBe(true);
  }, 180_000);
});
