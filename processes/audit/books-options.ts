/** What the verbs of the books have in common: a moment, a form, and a file to write. */
import { writeFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { timeZoneOf, THE_END, untilFrom, type Moment } from '#audit/books/moments';
import type { LogSource } from '#log/event-log';
import { CannotRun } from '../shell/command.js';
import { readingLog, type Answer, type SourceOptions } from './verb.js';

export interface BooksOptions extends SourceOptions {
  readonly at?: string;
  readonly format?: string;
  readonly out?: string;
}

/** Adds `--at`. */
export const withMoment = (command: Command): Command =>
  readingLog(command).option(
    '--at <moment>',
    'up to a month (2026-11), a day (2026-11-30), a time (2026-11-30T09:00:00Z) or a revision (1204); default: now',
  );

/** Adds `--format`, of these, and `--out`. */
export const withForm = (command: Command, ...forms: readonly string[]): Command =>
  command
    .option('--format <form>', `${forms.join(' or ')} instead of lines for people`, (written) => {
      if (!forms.includes(written))
        throw new InvalidArgumentError(`--format is ${forms.join(' or ')}, not "${written}".`);
      return written;
    })
    .option('--out <file>', 'write it to this file');

/** The moment that was asked for, in the books' time zone. Throws CannotRun. */
export async function momentOf(source: LogSource, { at }: BooksOptions): Promise<Moment> {
  return at === undefined ? THE_END : orCannotRun(async () => untilFrom(at, await timeZoneOf(source)));
}

/**
 * Runs it; a month, a day or an account that there cannot be ends the program with a sentence. Throws
 * CannotRun.
 */
export async function orCannotRun<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof RangeError ? new CannotRun(error.message) : error;
  }
}

/** An answer of a text or a file's bytes: printed, or written to `--out`. Throws CannotRun. */
export function written(
  { out }: BooksOptions,
  content: string | Buffer,
  { status, json }: Pick<Answer, 'status' | 'json'>,
): Answer {
  if (out === undefined) {
    if (typeof content !== 'string') throw new CannotRun('A PDF is no text: say with --out where it goes.');
    return { status, json, lines: [content.trimEnd()] };
  }
  try {
    writeFileSync(out, content);
  } catch (error) {
    throw new CannotRun(
      `${out} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return { status, json, lines: [`Written to ${out}.`] };
}
