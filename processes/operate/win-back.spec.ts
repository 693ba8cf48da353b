/** How far back the provider's lists are read in a recovery of the log. */
import { describe, expect, it } from '@jest/globals';
import { Journal } from '#ledger/journal/journal';
import { archiveOf } from '#test/support/log-archive';
import { contextOf, JUNO, MILO, openAccount } from '#test/support/journal-spec';
import { MemoryLog } from '#test/support/memory-log';
import {
  CannotWinBack,
  comparedSince,
  lastHeardMs,
  otherAccount,
  sinceTooLate,
  winBack,
} from './win-back.js';

const DAY_MS = 24 * 3_600_000;
const LAST_MS = Date.parse('2026-03-01T12:00:00.000Z');

describe('a recovery compares the provider’s lists', () => {
  it.each([
    ['a day before the end of a young backup', 1, 'rows', 1],
    ['a day before the end of a backup of a week', 7, 'rows', 1],
    // A refund may have failed weeks before the log heard of it, and the provider tells of events for 30
    // days.
    ['a month before the end of a backup that is older than a week', 8, 'rows', 30],
    ['a month before the end of a log of which only the provider knew more', 1, 'provider', 30],
  ] as const)('since %s', (_, ageDays, knownFrom, daysBefore) => {
    const since = comparedSince(LAST_MS, LAST_MS + ageDays * DAY_MS, knownFrom);
    expect(since).toEqual(new Date(LAST_MS - daysBefore * DAY_MS));
  });
});

describe('a recovery is refused', () => {
  it('over an empty log without an archive: whose the provider’s objects are stands in its first entry', async () => {
    const log = new MemoryLog();
    const refused = winBack({
      log,
      archive: undefined,
      row: { logRevision: -1, knownFrom: 'rows' },
      sources: [],
      provider: () => Promise.reject(new Error('Nothing is asked of the provider.')),
      tell: () => undefined,
    });
    await expect(refused).rejects.toThrow(CannotWinBack);
    await expect(refused).rejects.toThrow(/^The log is empty, .+ encore operate found$/);
    expect(log.all).toHaveLength(0);
  });

  it('from a time behind the log’s last entry: what happened in between would be in no entry', () => {
    const at = (ms: number) => new Date(LAST_MS + ms);
    for (const asked of [undefined, at(0), at(-DAY_MS)]) expect(sinceTooLate(asked, LAST_MS)).toBeUndefined();
    expect(sinceTooLate(at(1), undefined)).toBeUndefined();
    expect(sinceTooLate(at(1), LAST_MS)).toBe(
      '--since 2026-03-01T12:00:00.001Z is later than the log’s last entry of its own, 2026-03-01T12:00:00.000Z: what the ' +
        'card provider did in between would be in no entry. Name an earlier time, or leave --since out.',
    );
  });

  it('with keys of another account, or of the other mode of the same one', () => {
    const founding = { providerAccountId: 'acct_ours', mode: 'live' } as const;
    expect(otherAccount(founding, founding)).toBeUndefined();
    expect(otherAccount(undefined, founding)).toBeUndefined();
    for (const keys of [
      { ...founding, providerAccountId: 'acct_theirs' },
      { ...founding, mode: 'test' as const },
    ])
      expect(otherAccount(founding, keys)).toBe(
        `The keys are of the card provider’s account ${keys.providerAccountId} (${keys.mode} mode), and this ledger was ` +
          'founded over the card provider’s account acct_ours (live mode). Set the keys of that account.',
      );
  });
});

describe('the end of a log that has lost the end of a recovery', () => {
  it('is the last entry that no recovery wrote', async () => {
    let nowMs = LAST_MS;
    const clock = () => new Date(nowMs);
    const log = new MemoryLog(clock);
    const window = { ms: Infinity, entries: Infinity };
    const journal = await Journal.open(log, { archive: archiveOf(log), clock, window });
    expect(await lastHeardMs(log, -1)).toBeUndefined();
    const first = openAccount(JUNO);
    await journal.execute(first, contextOf(first));
    nowMs += 20 * DAY_MS;
    // More of them than are read at a time.
    const receipts = await Promise.all(
      Array.from({ length: 1_200 }, (_, n) =>
        journal.execute(
          { type: 'OpenAccount', userId: `usr_lost${n}` },
          { correlationId: 'recovery', recovered: true },
        ),
      ),
    );
    for (const revision of [0, 1, receipts.length]) expect(await lastHeardMs(log, revision)).toBe(LAST_MS);
    const later = openAccount(MILO);
    const { revision } = await journal.execute(later, contextOf(later));
    expect(await lastHeardMs(log, revision)).toBe(nowMs);
    await journal.close();
  });
});
