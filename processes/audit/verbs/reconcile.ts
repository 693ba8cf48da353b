/** `encore audit reconcile`: the books against the card provider's balance and the bank's statements. */
import { renameSync, writeFileSync } from 'node:fs';
import { UnreadableFile } from '#audit/reconcile/bounded-file';
import type { ReconciledEntry } from '#audit/reconcile/booked-movements';
import { metricsText, type ReconciledSide } from '#audit/reconcile/metrics';
import { bankChecks, momentLine, providerChecks, typeLines } from '#audit/reconcile/report';
import { hasPassed, reportLines, type Check } from '#audit/report';
import { entries } from '#audit/derivation/entries';
import { CannotRun } from '../../shell/command.js';
import { endArgument, timeArgument } from '../../shell/command-line.js';
import { comparedWithProvider, takingProviderFile, type ProviderOptions } from '../provider-comparison.js';
import { readingLog, type Answer, type AuditIo, type SourceOptions, type Verb } from '../verb.js';

interface Options extends SourceOptions, ProviderOptions {
  readonly bank?: readonly string[];
  readonly bankName: string;
  readonly metrics?: string;
}

async function reconciled(io: AuditIo, options: Options): Promise<Answer> {
  const source = await io.openSource(options);
  const journal = (): AsyncIterable<ReconciledEntry> => entries(source);
  const checks: Check[] = [];
  const lines: string[] = [];
  const sides: ReconciledSide[] = [];
  // A bank's file alone needs neither the provider's key nor its file.
  if (options.providerFile !== undefined || options.bank === undefined) {
    const result = await comparedWithProvider(source, options);
    checks.push(...providerChecks(result));
    lines.push('', momentLine(result), ...typeLines(result));
    sides.push({ side: 'provider', items: result.items });
  }
  if (options.bank !== undefined) {
    const { readBankFile } = await import('#audit/reconcile/bank-file');
    const { reconcileBank } = await import('#audit/reconcile/bank');
    const statements = options.bank.flatMap((file) => readBankFile(file));
    const result = await reconcileBank(journal(), { statements, providerName: options.bankName });
    checks.push(...bankChecks(result));
    sides.push({ side: 'bank', items: result.items });
  }
  if (options.metrics !== undefined) writeWhole(options.metrics, metricsText(sides, new Date()));
  const isInOrder = hasPassed(checks);
  return {
    status: isInOrder ? 0 : 1,
    lines: [...reportLines(checks), ...lines],
    json: { isInOrder, checks, sides },
  };
}

/** Whoever scrapes the file never finds half of it. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

export const reconcileVerb: Verb = (audit, io) => {
  takingProviderFile(readingLog(audit.command('reconcile')))
    .alias('provider')
    .description('hold the books against the balance at the card provider and the bank, movement by movement')
    .option('--since <time>', 'when the file begins (default: with the account)', timeArgument)
    .option(
      '--until <time>',
      'the moment compared for, or a day to its end (default: just after the file’s last movement)',
      endArgument,
    )
    .option('--opening-balance <amount>', 'the provider’s balance at --since, as 1912.50 or eur:12.00')
    .option('--ending-balance <amount>', 'the provider’s balance at the end, as its report says it')
    .option('--bank <file...>', 'statements of the platform’s bank account (CAMT.053)')
    .option('--bank-name <text>', 'what the bank calls the provider in its lines', 'stripe')
    .option('--metrics <file>', 'write figures for Prometheus’ node exporter into this file')
    .action(async (options: Options & { openingBalance?: string; endingBalance?: string }) => {
      const { openingBalance: opening, endingBalance: ending } = options;
      try {
        io.answer(await reconciled(io, { ...options, opening, ending }));
      } catch (error) {
        if (error instanceof UnreadableFile) throw new CannotRun(error.message);
        throw error;
      }
    });
};
