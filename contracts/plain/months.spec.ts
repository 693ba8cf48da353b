/** Months of the books, in zones whose clocks change. */
import { describe, expect, it } from '@jest/globals';
import { dayOf, isTimeZone, monthAfter, monthInWords, monthOf, spanOfDay, spanOfMonth } from './months.js';

const span = (month: string, zone: string) => {
  const { fromMs, untilMs } = spanOfMonth(month, zone);
  return [new Date(fromMs).toISOString(), new Date(untilMs).toISOString()];
};

describe('a month of the books', () => {
  it('begins and ends at midnight of its zone, also where the clocks change within it', () => {
    expect(span('2026-11', 'UTC')).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']);
    expect(span('2026-11', 'America/New_York')).toEqual([
      '2026-11-01T04:00:00.000Z',
      '2026-12-01T05:00:00.000Z',
    ]);
    expect(span('2026-03', 'Europe/Berlin')).toEqual([
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ]);
    expect(span('2026-12', 'Pacific/Kiritimati')).toEqual([
      '2026-11-30T10:00:00.000Z',
      '2026-12-31T10:00:00.000Z',
    ]);
  });

  it('holds its first moment and not the one after its last', () => {
    for (const zone of ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'])
      for (let month = '2026-01'; month < '2028-01'; month = monthAfter(month)) {
        const { fromMs, untilMs } = spanOfMonth(month, zone);
        expect([zone, monthOf(fromMs, zone), monthOf(fromMs - 1, zone)]).toEqual([
          zone,
          month,
          monthAfter(month, -1),
        ]);
        expect([monthOf(untilMs - 1, zone), monthOf(untilMs, zone)]).toEqual([month, monthAfter(month)]);
      }
  });

  it('begins with its first moment where the clocks are put forward over its midnight', () =>
    expect(span('2023-10', 'America/Asuncion')).toEqual([
      '2023-10-01T04:00:00.000Z',
      '2023-11-01T03:00:00.000Z',
    ]));

  it('is named in words, and what is no month or day is refused', () => {
    expect(monthInWords('2026-11')).toBe('November 2026');
    expect(() => spanOfMonth('2026-13', 'UTC')).toThrow('is not a month');
    expect(() => spanOfDay('2026-02-30', 'UTC')).toThrow('is not a day');
    expect(isTimeZone('Europe/Berlin')).toBe(true);
    expect(isTimeZone('Mars/Base')).toBe(false);
  });
});

describe('a day of the books', () => {
  it('begins with its first moment, whatever the clocks do around midnight', () => {
    const begins = (day: string, zone: string) => {
      const { fromMs } = spanOfDay(day, zone);
      expect([dayOf(fromMs, zone), dayOf(fromMs - 1, zone) < day]).toEqual([day, true]);
      return new Date(fromMs).toISOString();
    };
    // Put forward over midnight: 23:59, then 1:00.
    expect(begins('2026-03-08', 'America/Havana')).toBe('2026-03-08T05:00:00.000Z');
    expect(begins('2026-04-24', 'Africa/Cairo')).toBe('2026-04-23T22:00:00.000Z');
    // Two midnights: 0:59, then 0:00 again.
    expect(begins('2026-11-01', 'America/Havana')).toBe('2026-11-01T04:00:00.000Z');
    expect(begins('2017-10-27', 'Asia/Amman')).toBe('2017-10-26T21:00:00.000Z');
  });

  it('has 23 or 25 hours where the clocks change', () => {
    const hours = (day: string): number => {
      const { fromMs, untilMs } = spanOfDay(day, 'America/New_York');
      return (untilMs - fromMs) / 3_600_000;
    };
    expect([hours('2026-03-08'), hours('2026-11-01'), hours('2026-11-02')]).toEqual([23, 25, 24]);
    expect(dayOf(Date.parse('2026-11-01T03:59:59Z'), 'America/New_York')).toBe('2026-10-31');
  });
});
