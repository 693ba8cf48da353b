import { describe, expect, it } from '@jest/globals';
import { dueTime, firstDueAfter, lastDueNumber, type Frequency } from './recurrence.js';

const at = (text: string): Date => new Date(text);
const days = (anchor: string, frequency: Frequency, count: number): string[] =>
  Array.from({ length: count }, (_, n) => dueTime(at(anchor), frequency, n).toISOString().slice(0, 10));

describe('due times', () => {
  it('keep their anchor day through short months', () =>
    expect(days('2027-01-31T09:30:00.000Z', 'monthly', 6)).toEqual([
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
      '2027-06-30',
    ]));
  it('know leap years, and the end of the year', () =>
    expect(days('2027-11-30T00:00:00.000Z', 'monthly', 4)).toEqual([
      '2027-11-30',
      '2027-12-30',
      '2028-01-30',
      '2028-02-29',
    ]));
  it('are a day or a week of hours apart, at the same time of day in UTC, whatever the clocks of a country do', () => {
    expect(dueTime(at('2026-03-28T23:59:59.999Z'), 'daily', 1)).toEqual(at('2026-03-29T23:59:59.999Z'));
    expect(dueTime(at('2026-10-24T12:00:00.000Z'), 'weekly', 1)).toEqual(at('2026-10-31T12:00:00.000Z'));
  });
  it.each(['daily', 'weekly', 'monthly'] as const)(
    'that are %s are numbered as they come, over ten years',
    (frequency) => {
      const anchor = at('2024-01-31T17:05:06.007Z');
      for (let n = 0; n < (frequency === 'daily' ? 3_653 : 522); n += 1) {
        const due = dueTime(anchor, frequency, n);
        expect(lastDueNumber(anchor, frequency, due)).toBe(n);
        expect(lastDueNumber(anchor, frequency, new Date(due.getTime() - 1))).toBe(n - 1);
        expect(firstDueAfter(anchor, frequency, due)).toEqual(dueTime(anchor, frequency, n + 1));
        expect(firstDueAfter(anchor, frequency, new Date(due.getTime() - 1))).toEqual(due);
      }
    },
  );
  it('begin with the anchor', () =>
    expect(firstDueAfter(at('2026-05-05T05:00:00.000Z'), 'monthly', at('2020-01-01T00:00:00.000Z'))).toEqual(
      at('2026-05-05T05:00:00.000Z'),
    ));
});
