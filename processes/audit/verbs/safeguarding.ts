/** `encore audit report safeguarding`: whether all that belongs to others is there. */
import type { Command } from 'commander';
import { safeguarding, safeguardingLines } from '#audit/books/safeguarding';
import { momentOf, withMoment, type BooksOptions } from '../books-options.js';
import type { Answer, AuditIo, Verb } from '../verb.js';
import { reportCommand } from './report-command.js';

async function reported(io: AuditIo, options: BooksOptions): Promise<Answer> {
  const source = await io.openSource(options);
  const report = await safeguarding(source, await momentOf(source, options));
  return { status: report.isSafeguarded ? 0 : 1, lines: safeguardingLines(report), json: report };
}

export const safeguardingVerb: Verb = (audit, io) => {
  withMoment(reportCommand(audit).command('safeguarding'))
    .description('what belongs to others, against the money that is there')
    .action(async (_: BooksOptions, command: Command) =>
      io.answer(await reported(io, command.optsWithGlobals<BooksOptions>())),
    );
};
