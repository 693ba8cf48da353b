/** The trial balance added up: what must be zero in every currency. */
import { trialBalance } from '#projections/balances/queries';
import type { Queryable } from '#projections/engine/read-model';

/** The sum of all balances of each currency, and over how many accounts. */
export async function trialBalanceSums(
  db: Queryable,
): Promise<{ currency: string; sumMinor: number; accounts: number }[]> {
  const sums = new Map<string, { sumMinor: number; accounts: number }>();
  for (const { currency, balanceMinor } of await trialBalance(db)) {
    const { sumMinor, accounts } = sums.get(currency) ?? { sumMinor: 0, accounts: 0 };
    sums.set(currency, { sumMinor: sumMinor + balanceMinor, accounts: accounts + 1 });
  }
  return [...sums].sort().map(([currency, sum]) => ({ currency, ...sum }));
}
