/** The tutorial for auditors does what it says: each command is run, and prints what stands beneath it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeLogFile } from '#audit/exported-log/log-file';
import { repositoryRoot } from '#local/launch/program';
import { askHledger, hledger, type Hledger } from '#test/support/hledger';
import {
  JUNO,
  MILO,
  open,
  openAccount,
  providerFee,
  refund,
  settle,
  transfer,
} from '#test/support/journal-spec';
import { profileOf } from '#test/support/plain-vault';
import { Story } from '#test/support/story';
import { audit } from './run.js';

const PAGE = join(repositoryRoot(), 'docs/how-to/check-the-books-with-hledger.md');
const DAY_MS = 86_400_000;

/** March and April of two people. */
function smallLog(): Story {
  const story = new Story();
  const [first, second] = [
    { paymentId: 'pay_1', amount: '20.00' },
    { paymentId: 'pay_2', amount: '50.00' },
  ];
  for (const [userId, name] of [
    [JUNO, 'juno'],
    [MILO, 'milo'],
  ] as const)
    story.register(userId, profileOf(name));
  story.command(openAccount(JUNO), openAccount(MILO), open(first), settle(first), providerFee(first, '0.88'));
  story.command(transfer('5.00', JUNO, MILO));
  story.nowMs += 40 * DAY_MS;
  story.command(open(second), settle(second), providerFee(second, '1.75'), refund(second, '10.00'));
  return story;
}

/** The page's commands, `    $ …`, each with the lines printed beneath it. */
function commandsIn(page: string): { words: string[]; printed: string }[] {
  const blocks = page.matchAll(/^ {4}\$ (.*)\n((?:(?: {4}(?!\$ ).*)?\n)*)/gm);
  return [...blocks].map(([, command = '', printed = '']) => ({
    words: command.split(' '),
    printed: printed.replaceAll(/^ {4}/gm, '').trimEnd(),
  }));
}

describe('the page on hledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'encore-how-to-'));
  let program: Hledger;
  beforeAll(async () => {
    program = await hledger();
    await writeLogFile(smallLog().log, join(folder, 'encore-log.jsonl.gz'));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Hashes and ids differ from run to run: an ellipsis stands for them. */
  const plain = (text: string): string =>
    text
      .replaceAll(`${folder}/`, '')
      .replaceAll(/[A-Za-z0-9_-]{43}/g, '…')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
      .replaceAll(/ +$/gm, '')
      .trimEnd();

  async function printed([name, ...words]: readonly string[]): Promise<string> {
    if (name === 'hledger') {
      const { status, out, err } = await askHledger(program, words, folder);
      return plain(status === 0 ? out : `${err}${status}`);
    }
    const isFile = (word: string): boolean => /\.(gz|journal|csv)$/.test(word);
    const { lines } = await audit(words.slice(1).map((word) => (isFile(word) ? join(folder, word) : word)));
    return plain(lines.join('\n'));
  }

  it('shows what its commands print', async () => {
    const commands = commandsIn(readFileSync(PAGE, 'utf8'));
    expect(commands.length).toBeGreaterThan(5);
    for (const { words, printed: shown } of commands) {
      const all = await printed(words);
      // A long answer is shown from where it says so.
      const [, tail] = /^\[…\]\n([^]*)$/.exec(shown) ?? [];
      expect({ words, printed: tail === undefined ? all : all.slice(-tail.length) }).toEqual({
        words,
        printed: tail ?? shown,
      });
    }
  });
});
