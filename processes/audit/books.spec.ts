/** The verbs of the books on the command line, over an exported file: with no server and no secret. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeLogFile } from '#audit/exported-log/log-file';
import { available } from '#contracts/plain/accounts';
import { completeStory } from '#test/support/complete-story';
import { JUNO } from '#test/support/journal-spec';
import { CannotRun } from '../shell/command.js';
import { audit } from './run.js';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'books-'));
  await writeLogFile(completeStory().log, join(folder, 'log'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const asked = (...words: string[]) => audit([...words, '--from-file', join(folder, 'log')]);
const text = async (...words: string[]): Promise<string> => (await asked(...words)).lines.join('\n');

describe('the verbs of the books', () => {
  it('tell the trial balance, as lines, as CSV and as JSON', async () => {
    expect(await text('trial-balance', '--at', '2026-03')).toContain('Debits and credits agree.');
    expect(await text('trial-balance', '--format', 'csv')).toMatch(
      /^account,kind,class,currency,debit,credit\n/,
    );
    const [json = ''] = (await asked('--json', 'trial-balance')).lines;
    expect(JSON.parse(json)).toMatchObject({ isBalanced: true });
  });

  it('tell a statement as lines, CSV and JSON, and write it as a PDF', async () => {
    const words = ['statement', '--account', available(JUNO), '--month', '2026-03'];
    expect(await text(...words)).toContain('closing balance');
    expect(await text(...words, '--format', 'csv')).toContain('closing balance');
    expect(JSON.parse(await text(...words, '--format', 'json'))).toMatchObject({
      month: '2026-03',
      opening: '0.00',
    });
    const out = join(folder, 'march.pdf');
    expect(await text(...words, '--format', 'pdf', '--out', out)).toBe(`Written to ${out}.`);
    expect(readFileSync(out).subarray(0, 5).toString()).toBe('%PDF-');
    await expect(asked(...words, '--format', 'pdf')).rejects.toThrow('say with --out where it goes');
    await expect(asked(...words, '--format', 'xls')).rejects.toThrow(
      '--format is csv or json or pdf, not "xls".',
    );
  });

  it('explain a balance, and say what stands open, what is safeguarded and what was received', async () => {
    expect(await text('explain', available(JUNO), '--at', '2026-03-31')).toContain(
      'encore audit prove-entry',
    );
    expect(await text('aging', 'unapplied')).toContain('Open unapplied');
    // Two euros that came for nobody are missing.
    expect((await asked('report', 'safeguarding')).status).toBe(1);
    expect(await text('report', 'tax', '--year', '2026', '--format', 'csv')).toMatch(/^payee,month,/);
    expect(await text('certificate', '--day', '2026-03-01')).toMatch(
      /^encore certificate\nday 2026-03-01 UTC\n/,
    );
  });

  it('export a closed month, and say what to do about one that is not closed', async () => {
    const [head = ''] = (await text('month', '--month', '2026-03')).split('\n');
    expect(JSON.parse(head)).toMatchObject({ format: 'encore-month-1', month: '2026-03' });
    const open = await asked('month', '--month', '2026-04');
    expect(open).toMatchObject({ status: 1 });
    expect(open.lines).toEqual([
      '2026-04 is not closed. Close it first: encore audit close --month 2026-04.',
    ]);
  });

  it.each([
    [['trial-balance', '--at', 'spring'], '"spring" is no moment of the books'],
    [['explain', 'juno'], '"juno" is no account'],
    [['statement', '--account', 'x', '--month', '2026-13'], '"2026-13" is not a month'],
    [['statement', '--month', '2026-03'], 'statement needs --account <account>.'],
    [
      ['statement', '--account', 'platform/unapplied/eur', '--month', '2026-03', '--format', 'pdf'],
      'platform/unapplied/eur holds eur: ask for --format csv or json.',
    ],
    [['report', 'tax', '--year', '26'], '"26" is not a year'],
    [['certificate', '--day', '2026-02-30'], '"2026-02-30" is not a day'],
  ])('refuse %j in one sentence', async (words, sentence) => {
    await expect(asked(...words)).rejects.toThrow(CannotRun);
    await expect(asked(...words)).rejects.toThrow(sentence);
  });
});
