/**
 * Closing months of the books: by the rules, and by the handler that reads a month's figures from the log.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import { available, platform } from '#contracts/plain/accounts';
import { spanOfMonth } from '#contracts/plain/months';
import { JOURNAL, type JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { recorded } from '#log/event-log';
import { decide, evolve } from '#ledger/journal/books';
import { Journal } from '#ledger/journal/journal';
import type { ExecuteJournalCommand } from '#ledger/bus/execute-journal-command';
import { InternalCommands } from '#ledger/bus/internal-commands';
import { Books } from '#ledger/journal/state';
import { Rejected } from '#ledger/rejection';
import { archiveOf } from '#test/support/log-archive';
import { JUNO, MILO, open, openAccount, providerFee, settle, transfer } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { monthFigures } from './month-figures.js';
import { MonthEnd } from './month-end.handlers.js';

const tip = (n: number) => ({ paymentId: `pay_${n}`, amount: '20.00' });

/** A story with entries of October, November and December 2026, in this time zone. */
function threeMonths(timeZone?: string): Story {
  const story = new Story();
  story.nowMs = Date.parse('2026-10-05T12:00:00Z');
  story.command(
    { type: 'FoundLedger', providerAccountId: 'acct_1', mode: 'test', timeZone },
    openAccount(JUNO),
    openAccount(MILO),
    open(tip(1)),
    settle(tip(1)),
  );
  story.nowMs = Date.parse('2026-11-01T02:00:00Z');
  story.command(transfer('5.00', JUNO, MILO));
  story.nowMs = Date.parse('2026-11-20T12:00:00Z');
  story.command(open(tip(2)), settle(tip(2)), providerFee(tip(2), '0.88'));
  story.nowMs = Date.parse('2026-12-10T12:00:00Z');
  return story;
}

async function closing(story: Story, month: string, timeZone = 'UTC') {
  const figures = await monthFigures(story.log, spanOfMonth(month, timeZone));
  return { type: 'CloseMonth', month, figures } as const;
}

const refusal = (story: Story, command: Awaited<ReturnType<typeof closing>>): string | undefined => {
  try {
    decide(command, { correlationId: 'spec' }, story.books, story.nowMs);
  } catch (error) {
    if (error instanceof Rejected) return error.reason;
    throw error;
  }
  return undefined;
};

