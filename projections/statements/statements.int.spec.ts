/**
 * Statements: every entry of an account with its running balance. Each event is fed twice; a replay yields
 * the same.
 */
import { describe, expect, it } from '@jest/globals';
import type { QueryConfig, QueryResultRow } from 'pg';
import { available, payouts, wallet } from '#contracts/plain/accounts';
import { decimalFromMinor, minorOf } from '#contracts/plain/money';
import {
  completePayout,
  failPayout,
  fund,
  JUNO,
  MILO,
  open,
  openAccount,
  openWallet,
  payoutTransferred,
  refund,
  requestPayout,
  settle,
  submitPayout,
  transfer,
  withdraw,
} from '#test/support/journal-spec';
import { useReadSides, type ReadSide } from '#test/support/read-side';
import { spanOfMonth } from '#contracts/plain/months';
import { openReadPool } from '../engine/database.js';
import { monthFigures } from '#ledger/month-end/month-figures';
import { carriedHash } from '#log/chain';
import { profileOf } from '#test/support/plain-vault';
import type { Queryable } from '../engine/read-model.js';
import type { ReceiptProofs } from '../engine/receipt-proofs.js';
import { StatementsController } from './controller.js';
import { personalPaper, whatOf } from './paper.js';
import { statementPdf } from './pdf.js';
import {
  accountNamed,
  bookFactsOf,
  linesOf,
  monthLines,
  monthOf,
  monthsOf,
  lastMovedAt,
  ownsAccount,
  proofOfMonth,
} from './queries.js';

const sides = useReadSides();

const tip = (n: number) => ({ paymentId: `pay_${n}`, amount: '20.00' });

/** Two months of money, in the zone that the books were founded in. */
async function twoMonths(timeZone?: string): Promise<ReadSide> {
  const side = await sides.open();
  const { story } = side;
  story.nowMs = Date.parse('2026-10-05T12:00:00Z');
  story.command(
    { type: 'FoundLedger', providerAccountId: 'acct_1', mode: 'test', timeZone },
    openAccount(JUNO),
    openAccount(MILO),
    open(tip(1)),
    settle(tip(1)),
  );
  story.nowMs = Date.parse('2026-11-01T02:00:00Z');
  story.command(transfer('5.00', JUNO, MILO), openWallet(), fund('4.00'), withdraw('1.00'));
  story.command(requestPayout('6.00'), payoutTransferred(), submitPayout(), completePayout());
  story.command(refund(tip(1), '20.00'));
  await side.feed();
  return side;
}

const brief = (lines: readonly { type: string; amountMinor: number; balanceMinor: number }[]) =>
  lines.map(({ type, amountMinor, balanceMinor }) => [type, amountMinor, balanceMinor]);
const juno = { userId: JUNO, account: available(JUNO) };

