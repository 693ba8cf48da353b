/** An auditor with one file, one signed head and one public key, and no server: the verbs about anchors. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeLogFile } from '#audit/exported-log/log-file';
import { TreeSigner } from '#audit/transparency/tree-signer';
import { signerFrom } from '#log/transparency/note';
import { ChainedLog } from '#test/support/chained-log';
import { audit } from '../run.js';

const signer = signerFrom('encore.example/transparency', '11'.repeat(32));
let folder: string;
const at = (name: string): string => join(folder, name);

async function signed(log: ChainedLog, tree: string): Promise<void> {
  const signing = new TreeSigner({ log, folder: tree, signer, everyMs: 60_000 });
  signing.start();
  while (signing.state.status !== 'live') {
    if (signing.state.status === 'stopped') throw new Error(signing.state.why);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await signing.stop();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'encore-anchor-verbs-'));
  const log = new ChainedLog().fill(40);
  await signed(log, at('tree'));
  await writeLogFile(log, at('early.jsonl.gz'));
  await audit([
    'anchor',
    '--from-file',
    at('early.jsonl.gz'),
    '--anchor',
    at('tree'),
    '--out',
    at('early.json'),
  ]);
  log.fill(30);
  await signed(log, at('tree'));
  await writeLogFile(log, at('log.jsonl.gz'));
  await writeLogFile(new ChainedLog().fill(70), at('other.jsonl.gz'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const over = (...words: string[]) => audit([...words, '--from-file', at('log.jsonl.gz')]);

describe('the verbs about anchors', () => {
  it('keep a signed head, and hold a log against it', async () => {
    expect(JSON.parse(readFileSync(at('early.json'), 'utf8'))).toMatchObject({
      format: 'encore-anchor/1',
      verifierKey: signer.verifier.text,
    });
    const { status, lines } = await over(
      'anchor',
      '--anchor',
      at('early.json'),
      '--key',
      signer.verifier.text,
    );
    expect(status).toBe(0);
    expect(lines.join('\n')).toMatch(/size {5}40\n[^]*signed heads {2}ok {6}1 over 40 of 70 events/);
    const other = await audit(['anchor', '--anchor', at('early.json'), '--from-file', at('other.jsonl.gz')]);
    expect(other.status).toBe(1);
    expect(other.lines.join('\n')).toMatch(
      /The first 40 events, .* are not those over which encore.example\/transparency was signed/,
    );
  });

  it('show a forged log in a verify, beside all else', async () => {
    const answer = await audit([
      '--json',
      'verify',
      '--anchor',
      at('early.json'),
      '--from-file',
      at('other.jsonl.gz'),
    ]);
    const { checks } = JSON.parse(answer.lines[0]!) as { checks: { name: string; findings: string[] }[] };
    expect(answer.status).toBe(1);
    expect(checks.find(({ name }) => name === 'signed heads')?.findings).toHaveLength(2);
  });

  it('verify what came since, where a signed head covers what was before', async () => {
    const { lines, status } = await over('verify', '--since', '26', '--anchor', at('early.json'));
    expect(lines.join('\n')).toMatch(/what was verified before +ok +\d+ events, \d+ entries: followed/);
    expect(lines.join('\n')).toContain('1 over 40 of 70 events');
    expect(status).toBe(1);
    const later = await over('verify', '--since', '40', '--anchor', at('early.json'));
    expect(later.lines.join('\n')).toContain('The head was signed over 40 events, and ');
  });

  it('prove an entry and the growth between two heads', async () => {
    const entry = await audit([
      '--json',
      'prove-entry',
      '7',
      '--anchor',
      at('tree'),
      '--from-file',
      at('log.jsonl.gz'),
    ]);
    expect(JSON.parse(entry.lines[0]!)).toMatchObject({ stream: 'journal', revision: 7, index: 10 });
    const growth = await over('prove-consistency', at('early.json'), '70');
    expect(growth).toMatchObject({
      status: 0,
      lines: expect.arrayContaining(['The first 40 of 70 events are the same.']),
    });
  });

  it.each<[string[], RegExp]>([
    [['anchor'], /^Name a signed head with --anchor/],
    [['prove-entry', '7', '--anchor', '/nowhere'], /^There is nothing at \/nowhere\./],
    [['prove-entry', '999', '--anchor', 'tree'], /^The journal of this log has no revision 999\./],
    [['prove-consistency', 'x', '70'], /^"x" is neither a number of events nor a file/],
    [['verify', '--since', '5'], /^With --since, what stands before is not judged: name with --anchor/],
    [['verify', '--since', 'spring', '--anchor', 'early.json'], /^"spring" is no moment of the books/],
    [['prove-consistency', '5', '71'], /^The log has 70 events and not 71/],
    [['anchor', '--anchor', 'early.json', '--key', 'x'], /^This is not the verifier key/],
  ])('answer %j with one sentence', async (words, sentence) => {
    const named = words.map((word) => (word === 'tree' || word === 'early.json' ? at(word) : word));
    await expect(over(...named)).rejects.toThrow(sentence);
  });
});
