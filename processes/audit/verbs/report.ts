/** `encore audit report`: what verify finds, the balances and the entries, as one page for people. */
import { writeFileSync } from 'node:fs';
import { gather } from '#audit/report-page/gather';
import { reportPage } from '#audit/report-page/page';
import { hasPassed } from '#audit/report';
import { CannotRun } from '../../shell/command.js';
import { anchorIfAny, takingAnchor } from '../anchors.js';
import { archivo } from '../font.js';
import { readingLog, type Answer, type AuditIo, type Verb } from '../verb.js';
import { checksOf, type VerifyOptions } from './verify.js';

function written(file: string, page: string): void {
  try {
    writeFileSync(file, page);
  } catch (error) {
    throw new CannotRun(
      `The report could not be written to ${file}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function reported(io: AuditIo, file: string, options: VerifyOptions): Promise<Answer> {
  if (!/\.html?$/.test(file)) throw new CannotRun(`${file} should end in .html: the report is a page.`);
  const startedMs = Date.now();
  const checks = await checksOf(io, options);
  const report = await gather({
    source: await io.openSource(options),
    checks,
    startedMs,
    nowMs: () => Date.now(),
    anchor: await anchorIfAny(options),
  });
  written(file, reportPage(report, archivo()));
  const isInOrder = hasPassed(checks);
  return {
    status: isInOrder ? 0 : 1,
    lines: [
      `${isInOrder ? 'The books are in order.' : 'The books are NOT in order.'} The report is in ${file}.`,
    ],
    json: { isInOrder, file, events: report.events, entries: report.entryCount },
  };
}

export const reportVerb: Verb = (audit, io) => {
  takingAnchor(readingLog(audit.command('report')))
    .description(
      'write one page for people: verdict, checks, balances, money over time, entries with their proof',
    )
    .argument('<file>', 'where to write it, such as report.html')
    .option('--events-only', 'leave Postgres alone')
    .action(async (file: string, options: VerifyOptions) => io.answer(await reported(io, file, options)));
};