describe('closing a month', () => {
  it('says what every kind of account held at its end, and what comes later changes none of it', async () => {
    const story = threeMonths();
    story.command(await closing(story, '2026-10'));
    const [november] = story.command(await closing(story, '2026-11'));
    expect(november).toMatchObject({
      type: 'MonthClosed',
      data: {
        month: '2026-11',
        timeZone: 'UTC',
        entryCount: 4,
        totals: [
          { kind: 'available', currency: 'usd', balanceMinor: 4_000 },
          { kind: 'card-clearing', currency: 'usd', balanceMinor: -3_912 },
          { kind: 'fees', currency: 'usd', balanceMinor: -88 },
        ],
      },
    });
    // The lines that anybody can write down and hash.
    const lines = [
      `${platform('card-clearing')} -3912`,
      `${platform('fees')} -88`,
      `${available(JUNO)} 3500`,
      `${available(MILO)} 500`,
    ];
    const hash = createHash('sha256')
      .update(
        lines
          .sort()
          .map((line) => `${line}\n`)
          .join(''),
      )
      .digest('base64url');
    expect(november?.data).toMatchObject({ balancesHash: hash });
  });

  it('is refused before the month’s end, a second time, out of order, and where there is nothing', async () => {
    const story = threeMonths();
    expect(refusal(story, await closing(story, '2026-12'))).toBe('MonthNotOver');
    expect(refusal(story, await closing(story, '2026-11'))).toBe('MonthOutOfOrder');
    expect(refusal(story, await closing(story, '2026-09'))).toBe('MonthWithoutEntries');
    story.command(await closing(story, '2026-10'));
    expect(refusal(story, await closing(story, '2026-10'))).toBe('MonthClosedAlready');
    expect(refusal(story, await closing(story, '2026-11'))).toBeUndefined();
    story.nowMs = Date.parse('2027-03-01T00:00:00Z');
    story.command(await closing(story, '2026-11'), await closing(story, '2026-12'));
    // A month without an entry is closed all the same: it follows the one before.
    const figures = (await closing(story, '2027-01')).figures;
    expect(figures.entryCount).toBe(0);
    expect(refusal(story, await closing(story, '2027-01'))).toBeUndefined();
  });

  it('is refused with figures that miss an entry of the month', async () => {
    const story = threeMonths();
    const october = await closing(story, '2026-10');
    const early = { ...october, figures: { ...october.figures, throughRevision: 3 } };
    expect(refusal(story, early)).toBe('MonthStillWritten');
    const late = { ...october, figures: { ...october.figures, throughRevision: 5 } };
    expect(refusal(story, late)).toBe('MonthStillWritten');
    expect(refusal(story, october)).toBeUndefined();
  });

  it('cuts at midnight of the time zone that the books were founded in', async () => {
    const [utc, newYork] = [threeMonths(), threeMonths('America/New_York')];
    // 2 in the morning of November 1 in UTC is October in New York.
    expect((await closing(utc, '2026-10')).figures).toMatchObject({ throughRevision: 4, entryCount: 5 });
    const october = await closing(newYork, '2026-10', 'America/New_York');
    expect(october.figures).toMatchObject({ throughRevision: 5, entryCount: 6 });
    const [closed] = newYork.command(october);
    expect(closed?.data).toMatchObject({ timeZone: 'America/New_York' });
  });

  it('takes no time zone for books that have entries already: their months were cut in UTC', () => {
    const story = new Story();
    const [, founded] = story.command(openAccount(JUNO), {
      type: 'FoundLedger',
      providerAccountId: 'acct_1',
      mode: 'test',
      timeZone: 'America/New_York',
    });
    expect(founded?.data).toEqual({ providerAccountId: 'acct_1', mode: 'test' });
  });

  it('is decided alike by books that have replayed the log', async () => {
    const story = threeMonths();
    story.command(await closing(story, '2026-10'));
    const replayed = new Books();
    for (const raw of story.log.all) {
      if (raw.stream !== JOURNAL) continue;
      const event = recorded(raw) as RecordedEvent<JournalEvent>;
      const place = { revision: event.revision, key: event.metadata.key, fingerprint: undefined };
      const recordedAtMs = Date.parse(event.metadata.recordedAt);
      evolve(event, { ...place, recordedAtMs, landing: { position: event.position } }, replayed);
    }
    expect([...replayed.months.entries()].sort()).toEqual([...story.books.months.entries()].sort());
  });
});

describe('an operator who closes a month', () => {
  async function ledgerOver(story: Story) {
    const journal = await Journal.open(story.log, { archive: archiveOf(story.log) });
    const bus = {
      execute: ({ command, context }: ExecuteJournalCommand) => journal.execute(command, context),
    };
    const commands = new InternalCommands();
    const tree = { head: () => Promise.resolve({ treeSize: 8, root: 'cm9vdA' }) };
    new MonthEnd(bus as unknown as CommandBus, journal, story.log, tree, commands);
    return (month: string) => commands.carryOut({ type: 'CloseMonth', month }, 'spec');
  }

  it('has it closed with the log’s tree as it was signed last, and is told why it cannot be again', async () => {
    const story = threeMonths();
    const close = await ledgerOver(story);
    await close('2026-10');
    expect(recorded(story.log.all.at(-1)!)).toMatchObject({
      type: 'MonthClosed',
      data: { month: '2026-10', treeSize: 8, root: 'cm9vdA' },
      metadata: { key: 'month-closed:2026-10' },
    });
    await expect(close('2026-10')).rejects.toThrow('October 2026 is closed already');
    await expect(close('2099-01')).rejects.toThrow('January 2099 ends at');
  });
});
