/** How a ledger says how it is: unable to serve, or degraded, and to whom it says why. */
import { describe, expect, it } from '@jest/globals';
import { StoreHealth } from '#log/store-health';
import { LedgerReadiness, type Finding } from './readiness.js';

function ledger(others: readonly (() => Promise<readonly Finding[]>)[] = []) {
  const world = {
    now: 0,
    hasRows: true,
    isBehind: false,
    stoppedBecause: undefined as string | undefined,
    isEnding: false,
    reason: undefined as string | undefined,
    gate: { closed: undefined as string | undefined, waiting: undefined as string | undefined },
  };
  const store = new StoreHealth(() => world.now);
  const readiness = new LedgerReadiness({
    pool: {
      query: () => (world.hasRows ? Promise.resolve() : Promise.reject(new Error('ECONNREFUSED'))),
    } as never,
    journal: {
      status: () => ({
        ready: world.reason === undefined,
        reason: world.reason,
        revision: 0,
        queued: 0,
        accounts: 0,
      }),
    },
    store,
    freshness: {
      get isBehind() {
        return world.isBehind;
      },
      get stoppedBecause() {
        return world.stoppedBecause;
      },
    },
    gate: world.gate,
    isEnding: () => world.isEnding,
    others,
    othersWithinMs: 20,
  });
  return { world, store, readiness };
}

const CLOSED = 'Payments and changes are not taken at the moment.';

describe('a ledger', () => {
  it('is ready when nothing is amiss', async () => {
    const { readiness } = ledger();
    expect(await readiness.check()).toEqual({ ready: true, reasons: [] });
    expect(await readiness.checkInside()).toEqual({ ready: true, reasons: [], writes: 'open' });
  });

  it('answers in time though something that it looks at does not, and says so', async () => {
    const known = { outside: 'Mail is late.', inside: '3 mails wait.' };
    const { readiness } = ledger([() => new Promise(() => undefined), () => Promise.resolve([known])]);
    const { ready, degraded, reasons } = await readiness.checkInside();
    expect([ready, degraded]).toEqual([true, true]);
    expect(reasons).toEqual([expect.stringMatching(/^Not all could be looked at within/), known.inside]);
  });

  it('does not add that to an event store that is away, which it has told', async () => {
    const { world, store, readiness } = ledger([() => new Promise(() => undefined)]);
    store.unanswered();
    world.now = 12_000;
    expect(await readiness.check()).toEqual({ ready: true, degraded: true, reasons: [CLOSED] });
  });

  it('serves while the event store is away, and is degraded until an append has succeeded', async () => {
    const { world, store, readiness } = ledger();
    store.unanswered();
    world.now = 12_000;
    expect(await readiness.check()).toEqual({ ready: true, degraded: true, reasons: [CLOSED] });
    expect(await readiness.checkInside()).toMatchObject({
      reasons: ['The event store has not answered for 12 seconds.'],
      writes: 'closed',
    });
    store.answered();
    expect(await readiness.check()).toMatchObject({ ready: true, degraded: true });
    expect((await readiness.checkInside()).reasons).toEqual([
      'The event store answers, and has written nothing for 12 seconds.',
    ]);
    store.appended();
    expect(await readiness.check()).toEqual({ ready: true, reasons: [] });
  });

  it.each(['The journal has not been read yet.', 'Entry 7 does not follow the one before it.'])(
    'serves while its writes are closed for a reason of its own: %s',
    async (reason) => {
      const { world, readiness } = ledger();
      world.reason = reason;
      expect(await readiness.check()).toEqual({ ready: true, degraded: true, reasons: [CLOSED] });
      expect((await readiness.checkInside()).reasons).toEqual([reason]);
    },
  );

  it.each(['closed', 'waiting'] as const)('serves while the gate before the log is %s', async (state) => {
    const { world, readiness } = ledger();
    world.gate[state] = 'The log is in recovery: it has lost something.';
    expect(await readiness.check()).toEqual({ ready: true, degraded: true, reasons: [CLOSED] });
    expect(await readiness.checkInside()).toMatchObject({ reasons: [world.gate[state]], writes: 'closed' });
  });

  it('serves what rows it has while the read side stands still', async () => {
    const { world, readiness } = ledger();
    world.isBehind = true;
    expect(await readiness.check()).toEqual({
      ready: true,
      degraded: true,
      reasons: ['What is shown may be out of date.'],
    });
    expect((await readiness.checkInside()).writes).toBe('open');
  });

  it('cannot serve without rows or at its end, and names nothing of the inside to everybody', async () => {
    const { world, store, readiness } = ledger();
    world.hasRows = false;
    store.unanswered();
    const outside = await readiness.check();
    expect(outside).toEqual({ ready: false, reasons: ['Nothing can be read at the moment.', CLOSED] });
    expect(JSON.stringify(outside)).not.toMatch(/postgres|store|journal|log/i);
    expect((await readiness.checkInside()).reasons[0]).toEqual(
      expect.stringMatching(/^Postgres does not answer\. .*DATABASE_URL/),
    );
    world.hasRows = true;
    world.isEnding = true;
    expect((await readiness.check()).ready).toBe(false);
  });
});
