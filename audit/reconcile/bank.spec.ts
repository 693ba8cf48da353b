/**
 * The books against the bank's statement of the platform's own account: what the provider paid out must
 * arrive, and what arrives from the provider must be booked. Errors of each class from seeds, and the file
 * that carries them.
 */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Dice } from '#test/simulator/dice';
import { camt053 } from '#test/support/outside-world';
import type { ReconciledEntry } from './booked-movements.js';
import { reconcileBank, type BankReconciliation } from './bank.js';
import { bankStatements, readBankFile, type BankLine, type BankStatement } from './bank-file.js';
import { textOf, UnreadableFile } from './bounded-file.js';

const FROM = Number(process.env.RECONCILE_FROM ?? 1);
const SEEDS = Number(process.env.RECONCILE_SEEDS ?? 40);
const AT_A_TIME = 20;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2026-03-01T00:00:00Z');
const day = (n: number): string => new Date(FIRST_DAY + n * DAY_MS).toISOString().slice(0, 10);

const entry = (
  type: 'PlatformPaidOut' | 'PlatformPayoutReturned',
  revision: number,
  { n, amountMinor, onDay }: { n: number; amountMinor: number; onDay: number },
): ReconciledEntry => {
  const at = new Date(FIRST_DAY + onDay * DAY_MS + 15 * 3_600_000).toISOString();
  const [debit, credit] = ['platform/own-funds', 'platform/card-clearing'];
  const isOut = type === 'PlatformPaidOut';
  return {
    type,
    revision,
    recordedAt: at,
    data: {
      ...{ balanceTransactionId: `txn_${type}_${n}`, providerType: isOut ? 'payout' : 'payout_failure' },
      ...{ sourceId: `po_${n}`, amountMinor, feeMinor: 0, currency: 'usd', occurredAt: at, postings: [] },
    },
    postings: [isOut ? { debit, credit, amountMinor } : { debit: credit, credit: debit, amountMinor }],
  };
};

/** A payout and its lines at the bank. Its amount is its own, so that no other line is taken for it. */
interface Affair {
  entries: ReconciledEntry[];
  lines: BankLine[];
  readonly id: string;
  readonly isNamed: boolean;
}

class BankWorld {
  readonly dice: Dice;
  readonly affairs: Affair[] = [];
  readonly others: BankLine[] = [];

  constructor(seed: number) {
    this.dice = new Dice(seed);
    const count = this.dice.between(3, 25);
    for (let n = 1; n <= count; n++) {
      const amountMinor = n * 1_000 + this.dice.below(900);
      const onDay = this.dice.below(20);
      const isNamed = this.dice.chance(0.5);
      const kind = this.dice.weighted({ arrives: 6, 'never arrives': 1, 'comes back': 1 });
      const of = { n, amountMinor, onDay };
      const line = (minor: number, later: number): BankLine => ({
        id: `REF${n}-${later}`,
        amountMinor: minor,
        currency: 'usd',
        bookedOn: day(onDay + later),
        texts: [
          isNamed || kind === 'comes back' ? `STRIPE PAYOUT po_${n}` : 'STRIPE PAYMENTS & CO',
          'ACH <credit>',
        ],
      });
      const back = entry('PlatformPayoutReturned', n * 10 + 1, of);
      const isBack = kind !== 'arrives';
      this.affairs.push({
        id: `payout po_${n}`,
        isNamed: isNamed || kind === 'comes back',
        entries: [entry('PlatformPaidOut', n * 10, of), ...(isBack ? [back] : [])],
        lines: [
          ...(kind === 'never arrives' ? [] : [line(amountMinor, this.dice.below(5))]),
          ...(kind === 'comes back' ? [line(-amountMinor, 6)] : []),
        ],
      });
    }
    for (let n = 0; n < this.dice.below(8); n++)
      this.others.push({
        id: `OTHER${n}`,
        amountMinor: this.dice.between(-90_000, 90_000),
        currency: 'usd',
        bookedOn: day(this.dice.below(28)),
        texts: ['RENT OF THE OFFICE', 'po'],
      });
  }

  statement(): BankStatement {
    const lines = this.dice.shuffled([...this.affairs.flatMap((affair) => affair.lines), ...this.others]);
    const sum = lines.reduce((minor, { amountMinor }) => minor + amountMinor, 0);
    return {
      ...{ id: 'STMT-1', account: 'DE02120300000000202051', currency: 'usd', from: day(0), to: day(30) },
      ...{ openingMinor: 123_456, closingMinor: 123_456 + sum, lines },
    };
  }

  reconciled(statements: readonly BankStatement[] = [this.statement()]): Promise<BankReconciliation> {
    const entries = this.affairs.flatMap((affair) => affair.entries);
    return reconcileBank(streamed(entries), {
      statements: bankStatements(camt053(statements)),
      providerName: 'Stripe',
    });
  }
}

async function* streamed<T>(items: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}

