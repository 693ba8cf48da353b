/**
 * What a verb needs to hold the books against the card provider: by a file that it exported, or by its API.
 */
import { InvalidArgumentError, type Command } from 'commander';
import { entries } from '#audit/derivation/entries';
import { minorFromText } from '#audit/reconcile/amounts';
import { UnreadableFile } from '#audit/reconcile/bounded-file';
import {
  reconcileProvider,
  SKEW_MS,
  type ProviderReconciliation,
  type ProviderStatement,
} from '#audit/reconcile/provider';
import type { LogSource } from '#log/event-log';
import { CannotRun } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

export interface ProviderOptions {
  /** A file of the provider's; its API where absent. */
  readonly providerFile?: string;
  readonly account?: 'exclusive' | 'shared';
  readonly since?: Date;
  readonly until?: Date;
  readonly opening?: string;
  readonly ending?: string;
}

/** Adds `--provider-file` and `--account`. */
export const takingProviderFile = (command: Command): Command =>
  command
    .option(
      '--provider-file <file>',
      'the balance transactions that the provider exported (CSV or JSON), instead of its API',
    )
    .option(
      '--account <use>',
      'exclusive or shared: whether others use the account at the provider (default: STRIPE_ACCOUNT)',
      (written) => {
        if (written !== 'exclusive' && written !== 'shared')
          throw new InvalidArgumentError('--account is exclusive or shared.');
        return written;
      },
    );

/** Compares movement by movement. Throws CannotRun, and what the provider does. */
export async function comparedWithProvider(
  source: LogSource,
  options: ProviderOptions,
): Promise<ProviderReconciliation> {
  if (options.providerFile !== undefined)
    return reconcileProvider(entries(source), await fileStatement(options.providerFile, options));
  const { providerStatement } = await import('./provider.js');
  return providerStatement((statement) => reconcileProvider(entries(source), statement));
}

/** What cannot be read is told as a sentence. */
function movementsIn<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableFile ? new CannotRun(error.message) : error;
  }
}

async function fileStatement(file: string, options: ProviderOptions): Promise<ProviderStatement> {
  const { readProviderFile } = await import('#audit/reconcile/provider-file');
  const movements = movementsIn(() => readProviderFile(file));
  const last = movements.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), '');
  return {
    movements,
    isExclusive: (options.account ?? readSettings(['STRIPE_ACCOUNT']).STRIPE_ACCOUNT) === 'exclusive',
    since: options.since,
    // The entry of the last movement comes a moment after it. A file without one says of all that the books
    // have that it never was.
    at: options.until ?? (last === '' ? new Date() : new Date(Date.parse(last) + SKEW_MS)),
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
