/** What an audit found, as a plain table: one line per check, and beneath it what did not hold. */

import { adviceFor } from './advice.js';

/** One check: what was looked at, how much of it, and each thing that did not hold. */
export interface Check {
  readonly name: string;
  /** How much was looked at, for people. */
  readonly figure: string;
  /** Everything that did not hold, named; empty when the check passed. */
  readonly findings: readonly string[];
}

/** Findings shown per check; the rest is counted. */
const SHOWN_FINDINGS = 10;

export const hasPassed = (checks: readonly Check[]): boolean =>
  checks.every(({ findings }) => findings.length === 0);

/** The table, its findings and the last word. */
export function reportLines(checks: readonly Check[]): string[] {
  const width = Math.max('check'.length, ...checks.map(({ name }) => name.length));
  const line = (name: string, result: string, figure: string): string =>
    `${name.padEnd(width)}  ${result.padEnd(6)}  ${figure}`.trimEnd();
  const failed = checks.filter(({ findings }) => findings.length > 0);
  return [
    line('check', 'result', 'figure'),
    line('-'.repeat(width), '------', '------'),
    ...checks.map(({ name, figure, findings }) =>
      line(name, findings.length === 0 ? 'ok' : 'FAILED', figure),
    ),
    ...failed.flatMap(({ name, findings }) => [
      '',
      `${name}:`,
      ...findings.slice(0, SHOWN_FINDINGS).map((finding) => `  ${finding}`),
      ...(findings.length > SHOWN_FINDINGS ? [`  and ${findings.length - SHOWN_FINDINGS} more`] : []),
    ]),
    ...adviceFor(checks).flatMap((advice) => ['', advice]),
    '',
    failed.length === 0
      ? 'The books are in order.'
      : `The books are NOT in order: ${failed.length} of ${checks.length} checks failed.`,
  ];
}
