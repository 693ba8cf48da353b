/**
 * Volume and start order: jobs run within seconds of the ledger being up, what is slow or stuck delays
 * nothing else, and no mark stands still. Lived through in a time of its own, from seeds.
 */
import { describe, expect, it } from '@jest/globals';
import type { UnresolvedPayment } from '#projections/transactions/queries';
import { Dice } from '#test/simulator/dice';
import { JobWorld, NOON, pagesOf } from '#test/support/job-world';
import { LedgerAway } from '../ledger-client.js';
import { isOnTime, nextPassInMs } from '../queues/job-queue.js';
import { PASS_MS } from './asking.js';
import { JOBS } from './jobs.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CALL_MS = 250;
const LONGEST_CALL_MS = 15_000;
const SEEDS = Array.from({ length: Number(process.env.JOB_SEEDS ?? 5) }, (_, n) => n + 1);

/** Things that happen at their times, one after the other, however many wait at once. */
class VirtualTime {
  readonly #waiting: { readonly at: number; readonly go: () => void }[] = [];

  constructor(private readonly world: JobWorld) {}

  sleep(ms: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ at: this.world.nowMs + ms, go });
    });
  }

  /** Goes on until the work is over. */
  async while(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    void work.catch(() => undefined).finally(() => (isOver = true));
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return;
      let next = 0;
      for (let n = 1; n < this.#waiting.length; n += 1)
        if (this.#waiting[n]!.at < this.#waiting[next]!.at) next = n;
      const [due] = this.#waiting.splice(next, 1);
      if (!due) continue;
      this.world.nowMs = Math.max(this.world.nowMs, due.at);
      due.go();
    }
  }
}

interface Story {
  readonly payments: UnresolvedPayment[];
  readonly isStuck: (intentId: string) => boolean;
  readonly callMs: (intentId: string) => number;
}

/** Sweeps open payments as a queue does, and notes when each was first looked at. */
function sweeping({ payments, isStuck, callMs }: Story) {
  const world = new JobWorld({ unresolvedPayments: pagesOf(payments, 'id', 200) });
  const time = new VirtualTime(world);
  const lookedAt = new Map<string, number>();
  world.answers('SyncPayment', async ({ intentId }) => {
    if (!lookedAt.has(intentId)) lookedAt.set(intentId, world.nowMs);
    await time.sleep(callMs(intentId));
    if (isStuck(intentId)) throw new LedgerAway('the provider chokes on it');
    return { looked: 1, failed: [] };
  });
  const pass = async (): Promise<number> => {
    let ended: 'done' | 'more' | 'failed' = 'failed';
    await time.while(
      JOBS['care-for-payments'](world.context)
        .then((end) => (ended = end))
        .catch((error: unknown) => {
          if (!(error instanceof LedgerAway)) throw error;
        }),
    );
    return nextPassInMs(ended, MINUTE_MS) ?? MINUTE_MS;
  };
  return { world, lookedAt, pass };
}

const payment = (name: string, openedAtMs: number): UnresolvedPayment => ({
  id: `pay_${name}`,
  intentId: `pi_${name}`,
  openedAt: new Date(openedAtMs),
});

