/**
 * What a ledger needs to hold its books against the balance at the card provider, and what it tells of that.
 */
import type { Provider } from '@nestjs/common';
import type pg from 'pg';
import { BalanceTables, type CurrencyComparison } from '#ledger/platform-money/balance-tables';
import { ProviderAccountUse } from '#ledger/platform-money/platform-money.handlers';
import type { Figures } from '../shell/figures.js';
import type { LedgerSettings } from './settings.js';

export function platformMoneyParts(
  { STRIPE_ACCOUNT }: Pick<LedgerSettings, 'STRIPE_ACCOUNT'>,
  pool: pg.Pool,
  figures: Figures,
): Provider[] {
  const tables = new BalanceTables(pool);
  showBalance(figures, tables);
  return [
    { provide: BalanceTables, useValue: tables },
    {
      provide: ProviderAccountUse,
      useValue: { isExclusive: STRIPE_ACCOUNT === 'exclusive' } satisfies ProviderAccountUse,
    },
  ];
}

function showBalance(figures: Figures, tables: BalanceTables): void {
  const compared = async (minorOf: (comparison: CurrencyComparison) => number) =>
    (await tables.state()).comparison.map(
      (comparison) => [{ currency: comparison.currency }, minorOf(comparison)] as const,
    );
  figures.gauges(
    'encore_provider_balance_difference_minor',
    'What of the balance at the card provider nothing explained when it was last compared with the books, in minor units',
    ['currency'],
    () => compared(({ differenceMinor }) => differenceMinor),
  );
  figures.gauges(
    'encore_provider_balance_minor',
    'The platform’s balance at the card provider when it was last compared, in minor units',
    ['currency'],
    () => compared(({ balanceMinor }) => balanceMinor),
  );
  figures.gauge(
    'encore_provider_balance_compared_seconds',
    'How long ago the balance at the card provider was last compared with the books',
    async () => {
      const { comparedAt } = await tables.state();
      if (comparedAt === undefined) throw new Error('It was never compared');
      return (Date.now() - comparedAt.getTime()) / 1000;
    },
  );
  figures.gauges(
    'encore_provider_foreign_minor',
    'The net of movements of the balance at the card provider that are somebody else’s, in minor units',
    ['currency'],
    async () =>
      (await tables.sums())
        .filter(({ kind }) => kind === 'foreign')
        .map(({ currency, netMinor }) => [{ currency }, netMinor] as const),
  );
  figures.gauge(
    'encore_provider_unbooked_seconds',
    'Since when the oldest movement of the balance at the card provider that is ours waits for its entry; 0 when none does',
    async () => {
      const oldest = (await tables.sums())
        .filter(({ kind }) => kind === 'unbooked')
        .map((sum) => sum.oldest.getTime());
      return oldest.length === 0 ? 0 : (Date.now() - Math.min(...oldest)) / 1000;
    },
  );
}
