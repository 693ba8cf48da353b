/** Who may write when: a spell, a rest, and nobody starves. */
import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

describe('a ledger that writes', () => {
  it('never waits when it is not busy', () => {
    const turns = new Turns();
    for (let now = 1_000; now < 10_000; now += 100) {
      expect(turns.advice(now, 0)).toBe('go');
      turns.landed(now + 2);
    }
  });

  it('rests for a moment after a long spell, and reads what others wrote meanwhile', () => {
    const turns = new Turns();
    expect(turns.advice(1_000, 0)).toBe('go');
    turns.landed(1_490);
    expect(turns.advice(1_499, 1)).toBe('go');
    expect(turns.advice(1_500, 1)).toBe('land');
    turns.landed(1_505);
    expect(turns.advice(1_506, 0)).toBe('rest');
    expect(turns.advice(1_517, 0)).toBe('read');
    turns.read(1_518, 0);
    expect(turns.advice(1_518, 0)).toBe('go');
  });

  it('rests as long as a rival writes, and not for ever', () => {
    const turns = new Turns();
    turns.lost(1_000, 500);
    let now = 1_000;
    while (turns.advice(now, 0) === 'rest') turns.read((now += 5), 20);
    expect(now).toBeGreaterThanOrEqual(1_400);
    expect(now).toBeLessThan(1_500);
  });

  it('reads before it writes when it has seen a rival lately, and tries again at once after losing by little', () => {
    const turns = new Turns();
    expect(turns.advice(1_000, 0)).toBe('go');
    turns.lost(1_005, 1);
    expect(turns.advice(1_006, 0)).toBe('go');
    turns.landed(1_008);
    expect(turns.advice(1_030, 0)).toBe('read');
    turns.read(1_031, 0);
    expect(turns.advice(1_031, 0)).toBe('go');
  });
});
