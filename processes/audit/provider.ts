/**
 * The card provider's side of `audit reconcile`: its balance, by lists, and what the ledger has counted of
 * it.
 */
import pg from 'pg';
import type { ProviderReconciliation, ProviderStatement } from '#audit/reconcile/provider';
import type { ProviderMovement } from '#audit/reconcile/provider-movement';
import { BalanceTables } from '#ledger/platform-money/balance-tables';
import type { BalanceTransaction } from '#ledger/stripe/balance-transaction';
import { ProviderBalance } from '#ledger/stripe/provider-balance';
import { readSettings } from '../shell/settings.js';

/** Nothing is judged by seals here: the log alone says what is ours. */
const NO_SEAL = { isOurs: () => false };
/** The balance may move while it is read; so often it is read again. */
const TRIES = 3;

/**
 * Reads the provider's side and compares, again where the balance moved meanwhile. Throws what the provider
 * does.
 */
export async function providerStatement(
  compare: (statement: ProviderStatement) => Promise<ProviderReconciliation>,
): Promise<ProviderReconciliation> {
  const settings = readSettings(['DATABASE_URL', 'STRIPE_SECRET_KEY', 'STRIPE_API_URL', 'STRIPE_ACCOUNT']);
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl } = settings;
  const balance = new ProviderBalance({ secretKey, apiUrl }, NO_SEAL);
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
  const tables = new BalanceTables(pool);
  try {
    for (let tries = 1; ; tries++) {
      const before = await balance.total();
      const movements: ProviderMovement[] = [];
      for await (const transaction of balance.all()) movements.push(movementFrom(transaction));
      const counted = await tables.kinds();
      const isExclusive = settings.STRIPE_ACCOUNT === 'exclusive';
      const endingMinor = await balance.total();
      const result = await compare({ movements, counted, isExclusive, endingMinor, at: new Date() });
      if (tries >= TRIES || isSame(before, endingMinor)) return result;
    }
  } finally {
    await pool.end();
  }
}

const isSame = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([currency, minor]) => other.get(currency) === minor);

function movementFrom({ amountMinor, source, ...transaction }: BalanceTransaction): ProviderMovement {
  return { ...transaction, grossMinor: amountMinor, source };
}
