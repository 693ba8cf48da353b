/**
 * `encore audit close`: closes a month of the books, and `encore audit month`, which exports a closed one.
 */
import { exportedMonth, MonthNotClosed } from '#audit/books/month-export';
import { askLedger } from '../../operate/ask-ledger.js';
import { written, orCannotRun, type BooksOptions } from '../books-options.js';
import { monthArgument, readingLog, type Answer, type AuditIo, type Verb } from '../verb.js';

interface Options extends BooksOptions {
  readonly month: string;
}

async function closed({ month }: Options): Promise<Answer> {
  await askLedger({ type: 'CloseMonth', month });
  const next = `Export it: encore audit month --month ${month} --out FILE.`;
  return { status: 0, lines: [`${month} is closed. ${next}`], json: { month, isClosed: true } };
}

async function exported(io: AuditIo, options: Options): Promise<Answer> {
  const source = await io.openSource(options);
  try {
    const lines = await orCannotRun(async () => {
      const all: string[] = [];
      for await (const line of exportedMonth(source, options.month)) all.push(line);
      return all;
    });
    const json: unknown[] = lines.map((line) => JSON.parse(line) as unknown);
    return written(options, lines.join(''), { status: 0, json });
  } catch (error) {
    if (!(error instanceof MonthNotClosed)) throw error;
    return { status: 1, lines: [error.message], json: { month: options.month, isClosed: false } };
  }
}

export const closeVerb: Verb = (audit, io) => {
  audit
    .command('close')
    .description('close a month that is over: a ledger writes down what it came to')
    .requiredOption('--month <month>', 'the month, as 2026-11', monthArgument)
    .action(async (options: Options) => io.answer(await closed(options)));
};

export const monthVerb: Verb = (audit, io) => {
  readingLog(audit.command('month'))
    .description('a closed month as one file of ids: its entries and its balances, which never change')
    .requiredOption('--month <month>', 'the month, as 2026-11', monthArgument)
    .option('--out <file>', 'write it to this file')
    .action(async (options: Options) => io.answer(await exported(io, options)));
};
