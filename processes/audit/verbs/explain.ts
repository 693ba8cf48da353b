/** `encore audit explain`: every posting that made an account's balance, with what caused it. */
import { explain, explanationLines } from '#audit/books/account';
import { momentOf, orCannotRun, withMoment, type BooksOptions } from '../books-options.js';
import type { Answer, AuditIo, Verb } from '../verb.js';

async function explained(io: AuditIo, account: string, options: BooksOptions): Promise<Answer> {
  const source = await io.openSource(options);
  const until = await momentOf(source, options);
  const explanation = await orCannotRun(() => explain(source, account, until));
  return { status: 0, lines: explanationLines(explanation), json: explanation };
}

export const explainVerb: Verb = (audit, io) => {
  withMoment(audit.command('explain'))
    .argument('<account>', 'such as user/ID/available, wallet/ID or platform/fees')
    .description('every entry of an account: its cause, who asked, the provider’s object, its proof')
    .action(async (account: string, options: BooksOptions) =>
      io.answer(await explained(io, account, options)),
    );
};
