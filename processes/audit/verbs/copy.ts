/**
 * `encore audit copy`: the log copied to an empty store, or an interrupted copy taken further, and verified.
 */
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { CannotCopy, copiedLines, CopyInterrupted, copyLog } from '#audit/copy-log';
import { SETTINGS } from '#contracts/configuration';
import { EsdbLog } from '#log/esdb';
import { CannotRun } from '../../shell/command.js';
import { readSettings } from '../../shell/settings.js';
import type { Answer, Verb } from '../verb.js';

interface Options {
  readonly from?: string;
  readonly fromFile?: string;
  readonly to?: string;
  readonly toFile?: string;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new CannotRun(`${file} cannot be read.`);
  }
}

function urlOf(option: '--from' | '--to', given: string | undefined, file: string | undefined) {
  const written = file === undefined ? given : contentOf(file);
  if (written !== undefined && !SETTINGS.EVENTSTORE_URL.schema.safeParse(written).success)
    throw new CannotRun(
      `${file === undefined ? option : `What ${file} holds`} must be a URL that begins with esdb://.`,
    );
  return written;
}

async function copied(options: Options): Promise<Answer> {
  const to = urlOf('--to', options.to, options.toFile);
  if (to === undefined) throw new CannotRun('Say where to copy to: --to URL, or --to-file FILE.');
  const from =
    urlOf('--from', options.from, options.fromFile) ?? readSettings(['EVENTSTORE_URL']).EVENTSTORE_URL;
  const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  try {
    const copy = await copyLog(EsdbLog.connect(from, '--from'), EsdbLog.connect(to, '--to'), tell);
    return { status: 0, lines: copiedLines(copy), json: { isComplete: true, ...copy } };
  } catch (error) {
    if (error instanceof CopyInterrupted) {
      const trouble = await EsdbLog.troubleBehind(error.cause);
      throw new CannotRun(trouble === undefined ? error.message : error.because(trouble));
    }
    if (!(error instanceof CannotCopy)) throw error;
    return { status: 1, lines: [error.message], json: { isComplete: false, why: error.message } };
  }
}

export const copyVerb: Verb = (audit, io) => {
  audit
    .command('copy')
    .description('copy the log to an empty store, or go on with a copy that was interrupted, and verify it')
    .addOption(
      new Option('--from <url>', 'the store to read (default: EVENTSTORE_URL)').conflicts('fromFile'),
    )
    .option('--from-file <file>', 'a file with that URL, where it has a password')
    .addOption(new Option('--to <url>', 'the empty store').conflicts('toFile'))
    .option('--to-file <file>', 'a file with that URL')
    .action(async (options: Options) => io.answer(await copied(options)));
};