describe('one that is not stuck', () => {
  it('waits no longer than a pass behind 5,000 that are, at a quarter of a second each', async () => {
    const payments = Array.from({ length: 5_000 }, (_, n) =>
      payment(`stuck_${n}`, NOON.getTime() - 10 * MINUTE_MS - n),
    );
    const story = sweeping({
      payments,
      isStuck: (intentId) => intentId.startsWith('pi_stuck'),
      callMs: () => CALL_MS,
    });
    const due = new Map<string, number>();
    let nextMs = 0;
    for (let n = 0; n < 60; n += 1) {
      story.world.pass(nextMs);
      // It falls due just after the pass has looked at what there is.
      const soundDueMs = story.world.nowMs + 1;
      const sound = payment(`sound_${n}`, soundDueMs - 3 * MINUTE_MS);
      const passing = story.pass();
      payments.push(sound);
      due.set(sound.intentId!, soundDueMs);
      nextMs = await passing;
    }
    for (let n = 0; n < 5; n += 1) {
      story.world.pass(nextMs);
      nextMs = await story.pass();
    }
    const waits = [...due].map(([intentId, atMs]) => (story.lookedAt.get(intentId) ?? Infinity) - atMs);
    const longest = Math.max(...waits);
    expect(longest).toBeLessThanOrEqual(MINUTE_MS + PASS_MS + CALL_MS);
    // While there is more to do, passes follow each other at once.
    expect(Math.max(...waits.slice(0, 20))).toBeLessThanOrEqual(PASS_MS + CALL_MS);
  });

  it.each(SEEDS)('waits for none that are slow or fail, whichever they are: seed %i', async (seed) => {
    const dice = new Dice(seed);
    const count = dice.between(1, 400);
    const stuck = new Set<string>();
    const slow = new Set<string>();
    const payments = Array.from({ length: count }, (_, n) => {
      const one = payment(String(n), NOON.getTime() - 4 * MINUTE_MS - dice.between(1, 3 * HOUR_MS));
      if (dice.chance(0.5)) stuck.add(one.intentId!);
      if (dice.chance(0.02)) slow.add(one.intentId!);
      return one;
    }).sort((a, b) => a.openedAt.getTime() - b.openedAt.getTime());
    const story = sweeping({
      payments,
      isStuck: (intentId) => stuck.has(intentId),
      callMs: (intentId) => (slow.has(intentId) ? LONGEST_CALL_MS : 1 + dice.between(1, 2 * CALL_MS)),
    });
    for (let passes = 0; passes < 100 && story.lookedAt.size < count; passes += 1)
      story.world.pass(await story.pass());
    expect(story.lookedAt.size).toBe(count);
    // Eight at a time, and a slow one holds one place: never the sum of all.
    const slowest = Math.ceil(slow.size / 4) * LONGEST_CALL_MS;
    const fair = (count / 4) * 2 * CALL_MS + slowest + MINUTE_MS;
    expect(Math.max(...story.lookedAt.values()) - NOON.getTime()).toBeLessThanOrEqual(fair);
  });
});

describe('a comparison', () => {
  it.each(SEEDS)('comes to its end whatever fails in it, and leaves out nothing: seed %i', async (seed) => {
    const dice = new Dice(seed);
    const world = new JobWorld();
    world.mark('reconcile', new Date(NOON.getTime() - dice.between(1, 40) * 24 * HOUR_MS));
    const begun = world.marks.get('reconcile')!.at;
    const seen: { since: string; until: string }[] = [];
    world.answers('ReconcileSince', ({ since, until = '' }) => {
      world.pass(dice.between(1, 4_000));
      const roll = dice.between(1, 10);
      if (roll <= 2) throw new LedgerAway('timed out');
      const all = Date.parse(until) - Date.parse(since);
      const through = roll <= 6 ? new Date(Date.parse(since) + Math.ceil(all / 2)).toISOString() : until;
      seen.push({ since, until: through });
      return { looked: 1, failed: dice.chance(0.2) ? [`pi_${dice.between(1, 5)}`] : [], through };
    });
    let before = begun.getTime();
    for (let passes = 0; passes < 400; passes += 1) {
      const end = await JOBS.reconcile(world.context).catch(() => 'failed' as const);
      const at = world.marks.get('reconcile')!.at.getTime();
      // However much fails, the mark moves.
      expect(at).toBeGreaterThanOrEqual(before);
      before = at;
      if (end === 'done' && world.behind.size === 0) break;
      world.pass(MINUTE_MS);
    }
    expect(world.behind.size).toBe(0);
    const pieces = seen.toSorted((a, b) => (a.since < b.since ? -1 : 1));
    let covered = begun.getTime();
    for (const { since, until } of pieces) {
      expect(Date.parse(since)).toBeLessThanOrEqual(covered);
      covered = Math.max(covered, Date.parse(until));
    }
    expect(covered).toBeGreaterThanOrEqual(NOON.getTime());
  });
});

describe('a pass that found no ledger', () => {
  it('is made again within seconds, one that left something within a minute, and one that has more at once', () => {
    expect(nextPassInMs('outage', HOUR_MS)).toBeLessThanOrEqual(5_000);
    expect(nextPassInMs('failed', HOUR_MS)).toBe(MINUTE_MS);
    expect(nextPassInMs('more', HOUR_MS)).toBe(0);
    expect(nextPassInMs('done', HOUR_MS)).toBeUndefined();
    expect(nextPassInMs('outage', 1_000)).toBeUndefined();
  });
});

describe('the alarm of a repeated job', () => {
  it.each([
    [0, true],
    [MINUTE_MS, true],
    [-MINUTE_MS, true],
    // Nobody was there to hear it.
    [-2 * MINUTE_MS, false],
    // Set by a clock that was ahead: until then the job would stand still.
    [HOUR_MS, false],
    [365 * 24 * HOUR_MS, false],
  ])('that rings in %d ms every minute is on time: %s', (inMs, isInTime) =>
    expect(isOnTime(NOON.getTime() + inMs, MINUTE_MS, NOON.getTime())).toBe(isInTime),
  );
});
