/**
 * What every verb of `encore audit` is made of: its place on the command line, the log it reads, its answer.
 */
import { statSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { openArchive } from '#audit/exported-log/archive';
import { ArchiveLog } from '#audit/exported-log/archive-log';
import { LogFile } from '#audit/exported-log/log-file';
import type { EventLog, LogSource } from '#log/event-log';
import { EsdbLog } from '#log/esdb';
import { CannotRun, type Verdict } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

/** What a verb has to say: lines for people, and with `--json` the same for programs. */
export interface Answer extends Verdict {
  /** What `--json` prints: plain data, money as decimal strings or integer minor units. */
  readonly json: unknown;
}

/** Where a verb reads the log. */
export interface SourceOptions {
  /** A file of `audit export --log`, or the folder of an archive; unset, the event store. */
  readonly fromFile?: string | undefined;
}

/** What a verb is given. */
export interface AuditIo {
  /**
   * The log of a file or folder, with no server and no secret, or that of the event store. Throws CannotRun.
   */
  openSource(options: SourceOptions): Promise<LogSource>;
  /** The event store of the settings. Throws BadSetting. */
  openLog(): EventLog;
  /** What the verb ends with: its answer is printed and the process exits with its status. */
  answer(answer: Answer): void;
}

/**
 * One verb: adds its command to `encore audit`. Its action calls `io.answer` once: status 0 when all is in
 * order, 1 when it is not. It throws CannotRun where it was called wrongly, which exits with 2. What is
 * costly to load (a PDF, a provider) is imported in the action.
 */
export type Verb = (audit: Command, io: AuditIo) => void;

/** Adds `--from-file`: for every verb that only reads. */
export const readingLog = (command: Command): Command =>
  command.option(
    '--from-file <file>',
    'read this exported log (a file of "audit export", or an archive folder) and no server',
  );

async function openSource({ fromFile }: SourceOptions): Promise<LogSource> {
  if (fromFile === undefined) return openLog();
  const found = statSync(fromFile, { throwIfNoEntry: false });
  if (found?.isFile()) return new LogFile(fromFile);
  const archive = await openArchive(fromFile);
  if (archive.head.events === 0) throw new CannotRun(`There is no exported log in ${fromFile}.`);
  return new ArchiveLog(archive);
}

const openLog = (): EventLog => EsdbLog.connect(readSettings(['EVENTSTORE_URL']).EVENTSTORE_URL);

/** The io of a command line; `answered` is told of the answer. */
export const auditIo = (answered: (answer: Answer) => void): AuditIo => ({
  openSource,
  openLog,
  answer: answered,
});

/** An option's value that is a day, as YYYY-MM-DD. */
export function dayArgument(written: string): string {
  const isDay =
    /^\d{4}-\d\d-\d\d$/.test(written) && new Date(`${written}T00:00:00Z`).toJSON()?.slice(0, 10) === written;
  if (!isDay) throw new InvalidArgumentError(`"${written}" is not a day, such as 2026-11-21.`);
  return written;
}

/** An option's value that is a month, as YYYY-MM. */
export function monthArgument(written: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(written))
    throw new InvalidArgumentError(`"${written}" is not a month, such as 2026-11.`);
  return written;
}
