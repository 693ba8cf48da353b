/**
 * Payouts go in the order of their requests, whoever looks at them, in whatever order, and however old the
 * look.
 */
import { describe, expect, it } from '@jest/globals';
import type { PayoutProvider } from '#ledger/stripe/payout-provider';
import { Unavailable } from '#ledger/rejection';
import { Dice } from '#test/simulator/dice';
import { PayoutTurns, type PayoutQueue } from './payout-turns.js';

interface Waiting {
  readonly id: string;
  readonly amountMinor: number;
  transferredAt?: Date;
}

/** A provider with so much, a queue, and ledgers that look at it; `looks` counts the reads of the balance. */
function world(amounts: readonly number[], availableMinor: number) {
  const payouts: Waiting[] = amounts.map((amountMinor, n) => ({ id: `out_${n}`, amountMinor }));
  const there = { availableMinor, looks: 0, isAway: false };
  const provider = {
    availableMinor: () => {
      there.looks += 1;
      return there.isAway ? Promise.reject(new Unavailable('Away.')) : Promise.resolve(there.availableMinor);
    },
  } as unknown as PayoutProvider;
  const queue: PayoutQueue = {
    neededFor(id, since) {
      const place = payouts.findIndex((payout) => payout.id === id);
      if (place < 0) return Promise.resolve(undefined);
      const counted = payouts.filter(
        ({ transferredAt }, n) =>
          n === place || (transferredAt === undefined ? n < place : transferredAt >= since),
      );
      return Promise.resolve(counted.reduce((sum, { amountMinor }) => sum + amountMinor, 0));
    },
    note: () => Promise.resolve(),
  };
  return {
    there,
    payouts,
    ledger: () => new PayoutTurns(provider, queue),
    transfer(payout: Waiting) {
      payout.transferredAt = new Date();
      there.availableMinor -= payout.amountMinor;
    },
  };
}

describe('the turns of payouts', () => {
  it('let no small one overtake a large one that waits', async () => {
    const { ledger, there } = world([5_000, 500], 1_000);
    expect(await ledger().isReached('out_0')).toBe(false);
    expect(await ledger().isReached('out_1')).toBe(false);
    there.availableMinor = 5_499;
    expect(await ledger().isReached('out_0')).toBe(true);
    expect(await ledger().isReached('out_1')).toBe(false);
    there.availableMinor = 5_500;
    expect(await ledger().isReached('out_1')).toBe(true);
  });

  it('come to none that the rows do not show yet', async () =>
    expect(await world([], 1_000).ledger().isReached('out_0')).toBe(false));

  it('take one look for all that are asked about at a time, and another where that failed', async () => {
    const { ledger, there } = world([100, 100, 100], 1_000);
    const turns = ledger();
    there.isAway = true;
    await expect(turns.isReached('out_0')).rejects.toBeInstanceOf(Unavailable);
    there.isAway = false;
    await Promise.all(['out_0', 'out_1', 'out_2'].map((id) => turns.isReached(id)));
    expect(there.looks).toBe(2);
  });

  it.each(Array.from({ length: 50 }, (_, n) => n + 1))(
    'are kept by two ledgers that look in any order, and spend no more than there is (seed %i)',
    async (seed) => {
      const dice = new Dice(seed);
      const amounts = Array.from({ length: 12 }, () => dice.between(1, 900));
      const { payouts, ledger, there, transfer } = world(amounts, dice.between(0, 4_000));
      const ledgers = [ledger(), ledger()];
      for (let n = 0; n < 60; n++) {
        const payout = dice.one(payouts);
        if (payout.transferredAt || !(await dice.one(ledgers).isReached(payout.id))) continue;
        transfer(payout);
        expect(there.availableMinor).toBeGreaterThanOrEqual(0);
        // Whatever was passed over for the moment can still go.
        const before = payouts
          .slice(0, payouts.indexOf(payout))
          .filter(({ transferredAt }) => !transferredAt);
        const needed = before.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
        expect(there.availableMinor).toBeGreaterThanOrEqual(needed);
      }
    },
  );
});
