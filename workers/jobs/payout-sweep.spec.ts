import { describe, expect, it } from '@jest/globals';
import type { UnfinishedPayoutView } from '#projections/payouts/queries';
import { commandForPayout, payoutTryName, waitMs } from './payout-sweep.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RETRY = 5 * MINUTE;
const NOON = new Date('2026-03-10T12:00:00.000Z');
const ago = (ms: number): Date => new Date(NOON.getTime() - ms);
const payout = (over: Partial<UnfinishedPayoutView> = {}): UnfinishedPayoutView => ({
  id: 'out_a',
  step: 'requested',
  changedAt: ago(MINUTE),
  payoutsEnabled: true,
  isBankGone: false,
  delays: 0,
  delayCode: null,
  delayedAt: null,
  isCovered: true,
  waitsItsTurn: false,
  ...over,
});
const isDue = (over: Partial<UnfinishedPayoutView>) =>
  commandForPayout(payout(over), NOON, RETRY) !== undefined;

describe('the sweep of payouts', () => {
  it('takes a new one further at once', () =>
    expect(commandForPayout(payout(), NOON, RETRY)).toEqual({
      type: 'AdvancePayout',
      payoutId: 'out_a',
    }));

  it('lets one wait whose owner is not verified, unless its bank account is gone', () => {
    expect(isDue({ payoutsEnabled: false })).toBe(false);
    expect(isDue({ payoutsEnabled: false, isBankGone: true })).toBe(true);
  });

  it.each(['transferred', 'returned'] as const)(
    'takes one further that stands at %s, whoever is verified',
    (step) => expect(isDue({ step, payoutsEnabled: false })).toBe(true),
  );

  it('waits after an attempt that came to nothing, longer each time', () => {
    expect(isDue({ delays: 1, delayedAt: ago(RETRY - 1) })).toBe(false);
    expect(isDue({ delays: 1, delayedAt: ago(RETRY) })).toBe(true);
    expect(isDue({ delays: 3, delayedAt: ago(4 * RETRY - 1) })).toBe(false);
    expect(isDue({ delays: 3, delayedAt: ago(4 * RETRY) })).toBe(true);
  });

  it('leaves one alone that waits its turn, and asks about it when the money reaches it', () => {
    expect(isDue({ waitsItsTurn: true })).toBe(false);
    expect(isDue({ waitsItsTurn: false })).toBe(true);
  });

  it('waits no longer each time for money that is not there yet: others wait behind it', () => {
    const delayCode = 'balance_insufficient';
    expect(isDue({ delays: 9, delayCode, delayedAt: ago(RETRY) })).toBe(true);
    expect(isDue({ delays: 9, delayCode, delayedAt: ago(RETRY - 1) })).toBe(false);
  });

  it('never waits longer than six hours', () => {
    expect(waitMs(1, RETRY)).toBe(RETRY);
    for (const delays of [8, 100, 100_000]) expect(waitMs(delays, RETRY)).toBe(6 * HOUR);
  });

  it('asks about one at the bank once an hour', () => {
    const step = 'submitted';
    expect(isDue({ step, changedAt: ago(30 * MINUTE) })).toBe(false);
    const names = new Set<string>();
    for (let minute = 1; minute <= 24 * 60; minute++) {
      const now = new Date(NOON.getTime() + minute * MINUTE);
      const view = payout({ step, changedAt: NOON });
      if (commandForPayout(view, now, RETRY)) names.add(payoutTryName(view, now));
    }
    expect(names.size).toBe(24);
  });

  it('tries one anew whose state has changed', () => {
    const states = [
      {},
      { delays: 1 },
      { step: 'transferred' as const },
      { payoutsEnabled: false },
      { isCovered: false },
    ];
    expect(new Set(states.map((over) => payoutTryName(payout(over), NOON))).size).toBe(5);
  });
});
