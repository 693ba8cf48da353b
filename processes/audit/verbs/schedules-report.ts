/** `encore audit schedules-report`: what was due on a day, and what became of it, from the log alone. */
import { dayLines, isInOrder, SchedulesReport } from '#audit/schedules-report';
import { timeArgument } from '../../shell/command-line.js';
import {
  dayArgument,
  readingLog,
  type Answer,
  type AuditIo,
  type SourceOptions,
  type Verb,
} from '../verb.js';

interface Options extends SourceOptions {
  readonly day?: string;
  readonly now?: Date;
}

async function reported(io: AuditIo, options: Options): Promise<Answer> {
  const { now = new Date(), day = now.toISOString().slice(0, 10) } = options;
  const report = await SchedulesReport.of(await io.openSource(options));
  const days = (day === 'all' ? report.days(now) : [day]).map((one) => report.on(one, now));
  const text = days.map((one) => dayLines(one).join('\n')).join('\n\n');
  const status = days.every(isInOrder) ? 0 : 1;
  return { status, lines: [text || 'Nothing was ever due.'], json: { isInOrder: status === 0, days } };
}

export const schedulesReportVerb: Verb = (audit, io) => {
  readingLog(audit.command('schedules-report'))
    .description('what was due on a day, and what became of it')
    .option('--day <day>', 'the day, as 2026-11-21, or all (default: today)', (written) =>
      written === 'all' ? written : dayArgument(written),
    )
    .option('--now <time>', 'the time at which it is judged (default: now)', timeArgument)
    .action(async (options: Options) => io.answer(await reported(io, options)));
};
