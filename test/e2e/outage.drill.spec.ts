/**
 * An outage of the event store on the real stack: frozen, killed, and gone while a ledger starts. It takes
 * away writes only. Pages and rows are served and say that they may be old, known people sign in, a write
 * waits and is then told when to come back, and what fell due runs when the store is back.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { STALE_HEADER } from '#contracts/plain/headers';
import { useEvidence } from '#test/support/evidence';
import { DAY_MS, MovedClock } from '#test/support/moved-clock';
import { CardProviderWorld } from '#test/support/payer';
import { json, Person, refusal, type Answer } from '#test/support/person';
import { useStack } from '#test/support/stack';
import { runsInContainer } from '#test/support/containers';

const clock = new MovedClock();
const stack = useStack(['all'], {
  ledgers: 2,
  env: { ...clock.env, SCHEDULES_EVERY_SECONDS: '5' },
});
const WITHIN_MS = 120_000;
/**
 * What is promised takes two seconds, or is at once; a machine that runs other suites besides takes longer.
 * The rules themselves are held by specs with clocks of their own: patience.spec.ts, store-lookout.spec.ts.
 */
const SOON_MS = 4_000;
/**
 * Navigations, a stream that does not end, and a picture that nobody has here; each is looked at by itself.
 */
const APART: ReadonlySet<string> = new Set([
  '/api/login',
  '/api/login/callback',
  '/api/logout',
  '/api/events',
  '/api/user/picture/{hash}',
]);

const provider = new CardProviderWorld(stack);
const evidence = useEvidence(stack);
let juno: Person;
let fan: Person;
let paymentId: string;

beforeAll(async () => {
  [juno, fan] = await Promise.all([Person.signUp(stack().url, 'Juno'), Person.signUp(stack().url, 'Fan')]);
  const paid = await fan.pay(juno.id, '20.00');
  paymentId = paid.paymentId;
  await provider.card(paid.clientSecret);
  await provider.delivered();
  await evidence.shown();
}, WITHIN_MS);
afterAll(async () => {
  clock.remove();
});

async function until(what: string, isSo: () => Promise<boolean>, withinMs = 30_000): Promise<number> {
  const from = Date.now();
  for (; !(await isSo()); await pause(50))
    if (Date.now() - from > withinMs) throw new Error(`Waited ${withinMs} ms in vain for ${what}.`);
  return Date.now() - from;
}
const isStale = ({ headers }: Answer): boolean => headers.get(STALE_HEADER) === 'true';
const ledgerPorts = (): number[] => [1, 2].map((n) => stack().ports[`ledger-${n}`] ?? 0);
/** What each ledger answers, past the front. */
const eachLedger = (path: string): Promise<Response[]> =>
  Promise.all(ledgerPorts().map((port) => fetch(`http://127.0.0.1:${port}${path}`)));
const allMarked = async (wanted: boolean): Promise<boolean> =>
  (await eachLedger('/')).every(({ headers }) => (headers.get(STALE_HEADER) === 'true') === wanted);
const store = () => stack().part('eventstore');
const tip = (key = uuidv7()): Promise<Answer> =>
  fan.post('/api/create-payment-intent', { toUserId: juno.id, amount: '1.00' }, { 'idempotency-key': key });
/** The same past the front, at the ledger that saw the outage begin: the other one is killed meanwhile. */
const tipAt = (n: 1 | 2, key: string): Promise<Answer> =>
  fan.post(
    `http://localhost:${stack().ports[`ledger-${n}`]}/api/create-payment-intent`,
    { toUserId: juno.id, amount: '1.00' },
    { 'idempotency-key': key },
  );
/** How long something took, and what came of it. */
async function timed<T>(work: Promise<T>): Promise<{ came: T; ms: number }> {
  const from = Date.now();
  const came = await work;
  return { came, ms: Date.now() - from };
}

/** Every GET of the API's description, with ids of hers where it wants one. */
async function gets(): Promise<{ path: string; readsLog: boolean; at: string }[]> {
  const { paths } = json(await juno.get('/api/openapi.json')) as {
    paths: Record<string, { get?: { 'x-encore-reads-log'?: true } }>;
  };
  return Object.entries(paths)
    .filter(([path, methods]) => 'get' in methods && !APART.has(path))
    .map(([path, { get }]) => ({
      path,
      readsLog: get?.['x-encore-reads-log'] === true,
      at: path
        .replace('{idOrEmail}', fan.id)
        .replace('{id}', paymentId)
        .replace('{month}', clock.fromNow(0).toISOString().slice(0, 7))
        .replace('/print', '/print?kind=poster')
        .replace('/earnings', '/earnings?begins=2026-01-01T00:00:00Z'),
    }));
}

async function readsAreServed(): Promise<void> {
  const all = await gets();
  expect(all.filter(({ readsLog }) => readsLog).length).toBeGreaterThan(5);
  for (const { path, readsLog, at } of all) {
    const { came, ms } = await timed(juno.get(at));
    const told = [path, came.status, isStale(came), came.headers.get('retry-after') !== null];
    expect(told).toEqual([path, ...(readsLog ? [503, true, true] : [200, true, false])]);
    expect(ms).toBeLessThan(SOON_MS);
  }
  for (const path of ['/', '/history', '/checkout?amount=5']) {
    const page = await juno.navigate(path);
    expect([path, page.status, isStale(page)]).toEqual([path, 200, true]);
  }
  // The pages of tips are no part of the app, and say it themselves.
  const tipPage = await juno.navigate('/@nobody');
  expect([tipPage.status, isStale(tipPage)]).toEqual([404, true]);
  expect(tipPage.text).toContain('payments may have to wait');
}

