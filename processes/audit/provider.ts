/** The card provider's side of `audit provider`: its balance, by lists, and what the ledger has counted of it. */
import pg from 'pg';
import type { ProviderSide } from '#audit/provider-balance';
import { BalanceTables } from '#ledger/platform-money/balance-tables';
import { ProviderBalance } from '#ledger/stripe/provider-balance';
import { readSettings } from '../shell/settings.js';

/** Nothing is judged by seals here: the log alone says what is ours. */
const NO_SEAL = { isOurs: () => false };

export function providerSide(): ProviderSide {
  const settings = readSettings(['DATABASE_URL', 'STRIPE_SECRET_KEY', 'STRIPE_API_URL']);
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl } = settings;
  const balance = new ProviderBalance({ secretKey, apiUrl }, NO_SEAL);
  const tables = new BalanceTables(new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 }));
  return {
    total: () => balance.total(),
    movements: () => balance.all(),
    counted: () => tables.kinds(),
  };
}
