/**
 * The books as files for programs of others: hledger adds them up by itself, and comes to the same balances.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { minorFromText } from '#audit/reconcile/amounts';
import { fourMonths } from '#test/support/four-months';
import { accountFromHledger, askHledger, hledger, type Hledger } from '#test/support/hledger';
import { JUNO, MILO, open, openAccount, settle } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { Derivation } from '../derivation/derivation.js';
import { entries } from '../derivation/entries.js';
import { beancountJournal } from './beancount.js';
import { hledgerJournal } from './hledger.js';
import { postingsCsv } from './postings-csv.js';

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('the books in hledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'encore-hledger-'));
  const file = join(folder, 'books.journal');
  const story = fourMonths();
  let program: Hledger;
  beforeAll(async () => {
    program = await hledger();
    writeFileSync(file, await textOf(hledgerJournal(story.log)));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const ask = (...args: readonly string[]) => askHledger(program, ['-f', file, ...args]);
  /** Credits less debits by the ledger's account, in minor units; accounts at zero left out. */
  async function balances(...more: readonly string[]): Promise<Map<string, number>> {
    const { out } = await ask('balance', '--flat', '--no-total', '-O', 'csv', ...more);
    const rows = [...out.matchAll(/^"([^"]+)","(-?[\d.]+) ([A-Z]{3})"$/gm)];
    return new Map(
      rows.map(([, name = '', amount = '', currency = '']) => [
        accountFromHledger(name),
        0 - (minorFromText(amount, currency.toLowerCase()) ?? Number.NaN),
      ]),
    );
  }
  async function ours(until = Number.POSITIVE_INFINITY): Promise<Map<string, number>> {
    let held: readonly (readonly [string, number])[] = [];
    const derivation = new Derivation();
    for await (const { recordedAt } of entries(story.log, derivation)) {
      if (Date.parse(recordedAt) >= until) break;
      held = derivation.balances.sorted().filter(([, minor]) => minor !== 0);
    }
    return new Map(held);
  }

  it('are taken by its strictest checks', async () => {
    expect(await ask('check', '--strict')).toMatchObject({ status: 0, err: '' });
    expect(await ask('check', 'ordereddates')).toMatchObject({ status: 0 });
  });
  it('have the balances that we derive, now and at the end of each month', async () => {
    expect(new Map([...(await balances())].sort())).toEqual(await ours());
    for (const end of ['2026-04-01', '2026-05-01', '2026-06-01'])
      expect(new Map([...(await balances('-e', end))].sort())).toEqual(await ours(Date.parse(end)));
    expect([...(await ours()).keys()]).toEqual(
      expect.arrayContaining(['platform/unapplied/eur', 'platform/unapplied/jpy', 'wallet/wal_1']),
    );
  });
  it('have each entry that moves money under its revision and hash', async () => {
    const { out } = await ask('print', 'code:.', '-O', 'json');
    const told = JSON.parse(out) as { tcode: string; ttags: [string, string][] }[];
    const moving: string[] = [];
    for await (const { revision, postings, hash } of entries(story.log))
      if (postings.length > 0) moving.push(`${revision} ${hash}`);
    const tag = (tags: [string, string][]): string => tags.find(([name]) => name === 'hash')?.[1] ?? '';
    expect(told.map(({ tcode, ttags }) => `${tcode} ${tag(ttags)}`)).toEqual(moving);
  });
  it.each([
    ['an amount of a month that has ended', /120\.00 USD/, '121.00 USD', /balance/i],
    [
      'both sides of it, so that it still balances',
      /120\.00 USD\n(.*)-120\.00 USD/,
      '130.00 USD\n$1-130.00 USD',
      /assertion/i,
    ],
    [
      'an account that nobody declared',
      /liabilities:user:usr_juno:available {2}-120/,
      'liabilities:mine  -120',
      /account/i,
    ],
  ])('are refused by it with %s changed', async (_what, was, becomes, says) => {
    const changed = join(folder, 'changed.journal');
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(was);
    writeFileSync(changed, text.replace(was, becomes));
    const { status, err } = await askHledger(program, ['-f', changed, 'check', '--strict']);
    expect(status).toBe(1);
    expect(err).toMatch(says);
  });
  it('are an empty file where no money has moved', async () => {
    const none = { async *readStream() {} };
    const empty = join(folder, 'empty.journal');
    writeFileSync(empty, await textOf(hledgerJournal(none)));
    expect(await askHledger(program, ['-f', empty, 'check', '--strict'])).toMatchObject({ status: 0 });
  });
});

