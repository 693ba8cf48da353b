/** `encore audit statement`: a month of one account, with ids only. */
import {
  statementCsv,
  statementJson,
  statementOf,
  statementPaper,
  type Statement,
} from '#audit/books/statement';
import { HOME_CURRENCY } from '#audit/derivation/accounts';
import { textFromMinor } from '#audit/reconcile/amounts';
import { CannotRun } from '../../shell/command.js';
import { orCannotRun, withForm, written, type BooksOptions } from '../books-options.js';
import { monthArgument, readingLog, type Answer, type AuditIo, type Verb } from '../verb.js';

interface Options extends BooksOptions {
  readonly account: string;
  readonly month: string;
}

function lines(statement: Statement): string {
  const row = (...cells: readonly [string, string, string, string]): string =>
    `${cells[0].padEnd(26)}${cells[1].padEnd(52)}${cells[2].padStart(14)}${cells[3].padStart(16)}`;
  const { account, month, timeZone, currency } = statement;
  return [
    `${account}, ${month} (${timeZone}), ${currency}`,
    '',
    row('', 'opening balance', '', textFromMinor(statement.openingMinor, currency)),
    ...statement.lines.map((line) =>
      row(
        line.recordedAt,
        `${line.type} ${line.subject ?? ''}`.trim(),
        textFromMinor(line.amountMinor, currency),
        textFromMinor(line.balanceMinor, currency),
      ),
    ),
    row('', 'closing balance', '', textFromMinor(statement.closingMinor, currency)),
  ].join('\n');
}

async function contentOf(statement: Statement, format: string | undefined): Promise<string | Buffer> {
  switch (format) {
    case 'csv':
      return statementCsv(statement);
    case 'json':
      return statementJson(statement);
    case 'pdf':
      if (statement.currency !== HOME_CURRENCY)
        throw new CannotRun(
          `A PDF is drawn in US dollars, and ${statement.account} holds ${statement.currency}: ask for --format csv or json.`,
        );
      return (await import('#projections/statements/pdf')).statementPdf(
        statementPaper(statement, new Date()),
      );
    default:
      return `${lines(statement)}\n`;
  }
}

async function answerOf(io: AuditIo, options: Options): Promise<Answer> {
  const source = await io.openSource(options);
  const statement = await orCannotRun(() => statementOf(source, options.account, options.month));
  return written(options, await contentOf(statement, options.format), { status: 0, json: statement });
}

export const statementVerb: Verb = (audit, io) => {
  withForm(readingLog(audit.command('statement')), 'csv', 'json', 'pdf')
    .description('a month of one account: opening balance, every entry, closing balance')
    .requiredOption('--account <account>', 'such as user/ID/available, wallet/ID or platform/fees')
    .requiredOption('--month <month>', 'the month, as 2026-11', monthArgument)
    .action(async (options: Options) => io.answer(await answerOf(io, options)));
};
