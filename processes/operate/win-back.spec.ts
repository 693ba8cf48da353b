/** How far back the provider's lists are read in a recovery of the log. */
import { describe, expect, it } from '@jest/globals';
import { comparedSince } from './win-back.js';

const DAY_MS = 24 * 3_600_000;
const LAST_MS = Date.parse('2026-03-01T12:00:00.000Z');

describe('a recovery compares the provider’s lists', () => {
  it.each([
    ['a day before the end of a young backup', 1, 'rows', 1],
    ['a day before the end of a backup of a week', 7, 'rows', 1],
    // A refund may have failed weeks before the log heard of it, and the provider tells of events for 30 days.
    ['a month before the end of a backup that is older than a week', 8, 'rows', 30],
    ['a month before the end of a log of which only the provider knew more', 1, 'provider', 30],
  ] as const)('since %s', (_, ageDays, knownFrom, daysBefore) => {
    const since = comparedSince(LAST_MS, LAST_MS + ageDays * DAY_MS, knownFrom);
    expect(since).toEqual(new Date(LAST_MS - daysBefore * DAY_MS));
  });
});
