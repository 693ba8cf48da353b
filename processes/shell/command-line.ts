/**
 * A program of many verbs, as commander reads its words: its help, and one sentence where the words mean
 * nothing.
 */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { minorFromDecimal } from '#contracts/plain/money';
import { timeMs } from '#contracts/plain/months';
import { CannotRun } from './command.js';

export interface Program {
  /** As it is typed, such as `encore audit`. */
  readonly name: string;
  readonly about: string;
  /** What is said of a verb that it does not have. */
  readonly unknownVerb: string;
  /** What is said where no verb is named. */
  readonly noVerb: string;
}

/** The command to which the verbs are added. It prints nothing by itself. */
export const programOf = ({ name, about }: Program): Command =>
  new Command(name)
    .description(about)
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();

/**
 * Does what the words say, by the action of the verb that they name. Answers the lines of a help that was
 * asked for, else undefined. Throws {@link CannotRun} with one sentence for words that it does not
 * understand, and what the action throws.
 */
export async function obey(
  program: Program,
  command: Command,
  words: readonly string[],
): Promise<readonly string[] | undefined> {
  const help: string[] = [];
  for (const one of [command, ...command.commands])
    one.configureOutput({ writeOut: (text) => void help.push(text.trimEnd()), writeErr: () => undefined });
  try {
    await command.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return help;
    throw new CannotRun(sentenceOf(error, words, command, program));
  }
}

/** What is wrong with the words, in one sentence, and where the right ones are listed. */
function sentenceOf(
  error: CommanderError,
  words: readonly string[],
  command: Command,
  program: Program,
): string {
  const verb = command.commands.find((one) => one.name() === words.find((word) => !word.startsWith('-')));
  const see = `"${program.name} ${verb ? `${verb.name()} ` : ''}--help" lists what there is.`;
  const called = verb?.name() ?? program.name.split(' ').at(-1);
  const [, named = ''] = /'([^']*)'/.exec(error.message) ?? [];
  const meant = /\(Did you mean (.*)\?\)/.exec(error.message)?.[1];
  const instead = meant === undefined ? '' : ` Is ${meant} meant?`;
  switch (error.code) {
    case 'commander.help':
      return `${program.noVerb}: ${see}`;
    case 'commander.unknownCommand':
      return `"${named}" is ${program.unknownVerb}.${instead} ${see}`;
    case 'commander.unknownOption':
      return `"${named}" is not an option of ${called}.${instead} ${see}`;
    case 'commander.optionMissingArgument':
      return `${named.split(' ')[0]} needs a value. ${see}`;
    case 'commander.missingMandatoryOptionValue':
      return `${called} needs ${named}. ${see}`;
    case 'commander.missingArgument':
      return `${called} needs its ${named}. ${see}`;
    case 'commander.excessArguments':
      return `${called} was given more words than it takes. ${see}`;
    case 'commander.conflictingOption': {
      const [, other = ''] = /cannot be used with option '([^']*)'/.exec(error.message) ?? [];
      return `Give either ${named.split(' ')[0]} or ${other.split(' ')[0]}. ${see}`;
    }
    // Of a value, its own check has said what is wrong.
    default:
      return `${error.message.replace(/^error: /, '').replace(/^.* is invalid\. /, '')} ${see}`;
  }
}

const isDay = (written: string): boolean => /^\d{4}-\d\d-\d\d$/.test(written);

/** An option's value that is a time or a day: a day is its first moment in UTC. */
export function timeArgument(written: string): Date {
  const ms = timeMs(isDay(written) ? `${written}T00:00:00Z` : written);
  if (ms === undefined)
    throw new InvalidArgumentError(`"${written}" is not a time, such as 2026-11-21T09:00:00Z.`);
  return new Date(ms);
}

/** The same of the end of a period: of a day its last moment, so that all of that day counts. */
export function endArgument(written: string): Date {
  const time = timeArgument(written);
  return isDay(written) ? new Date(time.getTime() + 24 * 3_600_000 - 1) : time;
}

/** An option's value that is an amount of dollars, in minor units. */
export function amountArgument(written: string): number {
  const read = minorFromDecimal(written);
  if ('problem' in read || read.minor === 0)
    throw new InvalidArgumentError(`"${written}" is not an amount, such as 20.00.`);
  return read.minor;
}
