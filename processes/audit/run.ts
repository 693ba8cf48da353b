/** The command line of `encore audit`: what the words ask for, and one sentence where they ask for nothing that it does. */
import { Command, CommanderError } from 'commander';
import { CannotRun, type Verdict } from '../shell/command.js';
import { auditIo, type Answer } from './verb.js';
import { VERBS } from './verbs.js';

/**
 * Runs `encore audit WORDS…`. With `--json` its answer is one line of JSON. Throws {@link CannotRun} with one
 * sentence for words that it does not understand, and what the verb throws.
 */
export async function audit(words: readonly string[]): Promise<Verdict> {
  let answer: Answer | undefined;
  const help: string[] = [];
  const command = new Command('encore audit')
    .description('Check the books, over the log and not through the app.')
    .option('--json', 'answer with one line of JSON')
    .helpCommand(false)
    .addHelpText('after', '\nExits 0 when all is in order, 1 when it is not, 2 when it could not be done.')
    .configureOutput({ writeOut: (text) => void help.push(text.trimEnd()), writeErr: () => undefined })
    .exitOverride();
  for (const verb of VERBS)
    verb(
      command,
      auditIo((given) => (answer = given)),
    );
  try {
    await command.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { status: 0, lines: help };
    throw new CannotRun(sentenceOf(error, words, command));
  }
  if (!answer) throw new Error('The verb ended without an answer.');
  return command.opts().json === true ? { ...answer, lines: [JSON.stringify(answer.json)] } : answer;
}

/** What is wrong with the words, in one sentence, and where the right ones are listed. */
function sentenceOf(error: CommanderError, words: readonly string[], audit: Command): string {
  const verb = audit.commands.find((one) => one.name() === words.find((word) => !word.startsWith('-')));
  const see = `"encore audit ${verb ? `${verb.name()} ` : ''}--help" lists what there is.`;
  const [, named = ''] = /'([^']*)'/.exec(error.message) ?? [];
  const meant = /\(Did you mean (.*)\?\)/.exec(error.message)?.[1];
  const instead = meant === undefined ? '' : ` Is ${meant} meant?`;
  switch (error.code) {
    case 'commander.help':
      return `Say what to audit: ${see}`;
    case 'commander.unknownCommand':
      return `"${named}" is not something the audit does.${instead} ${see}`;
    case 'commander.unknownOption':
      return `"${named}" is not an option of ${verb?.name() ?? 'audit'}.${instead} ${see}`;
    case 'commander.optionMissingArgument':
      return `${named.split(' ')[0]} needs a value. ${see}`;
    case 'commander.missingMandatoryOptionValue':
      return `${verb?.name()} needs ${named}. ${see}`;
    case 'commander.missingArgument':
      return `${verb?.name()} needs its ${named}. ${see}`;
    case 'commander.excessArguments':
      return `${verb?.name() ?? 'audit'} was given more words than it takes. ${see}`;
    case 'commander.conflictingOption': {
      const [, other = ''] = /cannot be used with option '([^']*)'/.exec(error.message) ?? [];
      return `Give either ${named.split(' ')[0]} or ${other.split(' ')[0]}. ${see}`;
    }
    // Of a value, its own check has said what is wrong.
    default:
      return `${error.message.replace(/^error: /, '').replace(/^.* is invalid\. /, '')} ${see}`;
  }
}
