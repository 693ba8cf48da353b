/**
 * The books as the audit tells them, against what the ledger decided by, on a log in which everything
 * happens.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JournalEvent } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { available, isPersonal } from '#contracts/plain/accounts';
import { recorded } from '#log/event-log';
import { monthAfter, spanOfMonth } from '#contracts/plain/months';
import { monthFigures } from '#ledger/month-end/month-figures';
import { statementPdf } from '#projections/statements/pdf';
import { completeStory } from '#test/support/complete-story';
import { JUNO, MILO, open, openAccount, refund, settle, snapshot, submit } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { explain, explanationLines } from './account.js';
import { aging, agingCsv, agingLines, AGING_KINDS } from './aging.js';
import { certificate, certificateText } from './certificate.js';
import { Derivation } from '../derivation/derivation.js';
import { verifyLog } from '../verify-log.js';
import { MonthEnds } from '../relations/closed-months.js';
import { THE_END, timeZoneOf, untilFrom } from './moments.js';
import { exportedMonth, MonthNotClosed } from './month-export.js';
import { safeguarding, safeguardingLines } from './safeguarding.js';
import { statementCsv, statementJson, statementOf, statementPaper } from './statement.js';
import { taxCsv, taxLines, taxReport } from './tax.js';
import { trialBalance, trialBalanceCsv, trialBalanceLines } from './trial-balance.js';

const NOW = new Date('2026-06-15T12:00:00Z');
const CLEO = 'usr_cleo';

describe('the trial balance', () => {
  it('has every account as the ledger decided by it, and debits equal to credits', async () => {
    const story = completeStory();
    const table = await trialBalance(story.log, THE_END);
    const told = Object.fromEntries(
      table.lines.map(({ account, debitMinor, creditMinor }) => [account, creditMinor - debitMinor]),
    );
    const decided = snapshot(story.books);
    expect(told).toEqual(Object.fromEntries(Object.entries(decided).filter(([name]) => name in told)));
    expect(Object.entries(decided).filter(([name, minor]) => !(name in told) && minor !== 0)).toEqual([]);
    expect(table.isBalanced).toBe(true);
    expect(table.totals.map(({ currency }) => currency)).toEqual(['eur', 'usd']);
    expect(trialBalanceCsv(table).split('\n')).toHaveLength(table.lines.length + 2);
    expect(trialBalanceLines(table).at(-1)).toBe('Debits and credits agree.');
  });

  it('stands at a revision, a time, a day or a month as it stood then', async () => {
    const { log } = completeStory();
    const zone = await timeZoneOf(log);
    const at = (text: string) => trialBalance(log, untilFrom(text, zone));
    const journal = log.all.filter(({ stream }) => stream === 'journal');
    const march = await at('2026-03');
    expect(await at(String(march.revision))).toEqual({ ...march, at: String(march.revision) });
    expect(await at('2026-03-31')).toEqual({ ...march, at: '2026-03-31' });
    expect(await at(march.recordedAt!)).toEqual({ ...march, at: march.recordedAt });
    // The entry that closed the month came after it.
    expect(journal[march.revision + 1]).toMatchObject({ type: 'MonthClosed' });
    expect(journal[march.revision + 1]?.data.value).toMatchObject({ balancesHash: march.balancesHash });
    expect((await at('2025-12')).revision).toBe(-1);
    expect(() => untilFrom('spring', 'UTC')).toThrow('is no moment of the books');
  });

  it.each(['2026-03-31T20:00:00', '2026-02-30T20:00:00Z', '2026-02-30', '2026-03-31T25:00:00Z'])(
    'stands at no moment that is another one on another machine or in no calendar: %s',
    (text) => expect(() => untilFrom(text, 'UTC')).toThrow(RangeError),
  );
});

describe('the statement of an account', () => {
  it('opens with what the month before closed with, for every account and month', async () => {
    const { log } = completeStory();
    const { lines } = await trialBalance(log, THE_END);
    for (const { account, debitMinor, creditMinor } of lines) {
      const [march, april] = [
        await statementOf(log, account, '2026-03'),
        await statementOf(log, account, monthAfter('2026-03')),
      ];
      expect(march.openingMinor).toBe(0);
      expect(april.openingMinor).toBe(march.closingMinor);
      expect(april.closingMinor).toBe(creditMinor - debitMinor);
      for (const { openingMinor, receivedMinor, sentMinor, closingMinor, lines: own } of [march, april]) {
        expect(openingMinor + receivedMinor - sentMinor).toBe(closingMinor);
        expect(own.at(-1)?.balanceMinor ?? openingMinor).toBe(closingMinor);
      }
    }
  });

  it('says the same as CSV and JSON, and names people by id alone', async () => {
    const { log } = completeStory();
    const statement = await statementOf(log, available(JUNO), '2026-03');
    const csv = statementCsv(statement).trimEnd().split('\n');
    expect(csv).toHaveLength(statement.lines.length + 3);
    expect(csv.at(-1)).toContain('closing balance');
    const json = JSON.parse(statementJson(statement)) as { opening: string; lines: { amount: string }[] };
    expect(json.opening).toBe('0.00');
    expect(json.lines.map(({ amount }) => amount)).toEqual(csv.slice(2, -1).map((row) => row.split(',')[5]));
    for (const text of [csv.join(), statementJson(statement)]) expect(text).not.toMatch(/Moon|sealed:|@/);
  });

  it('has the same bytes on paper at any time', async () => {
    const { log } = completeStory();
    const paper = async (now: Date) =>
      statementPdf(statementPaper(await statementOf(log, available(JUNO), '2026-03'), now));
    const first = await paper(NOW);
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await paper(new Date('2027-01-01T00:00:00Z'))).equals(first)).toBe(true);
  });

  it('says on paper of a month that is not over that more may come', async () => {
    const { log } = completeStory();
    const statement = await statementOf(log, available(JUNO), '2026-03');
    const [running, over] = ['2026-03-14T12:00:00Z', '2026-04-01T00:00:00Z'].map((now) =>
      statementPaper(statement, new Date(now)),
    );
    expect(running).toMatchObject({ period: 'Mar 1 to Mar 14', madeAt: new Date('2026-03-14T12:00:00Z') });
    expect(running?.proof?.says).toMatch(
      /^The month is not over: this is the last entry of the journal so far\./,
    );
    expect(over).toMatchObject({ period: 'Mar 1 to Mar 31', madeAt: new Date('2026-04-01T00:00:00Z') });
    expect(over?.proof?.says).toMatch(/^The journal ended with this entry when the month did\./);
  });

  it('names on paper whose account it is, and which of theirs, both in full', async () => {
    const { log } = completeStory();
    const paper = async (account: string) => statementPaper(await statementOf(log, account, '2026-03'), NOW);
    expect(await paper(available(JUNO))).toMatchObject({ name: JUNO, account: 'user available' });
    expect(await paper('platform/card-clearing')).toMatchObject({
      name: 'platform/card-clearing',
      account: 'platform/card-clearing',
    });
  });

  it('is refused for what is no account or month', async () => {
    const { log } = completeStory();
    await expect(statementOf(log, 'user/x', '2026-03')).rejects.toThrow('is no account');
    await expect(statementOf(log, available(JUNO), '2026-13')).rejects.toThrow('is not a month');
  });

  it('is refused for an account that nobody had by then, as one with a mistyped id', async () => {
    const { log } = completeStory();
    await expect(statementOf(log, 'user/usr_jnuo/available', '2026-03')).rejects.toThrow(
      'There was no account user/usr_jnuo/available at the end of 2026-03.',
    );
    await expect(statementOf(log, 'wallet/wal_never', '2026-03')).rejects.toThrow('There was no account');
    await expect(explain(log, 'user/usr_jnuo/payouts', THE_END)).rejects.toThrow('There was no account');
  });
});

describe('the explanation of a balance', () => {
  it('adds up to it, and says of every entry who asked, which object proves it, and its proof', async () => {
    const story = completeStory();
    const explained = await explain(story.log, available(JUNO), THE_END);
    expect(explained.balanceMinor).toBe(story.books.balanceOf(available(JUNO)));
    expect(explained.lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(
      explained.balanceMinor,
    );
    const settled = explained.lines.find(({ type }) => type === 'PaymentSettled');
    expect(settled).toMatchObject({
      subject: 'pay_tip',
      provider: { intentId: 'pi_pay_tip', chargeId: 'ch_pay_tip' },
      counterAccount: 'platform/card-clearing',
    });
    expect(explained.lines.some(({ schedule }) => schedule !== null)).toBe(true);
    const text = explanationLines(explained).join('\n');
    expect(text).toContain(`prove-entry ${settled!.revision}`);
    await expect(explain(story.log, 'nobody', THE_END)).rejects.toThrow('is no account');
  });
});

describe('what stands open', () => {
  const open_ = (kind: (typeof AGING_KINDS)[number], at = THE_END, story = completeStory()) =>
    aging(story.log, kind, at, NOW);

  it('is what the ledger holds open, since the entry that opened it, by age', async () => {
    const story = completeStory();
    const { revision } = story.log.all.find(({ type }) => type === 'DebtWrittenOff')!;
    const before = untilFrom(String(revision - 1), 'UTC');
    const debts = await open_('debts', before, story);
    const owing = (await trialBalance(story.log, before)).lines.filter(
      ({ account, debitMinor }) => isPersonal(account) && debitMinor > 0,
    );
    expect(debts.items.map(({ id, amountMinor }) => [id, amountMinor])).toEqual(
      owing.map(({ account, debitMinor }) => [account, debitMinor]),
    );
    expect(debts.items).toMatchObject([{ id: available(CLEO), userId: CLEO, amountMinor: 600, ageDays: 0 }]);
    expect((await open_('debts', THE_END, story)).items).toEqual([]);
    const unapplied = await open_('unapplied', THE_END, story);
    const held = (currency: string): number =>
      unapplied.items
        .filter((item) => item.currency === currency)
        .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    expect(held('usd')).toBe(story.books.balanceOf('platform/unapplied'));
    expect(held('eur')).toBe(story.books.balanceOf('platform/unapplied/eur'));
    const unclaimed = await open_('unclaimed', THE_END, story);
    expect(unclaimed.items.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(
      story.books.balanceOf('platform/unclaimed') ?? 0,
    );
  });

  it('has a payout from its request until it has arrived or failed, and again when a bank returns it', async () => {
    const { log } = completeStory();
    const revisions = log.all.filter(({ stream }) => stream === 'journal');
    for (const { type, data, revision } of revisions.filter((raw) => raw.type.startsWith('Payout'))) {
      const { payoutId } = data.value as { payoutId: string };
      const { items } = await open_('payouts', untilFrom(String(revision), 'UTC'));
      const isOpen = type !== 'PayoutCompleted' && type !== 'PayoutFailed';
      expect([type, items.some(({ id }) => id === payoutId)]).toEqual([type, isOpen]);
    }
  });

  it('has a dispute until it is won or lost', async () => {
    const { log } = completeStory();
    const at = (type: string) => log.all.find((raw) => raw.type === type)!.revision;
    const openAt = async (revision: number) =>
      (await open_('disputes', untilFrom(String(revision), 'UTC'))).items.length;
    expect(await openAt(at('DisputeOpened'))).toBe(1);
    expect(await openAt(at('DisputeWon'))).toBeLessThan(await openAt(at('DisputeWon') - 1));
  });

  it.each(AGING_KINDS)('tells of %s as lines and as CSV', async (kind) => {
    const found = await open_(kind);
    expect(agingCsv(found).trimEnd().split('\n')).toHaveLength(found.items.length + 1);
    expect(agingLines(found).length).toBeGreaterThan(0);
  });
});

describe('the safeguarding report', () => {
  it('counts what belongs to others against the money that is there, and never nets a debt', async () => {
    const story = completeStory();
    const report = await safeguarding(story.log, THE_END);
    const balances = Object.entries(snapshot(story.books));
    const personal = balances.filter(([account]) => isPersonal(account)).map(([, minor]) => minor);
    const usd = report.currencies.find(({ currency }) => currency === 'usd');
    const of = (account: string): number => story.books.balanceOf(account) ?? 0;
    expect(usd).toMatchObject({
      owedMinor: personal.filter((minor) => minor > 0).reduce((sum, minor) => sum + minor, 0),
      debtsMinor: 0,
      shortfallMinor: 0,
      unappliedMinor: of('platform/unapplied'),
      heldMinor:
        -of('platform/card-clearing') - of('platform/connect-clearing') - of('platform/bank-clearing'),
    });
    // Nine euros came for nobody, and the provider took two of them for itself: the platform has to make them
    // good.
    const eur = report.currencies.find(({ currency }) => currency === 'eur');
    expect(eur).toMatchObject({ requiredMinor: 900, heldMinor: 700, shortfallMinor: 200 });
    expect(report.isSafeguarded).toBe(false);
  });

  it('says how much is missing when a debt or a loss has been paid with others’ money', async () => {
    const story = new Story();
    const tip = { paymentId: 'pay_1', amount: '20.00' };
    story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    story.command({
      type: 'PostTransfer',
      transferId: 'trf_1',
      payerId: JUNO,
      recipientId: MILO,
      amountMinor: 1_500,
      currency: 'usd',
    });
    story.command(refund(tip, '20.00'));
    const report = await safeguarding(story.log, THE_END);
    expect(report.currencies).toMatchObject([
      { requiredMinor: 1_500, heldMinor: 0, shortfallMinor: 1_500, debtsMinor: 1_500 },
    ]);
    expect(safeguardingLines(report).at(-1)).toContain('NOT');
  });
});

describe('the tax report', () => {
  it('counts a payment whole in the month in which it was made, and refunds apart', async () => {
    const { log } = completeStory();
    const report = await taxReport(log, '2026', THE_END);
    const settled = log.all.filter(({ type }) => type === 'PaymentSettled');
    const gross = settled.reduce(
      (sum, { data }) => sum + (data.value as { amountMinor: number }).amountMinor,
      0,
    );
    expect(report.payees.reduce((sum, { grossMinor }) => sum + grossMinor, 0)).toBe(gross);
    expect(report.payees.reduce((sum, { payments }) => sum + payments, 0)).toBe(settled.length);
    const juno = report.months.find(({ payeeId }) => payeeId === JUNO);
    // 12.00 went back and came again, 10.00 went back.
    expect(juno).toMatchObject({ month: '2026-03', currency: 'usd', refundsMinor: 1_000 });
    expect(taxCsv(report).trimEnd().split('\n')).toHaveLength(report.months.length + 1);
    expect(taxLines(report)[0]).toContain('Received in 2026');
    expect((await taxReport(log, '2025', THE_END)).months).toEqual([]);
    await expect(taxReport(log, '26', THE_END)).rejects.toThrow('is not a year');
  });
});

describe('the certificate of a day', () => {
  it('says in a few lines that every due time ended, that the books balance and that money is there', async () => {
    const { log } = await closedOctober();
    const day = '2026-10-05';
    const later = new Date('2026-10-06T00:00:00Z');
    const found = await certificate(log, day, later);
    expect(found).toMatchObject({
      isScheduleComplete: true,
      isBalanced: true,
      isSafeguarded: true,
      reconciled: 'not compared',
      isInOrder: true,
    });
    const text = certificateText(found);
    expect(text.split('\n')[0]).toBe('encore certificate');
    expect(text).toMatch(/\nin order yes\n$/);
    expect((await certificate(log, day, later, 'no')).isInOrder).toBe(false);
    expect((await certificate(completeStory().log, '2026-03-31', NOW)).isSafeguarded).toBe(false);
  });

  it.each(['2026-10-05T00:00:00.000Z', '2026-10-05T23:59:59.999Z', '2026-06-15T12:00:00.000Z'])(
    'is not made before the day is over: %s',
    async (now) => {
      const { log } = await closedOctober();
      await expect(certificate(log, '2026-10-05', new Date(now))).rejects.toThrow(
        '2026-10-05 is not over: its certificate can be made from 2026-10-06T00:00:00.000Z on.',
      );
    },
  );
});

/** October 2026 with some money, and its close on the first of November. */
async function closedOctober(): Promise<Story> {
  const story = new Story();
  story.nowMs = Date.parse('2026-10-05T12:00:00Z');
  const tips = Array.from({ length: 40 }, (_, n) => ({ paymentId: `pay_${n}`, amount: '20.00' }));
  story.command({ type: 'FoundLedger', providerAccountId: 'acct_1', mode: 'test' });
  story.register(MILO, {
    username: 'milo',
    email: 'm@example.org',
    emailVerified: true,
    firstName: 'Milo',
    lastName: 'Moon',
    profileImageUrl: null,
  });
  story.command(openAccount(JUNO), openAccount(MILO));
  for (const tip of tips) story.command(open(tip), submit(tip), settle(tip));
  story.nowMs = Date.parse('2026-11-01T00:00:05Z');
  const figures = await monthFigures(story.log, spanOfMonth('2026-10', 'UTC'));
  story.command({ type: 'CloseMonth', month: '2026-10', figures });
  return story;
}