/** Each error changes one payout that arrived, and says what must be found of it. */
const PLANTS: Readonly<Record<string, (affair: Affair) => string[]>> = {
  'a payout that never arrives': (affair) => {
    affair.lines = [];
    return [`only-ours ${affair.id}`];
  },
  'a payout that is not in the books': (affair) => {
    affair.entries = [];
    return [`only-theirs ${affair.lines[0]!.id}`];
  },
  'another amount at the bank': (affair) => {
    const [line] = affair.lines as [BankLine];
    affair.lines = [{ ...line, amountMinor: line.amountMinor - 1_000_000 }];
    return affair.isNamed ? [`amount ${line.id}`] : [`only-ours ${affair.id}`, `only-theirs ${line.id}`];
  },
  'a line that is listed twice': (affair) => {
    affair.lines = [...affair.lines, affair.lines[0]!];
    return [`only-theirs ${affair.lines[0]!.id}`];
  },
  'money that arrived twice': (affair) => {
    const [line] = affair.lines as [BankLine];
    const again = { ...line, id: `${line.id}B` };
    affair.lines = [line, again];
    return affair.isNamed ? [`amount ${line.id} ${again.id}`] : [`only-theirs ${again.id}`];
  },
  'a payout of the last days': (affair) => {
    const [paid] = affair.entries as [ReconciledEntry];
    affair.lines = [];
    const occurredAt = new Date(FIRST_DAY + 28 * DAY_MS).toISOString();
    affair.entries = [{ ...paid, data: { ...paid.data, occurredAt } } as ReconciledEntry];
    return [`timing ${affair.id}`];
  },
};

const foundIn = ({ items }: BankReconciliation): string[] =>
  items
    .filter((item) => item.class !== 'matched' && item.class !== 'foreign')
    .map((item) => `${item.class} ${item.theirId?.split(' ').sort().join(' ') ?? item.subject}`)
    .sort();

const starts = Array.from({ length: Math.ceil(SEEDS / AT_A_TIME) }, (_, n) => FROM + n * AT_A_TIME);
const seedsFrom = (from: number): number[] => Array.from({ length: AT_A_TIME }, (_, n) => from + n);

describe('payouts to the platform’s bank and the bank’s statement', () => {
  it.each(starts)('agree where nothing is wrong (seeds from %i)', async (from) => {
    for (const seed of seedsFrom(from)) {
      const world = new BankWorld(seed);
      const result = await world.reconciled();
      expect({ seed, found: foundIn(result), broken: result.broken }).toEqual({
        seed,
        found: [],
        broken: [],
      });
      expect(result.items.filter((item) => item.class === 'matched').length).toBe(world.affairs.length);
    }
  });

  const met = new Set<string>();
  it.each(starts)(
    'differ by the errors that were planted and by nothing else (seeds from %i)',
    async (from) => {
      for (const seed of seedsFrom(from)) {
        const world = new BankWorld(seed);
        const expected: string[] = [];
        for (const affair of world.affairs.filter(
          ({ lines, entries }) => lines.length === 1 && entries.length === 1,
        )) {
          if (!world.dice.chance(0.4)) continue;
          const [kind, plant] = world.dice.one(Object.entries(PLANTS));
          expected.push(...plant(affair));
          met.add(kind);
        }
        const result = await world.reconciled();
        expect({ seed, found: foundIn(result), broken: result.broken }).toEqual({
          seed,
          found: expected.sort(),
          broken: [],
        });
      }
    },
  );
  it('met each kind of error in those seeds', () =>
    expect([...met].sort()).toEqual(Object.keys(PLANTS).sort()));

  it('agree where the provider kept back a least balance: that never was on its way to the bank', async () => {
    const kept = (type: 'PlatformPaidOut' | 'PlatformPayoutReturned', n: number, sourceId?: string) => {
      const told = entry(type, n, { n, amountMinor: 10_000, onDay: 3 });
      const word = type === 'PlatformPaidOut' ? 'hold' : 'release';
      const providerType = `payout_minimum_balance_${word}`;
      return { ...told, data: { ...told.data, providerType, sourceId } } as ReconciledEntry;
    };
    for (const sourceId of [undefined, 'po_1']) {
      const world = new BankWorld(1);
      world.affairs[0]!.entries.push(
        kept('PlatformPaidOut', 900, sourceId),
        kept('PlatformPayoutReturned', 901, sourceId),
      );
      expect(foundIn(await world.reconciled())).toEqual([]);
    }
  });

  it('are not believed where a statement does not add up, or does not follow on the one before', async () => {
    const statement = new BankWorld(1).statement();
    const { broken } = await new BankWorld(1).reconciled([
      { ...statement, lines: statement.lines.slice(1) },
      { ...statement, id: 'STMT-2', from: day(31), to: day(40), openingMinor: 7, closingMinor: 7, lines: [] },
    ]);
    expect(broken).toEqual([
      expect.stringMatching(/^statement STMT-1 begins with 1234\.56 usd, its lines end at .*, and it says /),
      expect.stringMatching(/^statement STMT-2 begins with 0\.07 usd, and STMT-1 ended with /),
    ]);
  });
});

