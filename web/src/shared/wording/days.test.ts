/** @jest-environment-options {"timeZone": "America/New_York"} */
// Days of a reader whose clock is put forward and back: not every one of them has 24 hours.
import { describe, expect, it } from '@jest/globals';
import { dayTitle } from './days.js';
import { dayKey } from './months.js';
import { dayAndTimeOf } from './time.js';

const titleOf = (iso: string, now: string) => dayTitle(dayKey(new Date(iso)), iso, Date.parse(now));

describe('the day before', () => {
  it.each([
    ['a day of 25 hours, just before its end', '2026-10-31T12:00-04:00', '2026-11-01T23:30-05:00'],
    ['the day after one of 23 hours, just begun', '2027-03-14T12:00-04:00', '2027-03-15T00:30-04:00'],
  ])('%s, is yesterday', (_which, at, now) => {
    expect(titleOf(at, now)).toBe('Yesterday');
    expect(dayAndTimeOf(at, Date.parse(now))).toBe('yesterday, 12:00 PM');
  });

  it('yesterday has its date', () =>
    expect(titleOf('2027-03-13T12:00-05:00', '2027-03-15T00:30-04:00')).toBe('Sat Mar 13'));
});
