/** The table of limits and the setting that changes its numbers. */
import { describe, expect, it } from '@jest/globals';
import { aboutTime, DEFAULT_LIMITS, LIMIT_NAMES, limitsFrom } from './limits.js';

describe('the setting LIMITS', () => {
  it('changes the numbers that it names and no others', () => {
    expect(limitsFrom('')).toEqual(DEFAULT_LIMITS);
    expect(limitsFrom('wallets=40, look-up-user=off\n')).toEqual({
      ...DEFAULT_LIMITS,
      wallets: 40,
      'look-up-user': Infinity,
    });
  });
  it('refuses what it does not know, and numbers that are none', () => {
    for (const wrong of [
      'walets=4',
      'wallets',
      'wallets=',
      'wallets=0',
      'wallets=-1',
      'wallets=1.5',
      'toString=4',
    ])
      expect(limitsFrom(wrong)).toEqual({ problem: expect.stringContaining(wrong) });
  });
  it('has no limit below what one honest click needs', () => {
    for (const name of LIMIT_NAMES) expect(DEFAULT_LIMITS[name]).toBeGreaterThanOrEqual(5);
  });
});

describe('a time to wait', () => {
  it('is said as people say it, and never too short', () => {
    expect([1, 40_000, 61_000, 91_000, 3_600_000, 5_400_001, 86_400_000].map(aboutTime)).toEqual([
      '1 second',
      '40 seconds',
      '61 seconds',
      '2 minutes',
      '60 minutes',
      '2 hours',
      '24 hours',
    ]);
  });
});