async function bytesOf(story: Story): Promise<string> {
  const hash = createHash('sha256');
  for await (const line of exportedMonth(story.log, '2026-10')) hash.update(line);
  const statement = await statementOf(story.log, available(JUNO), '2026-10');
  hash.update(statementCsv(statement)).update(statementJson(statement));
  return hash.update(await statementPdf(statementPaper(statement, new Date(story.nowMs)))).digest('hex');
}

describe('a closed month', () => {
  it('is exported with the same bytes after a thousand late webhooks and a forgetting', async () => {
    const story = await closedOctober();
    const before = await bytesOf(story);
    // Of October, and heard of in November: charges that no payment explains, and refunds of what was paid.
    for (let n = 0; n < 960; n += 1)
      story.command(
        settle({ paymentId: `pay_late_${n}`, amount: '3.00' }, {
          occurredAt: '2026-10-31T23:00:00.000Z',
        } as never),
      );
    for (let n = 0; n < 40; n += 1) story.command(refund({ paymentId: `pay_${n}`, amount: '20.00' }, '5.00'));
    story.command({ type: 'CloseAccount', userId: MILO });
    story.forget(MILO);
    expect(await bytesOf(story)).toBe(before);
    const { checks } = await verifyLog(story.log);
    expect(checks.find(({ name }) => name === 'closed months add up')).toMatchObject({
      figure: '1 months',
      findings: [],
    });
  });

  it('is no export before it is closed', async () => {
    const story = await closedOctober();
    const november = async () => {
      for await (const line of exportedMonth(story.log, '2026-11')) expect(line).toBeDefined();
    };
    await expect(november()).rejects.toThrow(MonthNotClosed);
  });

  it('has an export of ids: head, entries with their postings, balances that the head covers', async () => {
    const story = await closedOctober();
    const lines: Record<string, unknown>[] = [];
    for await (const line of exportedMonth(story.log, '2026-10'))
      lines.push(JSON.parse(line) as Record<string, unknown>);
    const [head, ...rest] = lines;
    const entries = rest.filter((line) => 'postings' in line);
    expect(head).toMatchObject({ month: '2026-10', entryCount: entries.length });
    const balances = rest.filter((line) => 'balanceMinor' in line);
    const hash = createHash('sha256');
    for (const { account, balanceMinor } of balances)
      hash.update(`${String(account)} ${String(balanceMinor)}\n`);
    expect(head).toMatchObject({ balancesHash: hash.digest('base64url') });
    expect(JSON.stringify(lines)).not.toMatch(/Moon|example\.org|sealed:/);
  });

  it('is a finding when what it says is not what its entries come to', async () => {
    const story = await closedOctober();
    const findingsWith = (change: object): readonly string[] => {
      const derivation = new Derivation();
      const months = new MonthEnds(derivation);
      for (const raw of story.log.all.filter(({ stream }) => stream === 'journal')) {
        const event = recorded(raw) as RecordedEvent<JournalEvent>;
        if (event.type === 'MonthClosed') Object.assign(event.data, change);
        months.entry(event);
        derivation.next(event);
      }
      return months.check().findings;
    };
    expect(findingsWith({})).toEqual([]);
    expect(findingsWith({ balancesHash: 'x' })).toEqual([
      expect.stringContaining('balancesHash is "x" and should be "'),
    ]);
    expect(findingsWith({ totals: [] })).toEqual([expect.stringContaining('totals is ""')]);
    expect(findingsWith({ entryCount: 1 })).toEqual([expect.stringContaining('entryCount is 1')]);
    expect(findingsWith({ throughRevision: 3 })).toEqual([expect.stringContaining('throughRevision is 3')]);
    expect(findingsWith({ timeZone: 'Europe/Berlin' })).toEqual([expect.stringContaining('should be "UTC"')]);
    expect(findingsWith({ month: '2026-11' })).toEqual([
      expect.stringContaining('month is "2026-11" and should be "2026-10"; the month was not over'),
    ]);
  });
});
