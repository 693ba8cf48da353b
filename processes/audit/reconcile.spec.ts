/** `encore audit reconcile` over files alone: an exported log, the provider's file and the bank's. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BankLine } from '#audit/reconcile/bank-file';
import { writeLogFile } from '#audit/exported-log/log-file';
import { openNote, signerFrom } from '#log/transparency/note';
import { camt053, itemizedCsv, listedJson, OutsideWorld } from '#test/support/outside-world';
import { CannotRun } from '../shell/command.js';
import { audit } from './run.js';

/** A history in which several payouts reach the platform's bank. */
const SEED = 25;

describe('a reconciliation from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'encore-reconcile-'));
  const file = (name: string, text?: string): string => {
    if (text !== undefined) writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const world = new OutsideWorld(SEED, 'exclusive');
  const movements = world.movements();
  const payouts = movements.filter(({ type }) => type === 'payout');
  /** Each payout that did not come back arrives two days later. */
  const lines = payouts
    .filter(({ source }) => movements.filter((other) => other.source.id === source.id).length === 1)
    .map(({ id, source, netMinor, createdAt }): BankLine => {
      const bookedOn = new Date(Date.parse(createdAt) + 2 * 86_400_000).toISOString().slice(0, 10);
      return {
        id: `REF-${id}`,
        amountMinor: -netMinor,
        currency: 'usd',
        bookedOn,
        texts: [`STRIPE ${source.id}`],
      };
    });
  const bank = (of: readonly BankLine[]): string => {
    const closingMinor = of.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    const period = { from: '2026-03-01', to: '2026-12-31' };
    return camt053([
      { id: 'S1', account: 'X', currency: 'usd', ...period, openingMinor: 0, closingMinor, lines: of },
    ]);
  };
  beforeAll(() => writeLogFile(world.story.log, file('log.jsonl.gz')));
  afterAll(() => rmSync(folder, { recursive: true }));
  const reconcile = (...words: string[]) =>
    audit(['reconcile', '--from-file', file('log.jsonl.gz'), '--account', 'exclusive', ...words]);

  it('needs no server and no secret, and writes figures', async () => {
    expect(lines.length).toBeGreaterThan(1);
    const { status, lines: said } = await reconcile(
      ...['--provider-file', file('balance.csv', itemizedCsv(movements))],
      ...['--bank', file('bank.xml', bank(lines)), '--metrics', file('encore.prom')],
    );
    expect(said.join('\n')).toContain('The books are in order.');
    expect(said.join('\n')).toMatch(/^Compared with the provider up to 2026-03-\d\dT.*; what came later/m);
    expect(status).toBe(0);
    expect(said.join('\n')).toMatch(/^charge +usd +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$/m);
    const figures = readFileSync(file('encore.prom'), 'utf8');
    expect(figures).toContain(
      `encore_reconcile_items{side="provider",class="matched",owner="nobody"} ${movements.length}\n`,
    );
    expect(figures).toContain('encore_reconcile_items{side="bank",class="only-ours",owner="finance"} 0\n');
  });
  it('compares the whole last day when --until names a day', async () => {
    const last = movements.reduce((one, other) => (one.createdAt > other.createdAt ? one : other));
    const day = last.createdAt.slice(0, 10);
    const stray = {
      ...last,
      id: 'txn_stray',
      createdAt: `${day}T23:59:58.000Z`,
      source: { kind: 'other' as const },
    };
    const until = (...words: string[]) =>
      reconcile('--provider-file', file('balance.csv', itemizedCsv([...movements, stray])), ...words);
    const { status, lines: said } = await until('--until', day);
    expect(said.join('\n')).toContain(`txn_stray (movement txn_stray)`);
    expect(said.join('\n')).toContain(`Compared with the provider up to ${day}T23:59:59.999Z`);
    expect(status).toBe(1);
    // A moment is that moment.
    expect((await until('--until', `${day}T23:59:57Z`)).status).toBe(0);
  });

  it('names what is missing on either side, and exits with 1', async () => {
    const [, ...fewer] = movements;
    const { status, lines: said } = await reconcile(
      ...['--provider-file', file('fewer.json', listedJson(fewer)), '--ending-balance', '1.00'],
      ...['--bank', file('fewer.xml', bank(lines.slice(1)))],
    );
    expect(status).toBe(1);
    expect(said.join('\n')).toMatch(/^provider: only ours +FAILED +1, /m);
    expect(said.join('\n')).toMatch(/^bank: only ours +FAILED +1, /m);
    expect(said.join('\n')).toMatch(/its balance is 1\.00 usd$/m);
  });
  it('does not take a file without a movement for a provider that agrees', async () => {
    const { status, lines: said } = await reconcile('--provider-file', file('none.json', '[]'));
    expect(status).toBe(1);
    expect(said.join('\n')).toMatch(/^provider: only ours +FAILED/m);
  });
  it('of the bank alone asks nothing of the provider', async () => {
    const { status, lines: said } = await reconcile('--bank', file('bank.xml', bank(lines)));
    expect({ status, provider: said.filter((line) => line.startsWith('provider')) }).toEqual({
      status: 0,
      provider: [],
    });
  });
  it('stands in the certificate of a day, which the key of the tree signs', async () => {
    const day = movements[0]!.createdAt.slice(0, 10);
    const certified = async (name: string, of: typeof movements, at = day) => {
      const words = ['--from-file', file('log.jsonl.gz'), '--account', 'exclusive', '--sign'];
      const provider = ['--provider-file', file(name, itemizedCsv(of))];
      return (await audit(['certificate', '--day', at, ...words, ...provider])).lines.join('\n');
    };
    const key = signerFrom('encore.example/transparency/certificate', '9d'.repeat(32));
    process.env.TRANSPARENCY_KEY = '9d'.repeat(32);
    process.env.TRANSPARENCY_NAME = 'encore.example/transparency';
    try {
      const whole = openNote(`${await certified('balance.csv', movements)}\n`, key.verifier).text;
      expect(whole).toMatch(/^schedules due 0 collected 0 failed 0 skipped 0 /m);
      expect(whole).toMatch(/^safeguarded usd required /m);
      expect(whole).toMatch(/^reconciled yes$/m);
      const fewer = openNote(`${await certified('fewer.csv', movements.slice(1))}\n`, key.verifier).text;
      expect(fewer).toMatch(/^reconciled no\nin order no$/m);
      // A file of the first days says nothing of the last one.
      const last = movements
        .map(({ createdAt }) => createdAt.slice(0, 10))
        .sort()
        .at(-1);
      const early = movements.filter(({ createdAt }) => createdAt < '2026-03-09');
      expect(openNote(`${await certified('early.csv', early, last)}\n`, key.verifier).text).toMatch(
        /^reconciled no$/m,
      );
      expect(openNote(`${await certified('balance.csv', movements, last)}\n`, key.verifier).text).toMatch(
        /^reconciled yes$/m,
      );
    } finally {
      delete process.env.TRANSPARENCY_KEY;
      delete process.env.TRANSPARENCY_NAME;
    }
  });
  it.each([
    [
      'a file of something else',
      'name,age\nJuno,30\n',
      ['--provider-file'],
      /is this a file of balance transactions\?$/,
    ],
    ['no file', undefined, ['--provider-file'], 'cannot be read. Is it there, and may you read it?'],
    ['a document type', '<!DOCTYPE a><a/>', ['--bank'], 'declares a document type or entities'],
    ['another use', '[]', ['--account', 'mine', '--provider-file'], '--account is exclusive or shared.'],
    ['a balance in words', '[]', ['--ending-balance', 'much', '--provider-file'], '"much" is no amount'],
  ])('answers %s with one sentence', async (what, text, words, sentence) => {
    const refusal = reconcile(...words, file(what, text));
    await expect(refusal).rejects.toThrow(CannotRun);
    await expect(refusal).rejects.toThrow(sentence);
  });
});
