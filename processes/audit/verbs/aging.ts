/** `encore audit aging`: what stands open, and since when. */
import { Argument } from 'commander';
import { aging, agingCsv, AGING_KINDS, agingLines, type AgingKind } from '#audit/books/aging';
import { momentOf, withForm, withMoment, written, type BooksOptions } from '../books-options.js';
import type { Answer, AuditIo, Verb } from '../verb.js';

async function aged(io: AuditIo, kind: AgingKind, options: BooksOptions): Promise<Answer> {
  const source = await io.openSource(options);
  const found = await aging(source, kind, await momentOf(source, options), new Date());
  const text = options.format === 'csv' ? agingCsv(found) : agingLines(found).join('\n');
  return written(options, text, { status: 0, json: found });
}

export const agingVerb: Verb = (audit, io) => {
  withForm(withMoment(audit.command('aging')), 'csv')
    .addArgument(new Argument('<kind>', AGING_KINDS.join(', ')).choices(AGING_KINDS))
    .description('open payouts, unapplied money, disputes, debts or unclaimed money, by age')
    .action(async (kind: AgingKind, options: BooksOptions) => io.answer(await aged(io, kind, options)));
};
