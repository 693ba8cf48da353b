/** `encore audit trial-balance`: every account with what it held at a moment. */
import { trialBalance, trialBalanceCsv, trialBalanceLines } from '#audit/books/trial-balance';
import { momentOf, withForm, withMoment, written, type BooksOptions } from '../books-options.js';
import type { Answer, AuditIo, Verb } from '../verb.js';

async function answerOf(io: AuditIo, options: BooksOptions): Promise<Answer> {
  const source = await io.openSource(options);
  const table = await trialBalance(source, await momentOf(source, options));
  const text = options.format === 'csv' ? trialBalanceCsv(table) : `${trialBalanceLines(table).join('\n')}\n`;
  return written(options, text, { status: table.isBalanced ? 0 : 1, json: table });
}

export const trialBalanceVerb: Verb = (audit, io) => {
  withForm(withMoment(audit.command('trial-balance')), 'csv')
    .description('what every account held at a moment, debits against credits')
    .action(async (options: BooksOptions) => io.answer(await answerOf(io, options)));
};
