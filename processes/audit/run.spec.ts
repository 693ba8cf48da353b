/** What `encore audit` says to words that it does not understand: one sentence each. */
import { describe, expect, it } from '@jest/globals';
import { CannotRun } from '../shell/command.js';
import { audit } from './run.js';

async function refusal(...words: string[]): Promise<string> {
  try {
    await audit(words);
  } catch (error) {
    if (error instanceof CannotRun) return error.message;
    throw error;
  }
  throw new Error(`"${words.join(' ')}" was not refused.`);
}
const ALL = '"encore audit --help" lists what there is.';
const OF_VERIFY = '"encore audit verify --help" lists what there is.';

describe('the command line of the audit', () => {
  it.each([
    [[], `Say what to audit: ${ALL}`],
    [['forge'], `"forge" is not something the audit does. ${ALL}`],
    [['verfy'], `"verfy" is not something the audit does. Is verify meant? ${ALL}`],
    [['verify', '--quickly'], `"--quickly" is not an option of verify. ${OF_VERIFY}`],
    [['verify', '--from-file'], `--from-file needs a value. ${OF_VERIFY}`],
    [['verify', 'it', 'all'], `verify was given more words than it takes. ${OF_VERIFY}`],
    [['verify', '--from-file', '/nowhere'], 'There is no exported log in /nowhere.'],
    [
      ['schedules-report', '--day', '2026-02-30'],
      '"2026-02-30" is not a day, such as 2026-11-21. "encore audit schedules-report --help" lists what there is.',
    ],
    [
      ['copy', '--to', 'esdb://one', '--to-file', 'two'],
      'Give either --to or --to-file. "encore audit copy --help" lists what there is.',
    ],
    [['copy', '--from', 'esdb://one'], 'Say where to copy to: --to URL, or --to-file FILE.'],
  ])('answers %j with one sentence', async (words, sentence) => {
    expect(await refusal(...words)).toBe(sentence);
  });

  it('lists what there is, and what each verb takes', async () => {
    const { status, lines } = await audit(['--help']);
    expect(status).toBe(0);
    expect(lines.join('\n')).toMatch(/\n {2}verify .*\n[^]*\n {2}copy /);
    expect((await audit(['verify', '--help'])).lines.join('\n')).toContain('--from-file <file>');
  });
});
