/**
 * `encore audit certificate`: a day's schedules, balances and safeguarding in a few lines, signed where there
 * is a key.
 */
import { certificate, certificateText, type Reconciled } from '#audit/books/certificate';
import { providerChecks } from '#audit/reconcile/report';
import { hasPassed } from '#audit/report';
import { spanOfDay } from '#contracts/plain/months';
import type { LogSource } from '#log/event-log';
import { signedNote, signerFrom } from '#log/transparency/note';
import { readSettings } from '../../shell/settings.js';
import { orCannotRun, written, type BooksOptions } from '../books-options.js';
import { comparedWithProvider, takingProviderFile, type ProviderOptions } from '../provider-comparison.js';
import { dayArgument, readingLog, type Answer, type AuditIo, type Verb } from '../verb.js';

interface Options extends BooksOptions, ProviderOptions {
  readonly day: string;
  readonly reconcile?: true;
  readonly sign?: true;
}

/**
 * The text with the signature of the tree's key, under a name of its own: it can never be taken for a head of
 * the tree.
 */
function signed(text: string): string {
  const settings = readSettings(['TRANSPARENCY_KEY', 'TRANSPARENCY_NAME', 'PUBLIC_URL']);
  const tree = settings.TRANSPARENCY_NAME ?? `${new URL(settings.PUBLIC_URL).host}/transparency`;
  return signedNote(text, signerFrom(`${tree}/certificate`, settings.TRANSPARENCY_KEY));
}

/** Whether the provider's own record agrees with the books, where somebody asks for that. */
async function reconciledOf(source: LogSource, options: Options): Promise<Reconciled> {
  if (!options.reconcile && options.providerFile === undefined) return 'not compared';
  // A file may end before the day does: it is held against all that the books have of that day.
  const until = new Date(Math.min(spanOfDay(options.day, 'UTC').untilMs - 1, Date.now()));
  return hasPassed(providerChecks(await comparedWithProvider(source, { ...options, until }))) ? 'yes' : 'no';
}

async function certified(io: AuditIo, options: Options): Promise<Answer> {
  const source = await io.openSource(options);
  const reconciled = await reconciledOf(source, options);
  const found = await orCannotRun(() => certificate(source, options.day, new Date(), reconciled));
  const text = certificateText(found);
  const status = found.isInOrder ? 0 : 1;
  return written(options, options.sign ? signed(text) : text, { status, json: found });
}

export const certificateVerb: Verb = (audit, io) => {
  takingProviderFile(readingLog(audit.command('certificate')))
    .description(
      'whether a day’s schedules, balances and safeguarding were in order, and the provider agrees',
    )
    .requiredOption('--day <day>', 'the day in UTC, as 2026-11-21', dayArgument)
    .option('--reconcile', 'hold the books against the card provider, by its API')
    .option('--sign', 'sign it with the key of the tree (TRANSPARENCY_KEY)')
    .option('--out <file>', 'write it to this file')
    .action(async (options: Options) => io.answer(await certified(io, options)));
};
