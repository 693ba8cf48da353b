/**
 * Bench (f): from a write to its row while the event store drops its live follower, beside the same with
 * drops off, in turns. A caller is the ledger's own journal: over HTTP two cores would not offer half of what
 * the journal takes. Each run has a stack of its own; callers come at random moments and wait for their
 * answers. After them come bursts: so many transfers at one moment that hardly a follower lives through them.
 *
 * A transfer's time ends when the read models announce that they have passed its entry, and so does a
 * webhook's, which begins where its settlement is handed to the journal.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Position } from '#contracts/log';
import { EsdbLog } from '#log/esdb';
import { migrate } from '#log/migrations';
import { Vault } from '#log/vault';
import { Journal } from '#ledger/journal/journal';
import type { Receipt } from '#ledger/journal/receipt';
import { VAULT } from '#processes/migrations';
import { Projected } from '#projections/engine/read-your-writes';
import { isSame, rebuild } from '#projections/engine/rebuild';
import { readModels } from '#projections/read-models';
import type { TestStack } from '#test/support/start-stack';
import { Announcements } from './announcements.js';
import { closedLoop } from './load.js';
import { givenStore, startMeasured } from './measured-store.js';
import { median, percentile, type Row } from './measure.js';
import { peopleWithMoney, type PeopleWithMoney } from './people-with-money.js';

const CALLERS = [16, 64, 256];
const BURST_TRANSFERS = 600;
const BURSTS = 20;
const OPENED_TOGETHER = 1_000;
const RUNS = Number(process.env['BENCH_RUNS'] ?? '5');
const USERS = 500;
const FULL_MS = 3_000;
const HALF_MS = 5_000;
const SHOWN_WITHIN_MS = 60_000;
const ASK_READY_EVERY_MS = 100;
/** pino's number for a warning. */
const WARNING = 40;

type Drops = 'on' | 'off';
const KINDS = ['transfer to row', 'webhook to row'] as const;
type Kind = (typeof KINDS)[number];

/** What one run measured with so many callers. */
interface Measured {
  readonly times: Readonly<Record<Kind, number[]>>;
  readonly offered: number;
  readonly drops: number;
  /** How often `/readyz` was not 200. */
  readonly notReady: number;
}

type Load = `${number} callers` | 'bursts of 600';
const BURST_LOAD: Load = `bursts of ${BURST_TRANSFERS}`;
const LOADS: readonly Load[] = [...CALLERS.map((callers): Load => `${callers} callers`), BURST_LOAD];

interface Run {
  readonly byLoad: ReadonlyMap<Load, Measured>;
  readonly warnings: number;
}

interface Scene {
  readonly stack: TestStack;
  readonly people: PeopleWithMoney;
  readonly heard: Announcements;
  readonly projected: Projected;
  readonly log: EsdbLog;
}

/** The stand-in is told whether to drop, another store drops as it does: all runs are then on one stack. */
export async function benchFollowers(): Promise<Row[]> {
  const runs: Record<Drops, Run[]> = { on: [], off: [] };
  if (givenStore() !== undefined) runs.on = await runsOnOneStack('on', RUNS);
  else
    for (let n = 0; n < RUNS; n += 1)
      for (const drops of ['on', 'off'] as const) {
        runs[drops].push(...(await runsOnOneStack(drops, 1)));
        process.stdout.write(`  run ${n + 1} of ${RUNS}, drops ${drops}\n`);
      }
  const rows = LOADS.flatMap((load) =>
    (load === BURST_LOAD ? KINDS.slice(0, 1) : KINDS).flatMap((kind) => rowsOf(runs, load, kind)),
  );
  return [...rows, ...conduct(runs)];
}

