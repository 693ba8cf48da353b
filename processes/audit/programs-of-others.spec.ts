/**
 * One exported file, read by the Python program of the docs, by hledger and by Beancount: balances and
 * statements are the same as ours, and a file that was changed is refused. Python and Beancount are looked at
 * where there is a Python.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogFile, writeLogFile } from '#audit/exported-log/log-file';
import { minorFromText } from '#audit/reconcile/amounts';
import { beanCheck, hasBeancount } from '#test/support/beancount';
import { treeOf } from '#audit/transparency/log-tree';
import { rootOf } from '#log/transparency/merkle';
import { completeStory } from '#test/support/complete-story';
import { hasPython, pythonOf } from '#test/support/docs-python';
import { fourMonths } from '#test/support/four-months';
import { askHledger, hledger } from '#test/support/hledger';
import { JUNO, MILO, open, openAccount, settle, transfer } from '#test/support/journal-spec';
import { Story } from '#test/support/story';
import { audit } from './run.js';

const run = promisify(execFile);

/** Books of New York, whose October ends at four in the morning of UTC. */
function newYork(): Story {
  const story = new Story();
  const tip = { paymentId: 'pay_1', amount: '20.00' };
  story.nowMs = Date.parse('2026-10-05T12:00:00Z');
  story.command(
    { type: 'FoundLedger', providerAccountId: 'acct_1', mode: 'test', timeZone: 'America/New_York' },
    ...[openAccount(JUNO), openAccount(MILO), open(tip), settle(tip)],
  );
  story.nowMs = Date.parse('2026-11-01T02:00:00Z');
  story.command(transfer('5.00', JUNO, MILO, 'trf_october'));
  story.nowMs = Date.parse('2026-11-01T05:00:00Z');
  story.command(transfer('1.00', JUNO, MILO, 'trf_november'));
  return story;
}