describe('a person’s statement', () => {
  it('begins with what the month before closed with, and tells every entry with the balance after it', async () => {
    const { db } = await twoMonths();
    expect(await monthsOf(db, JUNO, available(JUNO))).toEqual([
      {
        month: '2026-11',
        openingMinor: 2_000,
        receivedMinor: 100,
        sentMinor: 3_500,
        closingMinor: -1_400,
        entryCount: 5,
      },
      {
        month: '2026-10',
        openingMinor: 0,
        receivedMinor: 2_000,
        sentMinor: 0,
        closingMinor: 2_000,
        entryCount: 1,
      },
    ]);
    expect(brief(await monthLines(db, juno, '2026-11', 'UTC', 100))).toEqual([
      ['TransferPosted', -500, 1_500],
      ['WalletFunded', -400, 1_100],
      ['WalletWithdrawn', 100, 1_200],
      ['PayoutRequested', -600, 600],
      ['PaymentRefunded', -2_000, -1_400],
    ]);
    expect(await monthOf(db, JUNO, available(JUNO), '2027-02')).toMatchObject({
      openingMinor: -1_400,
      closingMinor: -1_400,
      entryCount: 0,
    });
  });

  it('cuts its months in the time zone that the books were founded in', async () => {
    const { db } = await twoMonths('America/New_York');
    expect(await bookFactsOf(db)).toEqual({ timeZone: 'America/New_York', closedThrough: null });
    // Two in the morning of November 1 in UTC is the evening of October 31 there.
    expect((await monthsOf(db, JUNO, available(JUNO))).map(({ month }) => month)).toEqual(['2026-10']);
    expect(await monthLines(db, juno, '2026-10', 'America/New_York', 100)).toHaveLength(6);
  });

  it('names the other side, the payout and the wallet of each line by id', async () => {
    const { db } = await twoMonths();
    const [sent, funded, , payout] = await monthLines(db, juno, '2026-11', 'UTC', 100);
    expect(sent).toMatchObject({ paymentId: 'trf_1', payoutId: null, walletId: null });
    expect(funded).toMatchObject({ paymentId: null, walletId: 'wal_1' });
    expect(payout).toMatchObject({ payoutId: 'out_1', paymentId: null });
  });

  it('is there for payouts and wallets too, and for nobody else’s', async () => {
    const side = await twoMonths();
    const { db } = side;
    const heldFor = { userId: JUNO, account: payouts(JUNO) };
    expect(brief((await linesOf(db, heldFor, {})).lines)).toEqual([
      ['PayoutCompleted', -600, 0],
      ['PayoutRequested', 600, 600],
    ]);
    const inWallet = { userId: JUNO, account: wallet('wal_1') };
    expect(brief((await linesOf(db, inWallet, {})).lines)).toEqual([
      ['WalletWithdrawn', -100, 300],
      ['WalletFunded', 400, 400],
    ]);
    expect((await linesOf(db, { userId: MILO, account: wallet('wal_1') }, {})).lines).toEqual([]);
    expect(await ownsAccount(db, JUNO, 'wal_1')).toBe(true);
    expect(await ownsAccount(db, MILO, 'wal_1')).toBe(false);
    expect(accountNamed(MILO, 'available')).toBe(available(MILO));
  });

  it('is paged without a gap or a repeat while more is booked', async () => {
    const side = await twoMonths();
    const first = await linesOf(side.db, juno, { limit: 2 });
    side.story.command(open(tip(2)), settle(tip(2)));
    await side.feed();
    const rest = await linesOf(side.db, juno, { limit: 10, cursor: first.next });
    const all = await linesOf(side.db, juno, {});
    expect(all.lines.slice(1)).toEqual([...first.lines, ...rest.lines]);
    expect(rest.next).toBeUndefined();
    expect(all.lines[0]).toMatchObject({ type: 'PaymentSettled', amountMinor: 2_000, balanceMinor: 600 });
  });

  it('says every line in words, and proves a closed month by the entry that closed it', async () => {
    const side = await twoMonths();
    const { story, db } = side;
    story.register(MILO, profileOf('milo'));
    story.nowMs = Date.parse('2026-12-01T00:00:01Z');
    for (const month of ['2026-10', '2026-11']) {
      const figures = await monthFigures(story.log, spanOfMonth(month, 'UTC'));
      story.command({ type: 'CloseMonth', month, figures });
    }
    await side.feed();
    expect(await bookFactsOf(db)).toEqual({ timeZone: 'UTC', closedThrough: '2026-11' });
    const lines = await monthLines(db, juno, '2026-11', 'UTC', 100);
    expect(lines.map(whatOf)).toEqual([
      'Milo Example',
      'To Tour wallet',
      'From Tour wallet',
      'Payout',
      'Refund to Milo Example',
    ]);
    const proof = await proofOfMonth(db, '2026-11');
    const closing = story.log.all.at(-1)!;
    expect(proof).toMatchObject({ revision: closing.revision, hash: carriedHash(closing) });
    expect(await proofOfMonth(db, '2026-12')).toBeUndefined();
    const paper = personalPaper({
      name: 'Juno Valastro',
      username: 'junoplays',
      accountName: 'available',
      userId: JUNO,
      timeZone: 'UTC',
      month: await monthOf(db, JUNO, available(JUNO), '2026-11'),
      lines,
      proof: { entry: proof! },
      host: 'encore.example',
      now: new Date('2026-12-02T09:00:00Z'),
    });
    expect(paper).toMatchObject({
      month: 'November 2026',
      handle: '@junoplays',
      period: 'Nov 1 to Nov 30',
      openingMinor: 2_000,
      closingMinor: -1_400,
      made: 'Made Dec 2, 2026',
      proof: { label: `Entry ${closing.revision}` },
    });
    const file = await statementPdf(paper);
    expect(file.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await statementPdf(paper)).equals(file)).toBe(true);
  });

  it('adds up to its closing balance, also where an entry is booked while it is read', async () => {
    const side = await twoMonths();
    const { story, db } = side;
    let tellBooked: () => void = () => undefined;
    const booked = new Promise<void>((resolve) => (tellBooked = resolve));
    /** Books a payment when the figures have been read, and before the lines are. */
    const busy: Queryable = {
      async query<R extends QueryResultRow>(config: QueryConfig) {
        if (config.text.includes('recorded_at >=')) await booked;
        const answer = await db.query<R>(config);
        if (config.name !== 'account-month') return answer;
        story.command(open(tip(2)), settle(tip(2)));
        await side.feed();
        tellBooked();
        return answer;
      },
    };
    const statements = new StatementsController(busy, {} as ReceiptProofs);
    const caller = { userId: JUNO, sessionId: 'ses_1', correlationId: 'cor_1' };
    const { opening, closing, lines, isCut } = await statements.month(caller, '2026-11', {
      account: 'available',
    });
    const sum = lines.reduce((minor, { amount }) => minor + minorOf(amount), minorOf(opening));
    expect([decimalFromMinor(sum), lines.at(-1)?.balance, isCut]).toEqual([closing, closing, false]);
    // The next one has it.
    expect(
      (
        await new StatementsController(db, {} as ReceiptProofs).month(caller, '2026-11', {
          account: 'available',
        })
      ).lines,
    ).toHaveLength(lines.length + 1);
  });

  it('knows when its account’s money last moved', async () => {
    const { db } = await twoMonths();
    const [last] = (await linesOf(db, juno, {})).lines;
    expect(await lastMovedAt(db, JUNO)).toEqual(last?.recordedAt);
    expect(await lastMovedAt(db, 'usr_nobody')).toBeUndefined();
  });

  it('reads only a page’s lines of a long account, however often it is asked', async () => {
    const side = await sides.open();
    const [length, limit, times] = [20_000, 100, 12];
    await side.db.query(
      `insert into account_lines (id, account, user_id, place, leg, type, recorded_at, amount_minor, balance_minor)
       select n || '-1', case when n <= $2 then 'user/' || $1 || '/available' else 'user/usr_' || n % 5000 || '/available' end,
              case when n <= $2 then $1 else 'usr_' || n % 5000 end, n, 1, 'PaymentSettled', now(), 1, 1
         from generate_series(1, $2 * 2) n`,
      [JUNO, length],
    );
    await side.db.query('analyze account_lines');
    const fetched = async (): Promise<number> => {
      const { rows } = await side.db.query<{ fetched: number }>(
        `select idx_tup_fetch::int as fetched from pg_stat_user_tables where schemaname = 'read' and relname = 'account_lines'`,
      );
      return rows[0]!.fetched;
    };
    const before = await fetched();
    // Postgres keeps a plan for any account after a few questions; its connection tells what it read when it
    // ends.
    const asking = openReadPool(side.databaseUrl, 1);
    for (let n = 0; n < times; n += 1) await linesOf(asking, juno, { limit });
    await asking.end();
    expect((await fetched()) - before).toBeLessThan(times * 2 * limit);
    await side.db.query('delete from account_lines');
  });

  it('has both legs of a payout that came back', async () => {
    const side = await sides.open();
    side.story.command(openAccount(JUNO), openAccount(MILO), open(tip(1)), settle(tip(1)));
    side.story.command(requestPayout('6.00'), payoutTransferred(), failPayout('trr_1'));
    await side.feed();
    expect(brief((await linesOf(side.db, juno, {})).lines)).toEqual([
      ['PayoutFailed', 600, 2_000],
      ['PayoutRequested', -600, 1_400],
      ['PaymentSettled', 2_000, 2_000],
    ]);
  });
});