async function ledgersAre(degraded: boolean): Promise<void> {
  for (const answer of await eachLedger('/readyz')) {
    const said = (await answer.json()) as { reasons: string[] };
    expect([answer.status, said]).toEqual([
      200,
      degraded
        ? { ready: true, degraded: true, reasons: ['Payments and changes are not taken at the moment.'] }
        : { ready: true, reasons: [] },
    ]);
  }
}

/** A ledger that started meanwhile compares the log with what others have seen before it takes writes. */
async function ledgersAreWell(): Promise<void> {
  await until('writes to be taken', async () => {
    const said = await Promise.all((await eachLedger('/readyz')).map((answer) => answer.json()));
    return said.every((each) => !(each as { degraded?: boolean }).degraded);
  });
  await ledgersAre(false);
}

describe('an event store that stands still', () => {
  it(
    'takes away writes only: reads are marked within two seconds, and a write waits for eight seconds',
    async () => {
      if (runsInContainer('eventstore', process.env)) return;
      await until('no mark', () => allMarked(false));
      const { pid } = store();
      process.kill(pid!, 'SIGSTOP');
      try {
        const key = uuidv7();
        const first = timed(tipAt(1, key));
        expect(await until('the mark', () => allMarked(true))).toBeLessThan(SOON_MS);
        const ledger = stack().part('ledger-2');
        await ledger.kill9();
        await ledger.start();
        await until('the restarted ledger to know', () => allMarked(true));
        await readsAreServed();
        await ledgersAre(true);
        await fan.signOut();
        await fan.signIn();
        expect((await fan.me()).id).toBe(fan.id);
        const { came, ms } = await first;
        // It was on its way when the store stood still, or waited behind what was.
        expect(refusal(came)).toEqual([
          503,
          expect.stringMatching(/^(?:This could not be finished right now|It is not certain yet)/),
        ]);
        expect(came.headers.get('retry-after')).toBe('5');
        expect(ms).toBeGreaterThan(5_000);
        expect(ms).toBeLessThan(8_000 + SOON_MS);
        // The outage has lasted longer than anybody is let wait.
        await pause(1_000);
        const next = await timed(tipAt(1, key));
        expect(next.came.status).toBe(503);
        expect(next.ms).toBeLessThan(SOON_MS);
      } finally {
        process.kill(pid!, 'SIGCONT');
      }
      await until('the mark to go', () => allMarked(false));
      await ledgersAreWell();
      expect((await tip()).status).toBe(200);
      await evidence.holds();
    },
    WITHIN_MS,
  );
});

describe('an event store that is gone', () => {
  it(
    'is waited for by what falls due and by a ledger that starts meanwhile',
    async () => {
      const later = await juno.post('/api/scheduled-payments', {
        toUserId: fan.id,
        amount: '3.00',
        scheduledDate: clock.fromNow(DAY_MS).toISOString(),
      });
      expect(later.status).toBe(200);
      const weekly = await juno.subscribe(fan.id, '2.00', 'weekly');
      const earned = async (): Promise<string> => (await fan.me()).earnings;
      await until('the first payment of the subscription', async () => (await earned()) === '2.00');

      await store().kill9();
      expect(await until('the mark', () => allMarked(true))).toBeLessThan(SOON_MS);
      clock.pass(7 * DAY_MS + 60_000);
      const ledger = stack().part('ledger-2');
      await ledger.kill9();
      await ledger.start();
      await until('the restarted ledger to serve', () => allMarked(true));
      await readsAreServed();
      await ledgersAre(true);
      // Twelve seconds in all: what is due is found due by three scans, and not asked for.
      await pause(6_000);
      const refused = await timed(tipAt(1, uuidv7()));
      expect([refused.came.status, refused.ms < SOON_MS]).toEqual([503, true]);

      await store().start();
      const backMs = await until('what fell due to be paid', async () => (await earned()) === '7.00');
      expect(backMs).toBeLessThan(10_000 + SOON_MS);
      await until('the mark to go', () => allMarked(false));
      await ledgersAreWell();
      const paid = (await juno.transactions()).filter(({ type }) => type === 'payment_sent');
      expect(paid.map(({ amount, status }) => `${amount} ${status}`).sort()).toEqual([
        '2.00 completed',
        '2.00 completed',
        '3.00 completed',
      ]);
      const subscription = await juno.subscription(weekly.id);
      expect(subscription).toMatchObject({ status: 'active', lastFailureReason: null, nextTryAt: null });
      expect((await tip()).status).toBe(200);
      await evidence.holds();
    },
    WITHIN_MS,
  );

  it(
    'is not missed where it is back within eight seconds: nothing is refused',
    async () => {
      await store().kill9();
      const writes = Array.from({ length: 6 }, () => tip());
      const settings = juno.put('/api/settings', { privacyModeEnabled: true });
      await pause(1_500);
      await store().start();
      expect((await Promise.all([...writes, settings])).map(({ status }) => status)).toEqual(
        [...writes, settings].map(() => 200),
      );
      await until('the mark to go', () => allMarked(false));
      await evidence.holds();
    },
    WITHIN_MS,
  );
});
