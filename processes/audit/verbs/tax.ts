/** `encore audit report tax`: what each payee received in a year, as form 1099-K counts it. */
import type { Command } from 'commander';
import { taxCsv, taxLines, taxReport } from '#audit/books/tax';
import { momentOf, orCannotRun, withForm, withMoment, written, type BooksOptions } from '../books-options.js';
import type { Answer, AuditIo, Verb } from '../verb.js';
import { reportCommand } from './report-command.js';

interface Options extends BooksOptions {
  readonly year: string;
}

async function reported(io: AuditIo, options: Options): Promise<Answer> {
  const source = await io.openSource(options);
  const until = await momentOf(source, options);
  const report = await orCannotRun(() => taxReport(source, options.year, until));
  const text = options.format === 'csv' ? taxCsv(report) : taxLines(report).join('\n');
  return written(options, text, { status: 0, json: report });
}

export const taxVerb: Verb = (audit, io) => {
  withForm(withMoment(reportCommand(audit).command('tax')), 'csv')
    .description('gross receipts of each payee by month, as form 1099-K counts them; refunds apart')
    .requiredOption('--year <year>', 'the year, as 2026')
    .action(async (_: Options, command: Command) =>
      io.answer(await reported(io, command.optsWithGlobals<Options>())),
    );
};