/** On a new stack, each number of callers, so many times. Throws where rows are not what a replay yields. */
async function runsOnOneStack(drops: Drops, count: number): Promise<Run[]> {
  const stack = await startMeasured(['postgres', 'eventstore'], {
    env: { LOG_LEVEL: 'info', STAND_IN_DROPS: drops },
    mustBeEmpty: true,
  });
  const databaseUrl = stack.env['DATABASE_URL']!;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const log = EsdbLog.connect(stack.env['EVENTSTORE_URL']!);
  const projected = Projected.listen(databaseUrl);
  const heard = await Announcements.listen(databaseUrl);
  try {
    await migrate(databaseUrl, [VAULT]);
    await stack.start('projections');
    const vault = Vault.open(pool, stack.env['ENCORE_MASTER_KEY']!);
    const never = () => Promise.reject(new Error('Every key of this bench is new'));
    const journal = await Journal.open(log, { archive: { find: never, entriesOf: never } });
    const people = await peopleWithMoney(journal, vault, USERS);
    const scene: Scene = { stack, people, heard, projected, log };
    await arrived(scene);
    const runs: Run[] = [];
    let warned = 0;
    for (let n = 0; n < count; n += 1) {
      const byLoad = new Map<Load, Measured>();
      for (const callers of CALLERS) byLoad.set(`${callers} callers`, await measure(scene, callers));
      byLoad.set(BURST_LOAD, await measureBursts(scene));
      const warnings = warningsOf(stack) - warned;
      warned += warnings;
      runs.push({ byLoad, warnings });
    }
    await journal.close();
    await assertRowsEqualReplay(databaseUrl, log, vault);
    return runs;
  } finally {
    await Promise.all([heard.close(), projected.close(), log.close(), pool.end()]);
    await stack.stop();
  }
}

/** First what the journal takes with so many callers, then half of it, transfers and settlements in turn. */
async function measure(scene: Scene, callers: number): Promise<Measured> {
  const { people, heard, stack } = scene;
  const full = await closedLoop(callers, FULL_MS, () => people.transfer());
  const offered = full.perSecond / 2;
  const settlements = await paymentsToSettle(people, Math.ceil((offered * HALF_MS) / 1000 / 2));
  await arrived(scene);
  const dropsBefore = await dropsOf(stack);
  const written: { kind: Kind; dueAt: number; receipt: Receipt }[] = [];
  let turn = 0;
  let notReady = Promise.resolve(0);
  const endWatch = watchReady(stack);
  await pacedLoop(callers, offered, HALF_MS, async (dueAt) => {
    const settle = turn++ % 2 === 0 ? undefined : settlements.pop();
    const receipt = await (settle ?? people.transfer)();
    written.push({ kind: settle ? 'webhook to row' : 'transfer to row', dueAt, receipt });
  }).finally(() => {
    notReady = endWatch();
  });
  const last = await arrived(scene);
  if (last) await heard.hears(last);
  const times: Record<Kind, number[]> = { 'transfer to row': [], 'webhook to row': [] };
  for (const { kind, dueAt, receipt } of written) times[kind].push(heard.passed(receipt.position) - dueAt);
  return { times, offered, drops: (await dropsOf(stack)) - dropsBefore, notReady: await notReady };
}

/** Payments that wait for their webhook, opened in groups that the journal's queue has room for. */
async function paymentsToSettle(people: PeopleWithMoney, count: number): Promise<(() => Promise<Receipt>)[]> {
  const settlements: (() => Promise<Receipt>)[] = [];
  while (settlements.length < count) {
    const group = Math.min(OPENED_TOGETHER, count - settlements.length);
    settlements.push(...(await Promise.all(Array.from({ length: group }, () => people.openPayment()))));
  }
  return settlements;
}

/** Bursts one after the other, each when the rows of the one before are there. */
async function measureBursts(scene: Scene): Promise<Measured> {
  const { people, heard, stack } = scene;
  const dropsBefore = await dropsOf(stack);
  const endWatch = watchReady(stack);
  const times: number[] = [];
  const began = performance.now();
  for (let n = 0; n < BURSTS; n += 1) {
    const at = performance.now();
    const receipts = await Promise.all(Array.from({ length: BURST_TRANSFERS }, () => people.transfer()));
    const last = await arrived(scene);
    if (last) await heard.hears(last);
    for (const { position } of receipts) times.push(heard.passed(position) - at);
  }
  const offered = (times.length / (performance.now() - began)) * 1000;
  return {
    times: { 'transfer to row': times, 'webhook to row': [] },
    offered,
    drops: (await dropsOf(stack)) - dropsBefore,
    notReady: await endWatch(),
  };
}

/**
 * Callers that come at random moments, so many calls a second among them, and each wait for their answer. A
 * call's time begins when it was due.
 */
async function pacedLoop(
  callers: number,
  perSecond: number,
  ms: number,
  call: (dueAt: number) => Promise<void>,
): Promise<void> {
  const until = performance.now() + ms;
  const next = (): number => (-Math.log(1 - Math.random()) * 1000 * callers) / perSecond;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let dueAt = performance.now() + next(); dueAt < until; dueAt += next()) {
        const early = dueAt - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
        await call(dueAt);
      }
    }),
  );
}