describe('a bank’s file', () => {
  const good = camt053([new BankWorld(2).statement()]);
  const refusal = (xml: string): string => {
    try {
      bankStatements(xml);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableFile);
      return (error as Error).message;
    }
    return 'it was read';
  };

  it.each([
    [
      'a document type',
      good.replace('<Document', '<!DOCTYPE Document SYSTEM "file:///etc/passwd">\n<Document'),
    ],
    ['entities of its own', good.replace('<Document', '<!DOCTYPE d [<!ENTITY a "b">]>\n<Document')],
    ['an entity in lower case and with spaces', good.replace('<Document', '<! entity a "b">\n<Document')],
  ])('is refused with %s', (_what, xml) =>
    expect(refusal(xml)).toBe(
      'The file declares a document type or entities. No bank needs that: it is not read.',
    ),
  );
  it.each([
    ['no XML', 'Date,Amount', /^The file is no XML/],
    ['XML that breaks off', good.slice(0, -30), /^The file is no XML/],
    ['another document', '<Document><Other/></Document>', /^The file is no CAMT\.053 statement/],
    ['an amount with too many digits', good.replace(/(<Amt[^>]*>)/, '$10.001'), /is no amount in usd/],
    ['an amount that is no number', good.replace(/(<Amt[^>]*>)[^<]*/, '$11e3'), /is no amount in usd/],
    [
      'amounts that together cannot be counted',
      good.replaceAll(/(<Amt[^>]*>)[^<]*/g, '$190000000000000.00'),
      /more than can be counted to the cent/,
    ],
    ['about no day', good.replace(/(<FrDtTm>)[^<]*/, '$1soon'), /no CAMT\.053 statement/],
    [
      'elements within elements without end',
      '<a>'.repeat(500) + '</a>'.repeat(500),
      /cannot be read|no CAMT/,
    ],
  ])('is refused where it is %s', (_what, xml, says) => expect(refusal(xml)).toMatch(says));

  it('is refused where it is larger than 32 MiB', () => {
    const folder = mkdtempSync(join(tmpdir(), 'encore-bank-'));
    const file = join(folder, 'statement.xml');
    writeFileSync(file, good);
    expect(readBankFile(file)).toHaveLength(1);
    truncateSync(file, 32 * 1024 * 1024 + 1);
    expect(() => readBankFile(file)).toThrow('at most 32 MiB are read. Split it by month.');
    rmSync(folder, { recursive: true });
  });
  it('is refused where it is not in UTF-8, in which a document type could hide', () => {
    const hidden = Buffer.from(`\uFEFF<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>${good}`, 'utf16le');
    expect(() => textOf(hidden)).toThrow('The file is not in UTF-8.');
  });
  it('leaves an entity that it does not know as text, and reads the five that XML has', () => {
    const [statement] = bankStatements(good.replace('RENT OF THE OFFICE', 'RENT &amp; &lt;CO&gt; &unknown;'));
    expect(statement?.lines.flatMap(({ texts }) => texts)).toContain('RENT & <CO> &unknown;');
  });
  it('may be one booking of many payments, each with its amount', () => {
    const parts = ['10.00', '5.50'].map(
      (amount, n) =>
        `<TxDtls><Refs><EndToEndId>po_${n}</EndToEndId></Refs><Amt Ccy="USD">${amount}</Amt></TxDtls>`,
    );
    const xml = camt053([
      {
        ...{
          id: 'S',
          account: 'X',
          currency: 'usd',
          from: day(0),
          to: day(1),
          openingMinor: 0,
          closingMinor: 1_550,
        },
        lines: [{ id: 'R', amountMinor: 1_550, currency: 'usd', bookedOn: day(0), texts: ['x'] }],
      },
    ]).replace(/<TxDtls>.*<\/TxDtls>/, parts.join(''));
    expect(bankStatements(xml)[0]?.lines).toMatchObject([
      { id: 'R#1', amountMinor: 1_000, texts: expect.arrayContaining(['po_0']) },
      { id: 'R#2', amountMinor: 550, texts: expect.arrayContaining(['po_1']) },
    ]);
  });
});

it('a file of many lines is looked through once, however many payouts there are', async () => {
  const [count, payouts] = [200, 50];
  let looks = 0;
  const lines = Array.from({ length: count }, (_, n): BankLine => ({
    ...{ id: `R${n}`, amountMinor: 1_000 + n, currency: 'usd', bookedOn: day(2) },
    get texts() {
      looks += 1;
      return [`Customer ${n}`, n < payouts ? `STRIPE PAYOUT po_${n}` : `Invoice ${n}`];
    },
  }));
  const closingMinor = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  async function* entries() {
    for (let n = 0; n < payouts; n += 1)
      yield entry('PlatformPaidOut', n, { n, amountMinor: 1_000 + n, onDay: 0 });
  }
  const statement = { id: 'S', account: 'X', currency: 'usd', from: day(0), to: day(9), openingMinor: 0 };
  const { items } = await reconcileBank(entries(), {
    statements: [{ ...statement, closingMinor, lines }],
    providerName: 'stripe',
  });
  const classes = items.map((item) => item.class);
  expect(classes.filter((of) => of === 'matched')).toHaveLength(payouts);
  expect(classes.filter((of) => of === 'foreign')).toHaveLength(count - payouts);
  expect(looks).toBeLessThanOrEqual(4 * count);
});
