/** `encore audit reconcile`: the books against the card provider's balance and the bank's statements. */
import { renameSync, writeFileSync } from 'node:fs';
import { UnreadableFile } from '#audit/reconcile/bounded-file';
import { minorFromText } from '#audit/reconcile/amounts';
import type { ReconciledEntry } from '#audit/reconcile/booked-movements';
import { metricsText, type ReconciledSide } from '#audit/reconcile/metrics';
import { reconcileProvider, SKEW_MS, type ProviderStatement } from '#audit/reconcile/provider';
import { bankChecks, providerChecks, typeLines } from '#audit/reconcile/report';
import { hasPassed, reportLines, type Check } from '#audit/report';
import { entries } from '#audit/derivation/entries';
import type { LogSource } from '#log/event-log';
import { CannotRun } from '../../shell/command.js';
import { readSettings } from '../../shell/settings.js';
import {
  readingLog,
  timeArgument,
  type Answer,
  type AuditIo,
  type SourceOptions,
  type Verb,
} from '../verb.js';

interface Options extends SourceOptions {
  readonly providerFile?: string;
  readonly bank?: readonly string[];
  readonly bankName: string;
  readonly account?: 'exclusive' | 'shared';
  readonly since?: Date;
  readonly until?: Date;
  readonly opening?: string;
  readonly ending?: string;
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
    const result = options.providerFile
      ? await reconcileProvider(journal(), await fileStatement(options.providerFile, options))
      : await atProvider(source, journal);
    checks.push(...providerChecks(result));
    lines.push('', ...typeLines(result));
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

async function atProvider(source: LogSource, journal: () => AsyncIterable<ReconciledEntry>) {
  const { providerStatement } = await import('../provider.js');
  return providerStatement((statement) => reconcileProvider(journal(), statement));
}

async function fileStatement(file: string, options: Options): Promise<ProviderStatement> {
  const { readProviderFile } = await import('#audit/reconcile/provider-file');
  const movements = readProviderFile(file);
  const last = movements.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), '');
  return {
    movements,
    isExclusive: (options.account ?? readSettings(['STRIPE_ACCOUNT']).STRIPE_ACCOUNT) === 'exclusive',
    since: options.since,
    // The entry of the last movement comes a moment after it.
    at: options.until ?? new Date(last === '' ? 0 : Date.parse(last) + SKEW_MS),
    openingMinor: balanceFrom('--opening-balance', options.opening),
    endingMinor: balanceFrom('--ending-balance', options.ending),
  };
}

/** `1912.50` is of dollars; `eur:12.00` names its currency. */
function balanceFrom(option: string, written: string | undefined): ReadonlyMap<string, number> | undefined {
  if (written === undefined) return undefined;
  const [, currency = 'usd', amount = ''] = /^(?:([a-z]{3}):)?(.*)$/.exec(written) ?? [];
  const minor = minorFromText(amount, currency);
  if (minor === undefined)
    throw new CannotRun(`${option}: "${written}" is no amount, such as 1912.50 or eur:12.00.`);
  return new Map([[currency, minor]]);
}

/** Whoever scrapes the file never finds half of it. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

export const reconcileVerb: Verb = (audit, io) => {
  readingLog(audit.command('reconcile'))
    .alias('provider')
    .description('hold the books against the balance at the card provider and the bank, movement by movement')
    .option(
      '--provider-file <file>',
      'the balance transactions that the provider exported (CSV or JSON), instead of its API',
    )
    .option(
      '--account <use>',
      'exclusive or shared: whether others use the account at the provider (default: STRIPE_ACCOUNT)',
    )
    .option('--since <time>', 'when the file begins (default: with the account)', timeArgument)
    .option(
      '--until <time>',
      'the moment compared for (default: just after the file’s last movement)',
      timeArgument,
    )
    .option('--opening-balance <amount>', 'the provider’s balance at --since, as 1912.50 or eur:12.00')
    .option('--ending-balance <amount>', 'the provider’s balance at the end, as its report says it')
    .option('--bank <file...>', 'statements of the platform’s bank account (CAMT.053)')
    .option('--bank-name <text>', 'what the bank calls the provider in its lines', 'stripe')
    .option('--metrics <file>', 'write figures for Prometheus’ node exporter into this file')
    .action(async (options: Options & { openingBalance?: string; endingBalance?: string }) => {
      const { account, openingBalance: opening, endingBalance: ending } = options;
      if (account !== undefined && account !== 'exclusive' && account !== 'shared')
        throw new CannotRun('--account is exclusive or shared.');
      try {
        io.answer(await reconciled(io, { ...options, opening, ending } as Options));
      } catch (error) {
        if (error instanceof UnreadableFile) throw new CannotRun(error.message);
        throw error;
      }
    });
};