describe('the books for Beancount', () => {
  const { log } = fourMonths();
  /** What stands for a directive of the file, each of its lines told apart. */
  const OPEN = /^\d{4}-\d\d-\d\d open ([A-Z][A-Za-z0-9-]*(?::[A-Z0-9][A-Za-z0-9-]*)+)$/;
  const LEG = /^ {2}([A-Z][A-Za-z:0-9-]+) {2}(-?[\d.]+) ([A-Z]{3})$/;
  const BALANCE = /^(\d{4}-\d\d-\d\d) balance ([A-Z][A-Za-z:0-9-]+) {2}(-?[\d.]+) ([A-Z]{3})$/;
  const OTHER = /^(;.*|\d{4}-\d\d-\d\d \* "[A-Za-z]+"| {2}[a-z]+: "[^"]*"|)$/;

  it('open what they move, and assert at each month’s end what the postings before it add up to', async () => {
    const held = new Map<string, number>();
    const asserted = new Set<string>();
    const opened = new Set<string>();
    for (const line of (await textOf(beancountJournal(log))).split('\n')) {
      const [, name] = OPEN.exec(line) ?? [];
      if (name !== undefined) opened.add(name);
      const [, account, amount, currency] = LEG.exec(line) ?? [];
      if (account !== undefined) {
        expect(opened).toContain(account);
        const minor = minorFromText(amount!, currency!.toLowerCase())!;
        held.set(`${account} ${currency}`, (held.get(`${account} ${currency}`) ?? 0) + minor);
      }
      const [, day, of, balance, unit] = BALANCE.exec(line) ?? [];
      if (of !== undefined) {
        asserted.add(day!);
        expect(minorFromText(balance!, unit!.toLowerCase())).toBe(held.get(`${of} ${unit}`));
      }
      expect(name ?? account ?? of ?? OTHER.test(line)).not.toBe(false);
    }
    expect([...asserted]).toEqual(expect.arrayContaining(['2026-04-01', '2026-05-01', '2026-06-01']));
    expect(opened.size).toBeGreaterThan(8);
  });

  it('assert at its end what an hour-longer day has moved on the next day: a balance counts from a day’s beginning', async () => {
    const story = new Story();
    // Half an hour after midnight in New York, on the day on which clocks are set back there.
    story.nowMs = Date.parse('2026-11-01T04:30:00Z');
    const timeZone = 'America/New_York';
    const tip = { paymentId: 'pay_1', amount: '5.00' };
    story.command({ type: 'FoundLedger', providerAccountId: 'acct_1', mode: 'test', timeZone });
    story.command(openAccount(JUNO), openAccount(MILO), open(tip), settle(tip));
    const lines = (await textOf(beancountJournal(story.log))).split('\n');
    expect(lines.filter((line) => /PaymentSettled/.test(line))).toEqual(['2026-11-01 * "PaymentSettled"']);
    const days = lines.flatMap((line) => BALANCE.exec(line)?.[1] ?? []);
    expect(new Set(days)).toEqual(new Set(['2026-11-02']));
  });
});

describe('the books as CSV', () => {
  it('add up to the balances that we derive', async () => {
    const { log } = fourMonths();
    const [header, ...lines] = (await textOf(postingsCsv(log))).trimEnd().split('\n');
    expect(header).toBe(
      'revision,position,recorded_at,type,id,hash,debit,credit,amount,amount_minor,currency',
    );
    const sums = new Map<string, number>();
    for (const line of lines) {
      const cells = line.split(',');
      const [debit = '', credit = '', amount = '', minor = '', currency = ''] = cells.slice(6);
      expect(minorFromText(amount, currency)).toBe(Number(minor));
      sums.set(debit, (sums.get(debit) ?? 0) - Number(minor));
      sums.set(credit, (sums.get(credit) ?? 0) + Number(minor));
    }
    const derivation = new Derivation();
    for await (const _ of entries(log, derivation));
    const moved = derivation.balances.sorted().filter(([account]) => sums.has(account));
    expect([...sums].sort()).toEqual(moved.map(([account, minor]) => [account, minor]));
  });
});
