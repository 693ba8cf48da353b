/** The command line of `encore operate`. */
import type { Verdict } from '../shell/command.js';
import { obey } from '../shell/command-line.js';
import { withTrail } from './operator-trail.js';
import { OPERATE, operateCommand } from './verbs.js';

/**
 * Runs `encore operate WORDS…`, and notes it in the security trail. Throws CannotRun with one sentence for
 * words that it does not understand, and what the verb throws.
 */
export async function operate(words: readonly string[]): Promise<Verdict> {
  let verdict: Verdict | undefined;
  const command = operateCommand(async (verb, noted, act) => {
    verdict = await withTrail(verb, noted, act);
  });
  const help = await obey(OPERATE, command, words);
  if (help) return { status: 0, lines: help };
  if (!verdict) throw new Error('The verb ended without a last word.');
  return verdict;
}
