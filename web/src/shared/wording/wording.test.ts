import { describe, expect, it } from '@jest/globals';
import { money, moneyParts, signedMoney } from './money.js';
import { capitalised, fullName, initials } from './people.js';
import { dateOf, nextDayOf, timeLabel } from './time.js';

describe('an amount in words', () => {
  it.each([
    ['1284.50', '$1,284.50'],
    ['0.00', '$0.00'],
    ['5', '$5.00'],
    ['20.5', '$20.50'],
    ['-0.05', '-$0.05'],
    ['-0.00', '$0.00'],
    ['007.10', '$7.10'],
    ['1000000.00', '$1,000,000.00'],
    // More digits than a floating-point number has: each of them is shown.
    ['90071992547409.93', '$90,071,992,547,409.93'],
  ])('%s is %s', (decimal, words) => expect(money(decimal)).toBe(words));

  it('comes in pieces that are drawn apart', () =>
    expect(moneyParts('-1284.50')).toEqual({ sign: '-', dollars: '$1,284', cents: '.50' }));
  it('has a plus for what came in and a minus for what went out', () =>
    expect([signedMoney('20.00', true), signedMoney('15', false)]).toEqual(['+$20.00', '-$15.00']));
  it('that is none is shown as it came, and is no wrong figure', () => expect(money('abc')).toBe('abc'));
});

describe('how long ago', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const HOUR = 3_600_000;
  it.each([
    [0, 'Less than an hour ago'],
    [HOUR - 1, 'Less than an hour ago'],
    [HOUR, '1 hour ago'],
    [3 * HOUR, '3 hours ago'],
    [24 * HOUR - 1, '23 hours ago'],
    [24 * HOUR, 'Yesterday'],
    [48 * HOUR - 1, 'Yesterday'],
    [48 * HOUR, '2 days ago'],
    [7 * 24 * HOUR - 1, '6 days ago'],
  ])('%i ms: %s', (ms, words) => expect(timeLabel(new Date(now - ms).toISOString(), now)).toBe(words));
  it('is the date from a week on', () => {
    const iso = new Date(now - 7 * 24 * HOUR).toISOString();
    expect(timeLabel(iso, now)).toBe(dateOf(iso));
    expect(dateOf(iso)).toMatch(/^\d\d\/\d\d\/2026$/);
  });
  it('is less than an hour for a time slightly in the future', () =>
    expect(timeLabel(new Date(now + 60_000).toISOString(), now)).toBe('Less than an hour ago'));
  it('says nothing of what is no date', () => expect([timeLabel('x', now), dateOf('x')]).toEqual(['', '']));
});

describe('a day to come', () => {
  // Noon of the reader, wherever they are.
  const noonOf = (day: string): string => new Date(`${day}T12:00`).toISOString();
  const now = Date.parse(noonOf('2026-11-21'));
  it('has no year while it is near', () => expect(nextDayOf(noonOf('2027-01-09'), now)).toBe('Jan 9'));
  it('has one where the day alone could be mistaken', () =>
    expect(nextDayOf(noonOf('2030-12-01'), now)).toBe('Dec 1, 2030'));
});

describe('a person', () => {
  it.each([
    ['Juno Valastro', 'JV'],
    ['juno', 'J'],
    ['Ana María de la Cruz', 'AC'],
    ['émile.zola', 'ÉZ'],
    ['', ''],
  ])('%j has the letters %j', (name, letters) => expect(initials(name)).toBe(letters));
  it('without a name is known by the username', () =>
    expect(fullName({ firstName: '', lastName: null, username: 'junoplays' })).toBe('junoplays'));
  it('has a state that reads like a word', () =>
    expect(capitalised('partially_refunded')).toBe('Partially refunded'));
});