/** Waits until the rows show all of the journal; answers where it ends. */
async function arrived({ log, projected }: Scene): Promise<Position | undefined> {
  const last = await log.lastOf('journal');
  if (last && !(await projected.waitFor(last.position, SHOWN_WITHIN_MS)))
    throw new Error('The read models did not arrive.');
  return last?.position;
}

/** A kept connection may just have been closed by the other side: then it is asked once more. */
async function projectionsAt(stack: TestStack, path: string): Promise<Response> {
  const url = `http://127.0.0.1:${stack.ports['projections']}${path}`;
  return fetch(url).catch(() => fetch(url));
}

async function dropsOf(stack: TestStack): Promise<number> {
  const figures = await (await projectionsAt(stack, '/metrics')).text();
  return Number(/^encore_log_follower_drops_total (\d+)$/m.exec(figures)?.[1] ?? 0);
}

/** Asks whether the projections are ready from now on; the returned function says how often they were not. */
function watchReady(stack: TestStack): () => Promise<number> {
  let notReady = 0;
  let asking = Promise.resolve();
  const ask = async (): Promise<void> => {
    const status = await projectionsAt(stack, '/readyz').then(
      (answer) => answer.status,
      () => 0,
    );
    if (status !== 200) notReady += 1;
  };
  const timer = setInterval(() => {
    asking = asking.then(ask);
  }, ASK_READY_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await asking;
    return notReady;
  };
}

/** Warnings and worse that the projections logged. */
const warningsOf = (stack: TestStack): number =>
  readFileSync(join(stack.dataFolder, 'logs', 'projections.log'), 'utf8')
    .split('\n')
    .filter((line) => Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0) >= WARNING).length;

async function assertRowsEqualReplay(databaseUrl: string, log: EsdbLog, vault: Vault): Promise<void> {
  const { tables } = await rebuild({
    databaseUrl,
    log,
    models: readModels(vault),
    scratch: 'read_bench',
    compare: true,
    swap: false,
  });
  if (!isSame(tables)) throw new Error('The rows are not what a replay yields.');
}

/** The runs' medians of one kind of write: with drops, and how much more that is than without. */
function rowsOf(runs: Record<Drops, Run[]>, load: Load, kind: Kind): Row[] {
  const of = (drops: Drops, percent: number): number =>
    median(runs[drops].map(({ byLoad }) => percentile(byLoad.get(load)?.times[kind] ?? [], percent)));
  const offered = median(runs.on.map(({ byLoad }) => byLoad.get(load)?.offered ?? 0));
  const drops = median(runs.on.map(({ byLoad }) => byLoad.get(load)?.drops ?? 0));
  const ms = (value: number): string => value.toFixed(1);
  const spread = runs.on.map(({ byLoad }) => ms(percentile(byLoad.get(load)?.times[kind] ?? [], 99)));
  const on: Row = {
    bench: kind,
    of: `${load}, drops on`,
    value: Number(ms(of('on', 99))),
    unit: 'ms',
    note: `p99 (${spread.join(', ')}); p50 ${ms(of('on', 50))} ms at ${Math.round(offered)}/s, ${drops} drops`,
  };
  if (runs.off.length === 0) return [on];
  const more = of('on', 99) - of('off', 99);
  const note = `p99; p50 ${ms(of('off', 50))} ms; drops cost ${ms(more)} ms at p99, goal: 150 ms at most`;
  return [on, { ...on, of: `${load}, drops off`, value: Number(ms(of('off', 99))), note }];
}

/** Whether anybody else would have noticed the drops. */
function conduct(runs: Record<Drops, Run[]>): Row[] {
  const sum = (figures: readonly number[]): number => figures.reduce((all, one) => all + one, 0);
  const row = (of: string, value: number): Row => ({
    bench: 'projections',
    of,
    value,
    unit: '',
    note: 'goal: 0',
  });
  const measured = runs.on.flatMap(({ byLoad }) => [...byLoad.values()]);
  return [
    row('answers 503 of /readyz, drops on', sum(measured.map(({ notReady }) => notReady))),
    row('warnings, drops on', sum(runs.on.map(({ warnings }) => warnings))),
  ];
}
