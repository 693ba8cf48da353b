/** Counts within a time. */
import { describe, expect, it } from '@jest/globals';
import { countAt, counted, roomInMs, type Counts } from './counts.js';

const HOUR = 3_600_000;
const T0 = Date.parse('2026-05-01T12:00:00.000Z');
const at = (minutes: number): number => T0 + minutes * 60_000;
const add = (counts: Counts, minutes: number, by = 1): Counts => counted(counts, at(minutes), by, HOUR);

describe('a count within an hour', () => {
  it('holds what came within it, and lets go of what is older', () => {
    const counts = add(add(add([], 0), 1), 30);
    expect(countAt(counts, at(31), HOUR)).toBe(3);
    expect(countAt(counts, at(60), HOUR)).toBe(3);
    expect(countAt(counts, at(66), HOUR)).toBe(1);
    expect(countAt(counts, at(96), HOUR)).toBe(0);
  });
  it('takes away what ended, at the time at which that began', () => {
    const counts = counted(add(add([], 0), 30), at(0), -1, HOUR);
    expect(countAt(counts, at(31), HOUR)).toBe(1);
    expect(counted(counts, at(-200), -1, HOUR)).toEqual(counts);
  });
  it('is a few numbers however much is counted', () => {
    let counts: Counts = [];
    for (let n = 0; n < 10_000; n++) counts = counted(counts, T0 + n * 1_000, 1, HOUR);
    expect(counts.length).toBeLessThanOrEqual(14);
    expect(countAt(counts, T0 + 10_000_000, HOUR)).toBeGreaterThanOrEqual(3_600);
  });
  it('says when there is room again', () => {
    const counts = add(add(add([], 0), 1), 30);
    expect(roomInMs(counts, at(31), 3, HOUR)).toBe(at(65) - at(31));
    expect(roomInMs(counts, at(31), 1, HOUR)).toBe(at(95) - at(31));
    expect(countAt(counts, at(31) + roomInMs(counts, at(31), 3, HOUR), HOUR)).toBeLessThan(3);
  });
});
