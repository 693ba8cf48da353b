/**
 * `encore audit export`: the log as it is stored, as one file that needs no server and no secret (`--log`),
 * and the books for programs of others (`--hledger`, `--beancount`, `--csv`).
 */
import { renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { CannotExport, writeLogFile } from '#audit/exported-log/log-file';
import { beancountJournal } from '#audit/plain-text/beancount';
import { hledgerJournal } from '#audit/plain-text/hledger';
import { postingsCsv } from '#audit/plain-text/postings-csv';
import { CannotRun } from '../../shell/command.js';
import { readingLog, type Answer, type AuditIo, type SourceOptions, type Verb } from '../verb.js';

interface Options extends SourceOptions {
  readonly log?: string;
  readonly hledger?: string;
  readonly beancount?: string;
  readonly csv?: string;
}

/** Writes a file from its pieces: whole, or not under its name. */
async function writePieces(file: string, pieces: AsyncIterable<string>): Promise<void> {
  await writeFile(`${file}.new`, pieces);
  renameSync(`${file}.new`, file);
}

async function exported(io: AuditIo, options: Options): Promise<Answer> {
  const { log, hledger, beancount, csv } = options;
  if ([log, hledger, beancount, csv].every((file) => file === undefined))
    throw new CannotRun(
      'Say what to write: --log FILE, such as encore-log.jsonl.gz, --hledger FILE, --beancount FILE or --csv FILE.',
    );
  const answers: Answer[] = [];
  if (log !== undefined) answers.push(await exportedLog(io, options, log));
  const source = await io.openSource(options);
  if (hledger !== undefined) {
    await writePieces(hledger, hledgerJournal(source));
    answers.push({
      status: 0,
      lines: [`${hledger}: try "hledger -f ${hledger} check --strict".`],
      json: { hledger },
    });
  }
  if (beancount !== undefined) {
    await writePieces(beancount, beancountJournal(source));
    answers.push({ status: 0, lines: [`${beancount}: try "bean-check ${beancount}".`], json: { beancount } });
  }
  if (csv !== undefined) {
    await writePieces(csv, postingsCsv(source));
    answers.push({ status: 0, lines: [`${csv}: a line for each posting.`], json: { csv } });
  }
  const lines = answers.flatMap((answer) => answer.lines);
  return { status: 0, lines, json: Object.assign({}, ...answers.map(({ json }) => json)) };
}

async function exportedLog(io: AuditIo, options: Options, file: string): Promise<Answer> {
  try {
    const { end, hash, bytes } = await writeLogFile(await io.openSource(options), file);
    const kinds = Object.entries(end.kinds).map(([kind, count]) => `${kind} ${count}`);
    const journal = end.journal
      ? `revision ${end.journal.revision} of the journal, ${end.journal.hash}`
      : 'no journal entry';
    return {
      status: 0,
      lines: [
        `${file}: ${end.events} events of ${end.streams} streams, ${bytes} bytes.`,
        `events   ${kinds.join(', ')}`,
        `head     ${journal}`,
        `last line ${hash}`,
        'The hash of the last line vouches for the whole file: pass it on by another way than the file.',
      ],
      json: { file, bytes, ...end, hash },
    };
  } catch (error) {
    throw error instanceof CannotExport ? new CannotRun(error.message) : error;
  }
}

export const exportVerb: Verb = (audit, io) => {
  readingLog(audit.command('export'))
    .description(
      'write the log, as it is stored, to one file: personal texts stay sealed; or the books for hledger',
    )
    .option('--log <file>', 'the file to write, such as encore-log.jsonl.gz')
    .option('--hledger <file>', 'the books as hledger reads them, with the balances of each month asserted')
    .option('--beancount <file>', 'the same as Beancount reads them')
    .option('--csv <file>', 'the postings as comma-separated values, one line for each')
    .action(async (options: Options) => io.answer(await exported(io, options)));
};
