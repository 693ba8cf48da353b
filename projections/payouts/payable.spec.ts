/** What covers a payout, and when. */
import { describe, expect, it } from '@jest/globals';
import { coveredOn, payableOf } from './payable.js';

const day = (n: number): Date => new Date(Date.UTC(2026, 2, n));
const state = (availableMinor: number, queuedMinor = 0) => ({
  availableMinor,
  queuedMinor,
  arrivals: [
    { on: day(3), netMinor: 1_000 },
    { on: day(4), netMinor: 500 },
  ],
});

describe('a payout', () => {
  it('is covered now, or on the day when enough card money has arrived', () => {
    expect(coveredOn(200, state(200))).toBe('now');
    expect(coveredOn(201, state(200))).toEqual(day(3));
    expect(coveredOn(1_200, state(200))).toEqual(day(3));
    expect(coveredOn(1_201, state(200))).toEqual(day(4));
  });
  it('has no date where nothing that is known to come covers it', () =>
    expect(coveredOn(1_701, state(200))).toBeUndefined());
  it('waits for more when refunds took more than was there', () =>
    expect(coveredOn(900, state(-200))).toEqual(day(4)));
});

describe('a balance', () => {
  it('is payable after the payouts that were requested before, now and day by day', () =>
    expect(payableOf(1_400, state(500, 300))).toEqual({
      nowMinor: 200,
      later: [
        { on: day(3), amountMinor: 1_000 },
        { on: day(4), amountMinor: 200 },
      ],
      undatedMinor: 0,
    }));
  it('says what nothing that is known to come covers', () =>
    expect(payableOf(2_000, state(0, 300))).toEqual({
      nowMinor: 0,
      later: [
        { on: day(3), amountMinor: 700 },
        { on: day(4), amountMinor: 500 },
      ],
      undatedMinor: 800,
    }));
  it('that is a debt has nothing to be paid out', () =>
    expect(payableOf(-100, state(500))).toEqual({ nowMinor: 0, later: [], undatedMinor: 0 }));
});