/** Amounts in minor units, credits less debits. */
interface PlainStatement {
  readonly openingMinor: number;
  /** Revision, amount, balance after it. */
  readonly lines: readonly (readonly [number, number, number])[];
  readonly closingMinor: number;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'encore-others-'));
  writeFileSync(join(folder, 'books.py'), pythonOf('how-to/check-the-books-with-python.md'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const python = async (...words: readonly string[]): Promise<string> =>
  (await run('python3', words, { cwd: folder })).stdout;

/** The statement in CSV: ours, or that of the Python program, by its names of columns. */
function statementIn(csv: string, amount: string, balance: string, minor: (text: string) => number) {
  const [header = '', ...rows] = csv.trimEnd().split('\n');
  const names = header.split(',');
  const cells = rows.map((row) => {
    const values = row.split(',');
    return (name: string): string => values[names.indexOf(name)] ?? '';
  });
  return {
    openingMinor: minor(cells[0]!(balance)),
    lines: cells
      .slice(1, -1)
      .map((cell) => [Number(cell('revision')), minor(cell(amount)), minor(cell(balance))] as const),
    closingMinor: minor(cells.at(-1)!(balance)),
  };
}

describe.each([
  ['four months and three currencies', fourMonths, ['2026-04', '2026-06']],
  ['everything that can happen to money', completeStory, ['2026-03']],
  ['books of another time zone', newYork, ['2026-10', '2026-11']],
])('%s', (_what, story, months) => {
  const file = 'log.jsonl.gz';
  let accounts: { readonly account: string; readonly currency: string }[];
  let balances: string;
  let statements: Map<string, PlainStatement>;
  const path = (name: string): string => join(folder, name);
  const asked = async (...words: string[]): Promise<string> =>
    (await audit([...words, '--from-file', path(file)])).lines.join('\n');

  beforeAll(async () => {
    rmSync(path(file), { force: true });
    await writeLogFile(story().log, path(file));
    const table = async (...at: string[]) =>
      JSON.parse(await asked('--json', 'trial-balance', ...at)) as {
        lines: typeof accounts;
        balancesHash: string;
      };
    ({ lines: accounts, balancesHash: balances } = await table());
    statements = new Map();
    for (const month of months)
      for (const { account, currency } of (await table('--at', month)).lines) {
        const csv = await asked('statement', '--account', account, '--month', month, '--format', 'csv');
        const minor = (text: string): number => minorFromText(text, currency) ?? Number.NaN;
        statements.set(`${account} ${month}`, statementIn(csv, 'amount', 'balance', minor));
      }
    expect([...statements.values()].some(({ lines }) => lines.length > 0)).toBe(true);
  });

  (hasPython ? it : it.skip)(
    'has these balances and statements by the Python program of the docs',
    async () => {
      const said = (await python('books.py', file)).trimEnd().split('\n');
      expect(said[0]).toBe(`last line ${lastHash(path(file))}`);
      expect(said.at(-1)).toBe(`hash of the balances: ${balances}`);
      // One process for all of them.
      writeFileSync(path('wanted.json'), JSON.stringify([...statements.keys()].map((key) => key.split(' '))));
      const all = await python(
        '-c',
        `import books, json\nfor one in json.load(open("wanted.json")): books.statement("${file}", *one)`,
      );
      const told = all.split(/^last line .*\n/m).slice(1);
      expect(told.length).toBe(statements.size);
      for (const [n, [key, ours]] of [...statements].entries())
        expect([key, statementIn(told[n]!, 'amount_minor', 'balance_minor', Number)]).toEqual([key, ours]);
    },
  );

  (hasPython ? it : it.skip)('has this tree by the Python program of the docs', async () => {
    const ours = await treeOf(new LogFile(path(file)));
    for (const size of [ours.size - 1, ours.size]) {
      const root = await rootOf(ours.hashes(size), size);
      const said = (await python('books.py', file, 'tree', String(size))).split('\n');
      expect(said.slice(1)).toEqual([String(size), root.toString('base64'), '']);
    }
    await expect(python('books.py', file, 'tree', String(ours.size + 1))).rejects.toMatchObject({ code: 1 });
  });

  it('has these statements by hledger', async () => {
    const program = await hledger();
    const books = path('books.journal');
    await asked('export', '--hledger', books);
    for (const { account, currency } of accounts) {
      const pattern = `:${account.replaceAll('/', ':')}$`;
      const { out } = await askHledger(program, [
        ...['-f', books, 'register', '-O', 'csv', pattern, 'code:.'],
      ]);
      const rows = [...out.matchAll(/^"\d+","([\d-]+)","(\d+)",.*,"(-?[\d.]+)[^"]*","(-?[\d.]+)[^"]*"$/gm)];
      const minor = (text = ''): number => 0 - (minorFromText(text, currency) ?? Number.NaN);
      for (const month of months) {
        const before = rows.findLast(([, day = '']) => day.slice(0, 7) < month);
        const own = rows.filter(([, day = '']) => day.slice(0, 7) === month);
        const openingMinor = before ? minor(before[4]) : 0;
        const lines = own.map(([, , code, amount, total]) => [Number(code), minor(amount), minor(total)]);
        const closingMinor = lines.at(-1)?.[2] ?? openingMinor;
        const key = `${account} ${month}`;
        // We refuse a statement of an account that was not there yet.
        const ours = statements.get(key) ?? { openingMinor: 0, lines: [], closingMinor: 0 };
        expect([key, { openingMinor, lines, closingMinor }]).toEqual([key, ours]);
      }
    }
  }, 120_000);

  (hasBeancount ? it : it.skip)(
    'is taken by bean-check, and not with an amount changed',
    async () => {
      const books = path('books.beancount');
      await asked('export', '--beancount', books);
      expect(await beanCheck(books)).toEqual({ status: 0, err: '' });
      const text = readFileSync(books, 'utf8');
      // Both sides of one transaction, so that it still balances: only an assertion finds it.
      const changed = text.replace(/( {2})(\d+\.\d\d USD\n.* {2}-)\d+\.\d\d USD/, '$1123456.78 USD\n');
      expect(changed).not.toBe(text);
      writeFileSync(books, changed);
      const { status, err } = await beanCheck(books);
      expect([status, err]).toEqual([1, expect.stringContaining('Balance failed')]);
    },
    120_000,
  );
});

const linesOf = (file: string): string[] =>
  gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -1);
const lastHash = (file: string): string => linesOf(file).at(-1)!.slice(0, 43);

/** The lines with hashes of their own again, as somebody makes them who changed one. */
function hashedAnew(lines: readonly string[]): string[] {
  let before = 'A'.repeat(43);
  return lines.map((line) => {
    const text = line.slice(44);
    before = createHash('sha256').update(`${before} ${text}`).digest('base64url');
    return `${before} ${text}`;
  });
}

describe('the Python program of the docs', () => {
  const changed = (lines: string[]): string[] => lines.map((line) => line.replace('usr_milo', 'usr_juno'));
  const damaged: [string, string, (lines: string[]) => string[]][] = [
    ['a changed line', 'a line is not what was written here', changed],
    ['a line left out', 'a line is not what was written here', (lines) => lines.toSpliced(4, 1)],
    [
      'an event changed and every line hashed anew',
      'event 2 of journal is not what was written here',
      (lines) => hashedAnew(changed(lines)),
    ],
    ['its end cut off', 'the file was cut off', (lines) => lines.slice(0, -1)],
  ];
  (hasPython ? it.each(damaged) : it.skip.each(damaged))(
    'refuses a file with %s',
    async (_what, says, change) => {
      const file = join(folder, 'damaged.jsonl.gz');
      rmSync(file, { force: true });
      await writeLogFile(newYork().log, file);
      writeFileSync(
        file,
        gzipSync(
          change(linesOf(file))
            .map((line) => `${line}\n`)
            .join(''),
        ),
      );
      await expect(python('books.py', 'damaged.jsonl.gz')).rejects.toMatchObject({
        code: 1,
        stderr: `${says}\n`,
      });
    },
  );
});
