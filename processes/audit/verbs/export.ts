/** `encore audit export --log FILE`: the log as it is stored, as one file that needs no server and no secret. */
import { CannotExport, writeLogFile } from '#audit/exported-log/log-file';
import { CannotRun } from '../../shell/command.js';
import { readingLog, type Answer, type AuditIo, type SourceOptions, type Verb } from '../verb.js';

interface Options extends SourceOptions {
  readonly log?: string;
}

async function exported(io: AuditIo, options: Options): Promise<Answer> {
  const { log: file } = options;
  if (file === undefined) throw new CannotRun('Say what to write: --log FILE, such as encore-log.jsonl.gz.');
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
    .description('write the log, as it is stored, to one file: personal texts stay sealed')
    .option('--log <file>', 'the file to write, such as encore-log.jsonl.gz')
    .action(async (options: Options) => io.answer(await exported(io, options)));
};
