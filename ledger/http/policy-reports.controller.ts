/**
 * What browsers report of pages whose policy did not let something in. Anybody can send one, so it is counted
 * under few names, and only some are told of in the log: never an address with what stands behind its origin.
 */
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiCall, BUSY } from '#edge/api-call';
import { unguarded } from '#edge/proof';
import { Refusal } from '#edge/refusal';
import { LOG } from '../parts.js';

/** Counts a report; filled in processes/ledger/parts.ts. */
export abstract class PolicyReportCount {
  abstract inc(labels: { readonly directive: string }): void;
}

const LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const MOST_IN_ONE = 20;
const DIRECTIVES: ReadonlySet<string> = new Set(
  ['script', 'style', 'img', 'connect', 'frame', 'font', 'media', 'manifest', 'worker', 'object', 'default']
    .flatMap((name) => [`${name}-src`, `${name}-src-elem`, `${name}-src-attr`])
    .concat('base-uri', 'form-action', 'frame-ancestors', 'require-trusted-types-for'),
);

const text = z.string().catch('');
/** As report-uri has it sent. */
const OldReport = z.object({
  'csp-report': z.object({ 'effective-directive': text, 'violated-directive': text, 'blocked-uri': text }),
});
/** As the Reporting API sends them, several at once and of several kinds. */
const Reports = z.array(
  z.object({
    type: z.string(),
    body: z.object({ effectiveDirective: text, blockedURL: text }).catch({
      effectiveDirective: '',
      blockedURL: '',
    }),
  }),
);

interface PolicyReport {
  /** One of CSP's own names, or `other`. */
  readonly directive: string;
  /** An origin, or a word such as `inline`. */
  readonly blocked: string;
}

const directiveOf = (named: string): string => {
  const [name = ''] = named.split(' ');
  return DIRECTIVES.has(name) ? name : 'other';
};

function blockedOf(named: string): string {
  if (/^[a-z-]{1,30}$/.test(named)) return named;
  return URL.canParse(named) ? new URL(named).origin.slice(0, 100) : 'other';
}

/** The reports in a body, a few at most. Throws {@link Refusal} (400) for what is none. */
export function reportsIn(body: string): PolicyReport[] {
  let sent: unknown;
  try {
    sent = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'This is no report.');
  }
  const old = OldReport.safeParse(sent);
  if (old.success) {
    const report = old.data['csp-report'];
    const named = report['effective-directive'] || report['violated-directive'];
    return [{ directive: directiveOf(named), blocked: blockedOf(report['blocked-uri']) }];
  }
  const several = Reports.safeParse(sent);
  if (!several.success) throw new Refusal(400, 'This is no report.');
  return several.data
    .filter(({ type }) => type === 'csp-violation')
    .slice(0, MOST_IN_ONE)
    .map(({ body: { effectiveDirective, blockedURL } }) => ({
      directive: directiveOf(effectiveDirective),
      blocked: blockedOf(blockedURL),
    }));
}

@Controller('api')
export class PolicyReportsController {
  private minute = { begunAt: 0, lines: 0 };

  constructor(
    private readonly count: PolicyReportCount,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @ApiCall({
    summary: 'What a browser did not let a page of ours do: sent by browsers.',
    proof: unguarded('It is counted, and changes nothing of anybody’s.'),
    otherwise: { 204: 'Counted', 400: 'No report', ...BUSY },
    open: true,
  })
  @Post('policy-reports')
  @HttpCode(204)
  received(@Req() { body }: FastifyRequest): void {
    for (const report of reportsIn(typeof body === 'string' ? body : '')) {
      this.count.inc({ directive: report.directive });
      if (this.mayTell()) this.log.warn(report, 'a page tried what its policy does not allow');
    }
  }

  private mayTell(): boolean {
    const now = performance.now();
    if (now - this.minute.begunAt >= MINUTE_MS) this.minute = { begunAt: now, lines: 0 };
    this.minute.lines += 1;
    return this.minute.lines <= LINES_PER_MINUTE;
  }
}
