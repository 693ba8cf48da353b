/**
 * The command line of `encore audit`: what the words ask for, and one sentence where they ask for nothing
 * that it does.
 */
import type { Verdict } from '../shell/command.js';
import { obey, programOf } from '../shell/command-line.js';
import { auditIo, type Answer } from './verb.js';
import { VERBS } from './verbs.js';

const AUDIT = {
  name: 'encore audit',
  about: 'Check the books, over the log and not through the app.',
  unknownVerb: 'not something the audit does',
  noVerb: 'Say what to audit',
} as const;

/**
 * Runs `encore audit WORDS…`. With `--json` its answer is one line of JSON. Throws CannotRun with one
 * sentence for words that it does not understand, and what the verb throws.
 */
export async function audit(words: readonly string[]): Promise<Verdict> {
  let answer: Answer | undefined;
  const command = programOf(AUDIT)
    .option('--json', 'answer with one line of JSON')
    .addHelpText('after', '\nExits 0 when all is in order, 1 when it is not, 2 when it could not be done.');
  for (const verb of VERBS)
    verb(
      command,
      auditIo((given) => (answer = given)),
    );
  const help = await obey(AUDIT, command, words);
  if (help) return { status: 0, lines: help };
  if (!answer) throw new Error('The verb ended without an answer.');
  return command.opts().json === true ? { ...answer, lines: [JSON.stringify(answer.json)] } : answer;
}
