/** Reads of balances: one user's money, and the trial balance of all accounts. Amounts are minor units. */
import { available } from '#contracts/plain/accounts';
import { wholeNumber, type Queryable } from '../engine/read-model.js';

export interface UserBalance {
  /** What the user can spend; below zero when a refund left a debt. */
  readonly availableMinor: number;
  /** Receipts less refunds and what disputes took, over all time. */
  readonly receivedMinor: number;
}

/** A user's balance and total receipts. Zero for one who has no account yet. */
export async function balanceOf(db: Queryable, userId: string): Promise<UserBalance> {
  const { rows } = await db.query<{ available: string; received: string }>({
    name: 'balance-of-user',
    text: `select coalesce((select balance_minor from balances where account = $1), 0) as available,
                  coalesce((select received_minor from receipts where user_id = $2), 0) as received`,
    values: [available(userId), userId],
  });
  const row = rows[0]!;
  return { availableMinor: wholeNumber(row.available), receivedMinor: wholeNumber(row.received) };
}

export interface TrialBalanceLine {
  readonly account: string;
  readonly currency: string;
  /** Credit minus debit. */
  readonly balanceMinor: number;
}

/** Every account with its balance, in the accounts' order. Per currency the balances add up to zero. */
export async function trialBalance(db: Queryable): Promise<TrialBalanceLine[]> {
  const { rows } = await db.query<{ account: string; currency: string; balance_minor: string }>({
    text: 'select account, currency, balance_minor from balances order by account',
  });
  return rows.map((row) => ({
    account: row.account,
    currency: row.currency,
    balanceMinor: wholeNumber(row.balance_minor),
  }));
}

/**
 * The sum of all balances of each currency: what must be zero. As text, since a broken sum may be of any
 * size.
 */
export async function trialBalanceSums(
  db: Queryable,
): Promise<{ currency: string; sum: string; accounts: number }[]> {
  const { rows } = await db.query<{ currency: string; sum: string; accounts: number }>({
    name: 'trial-balance-sums',
    text: 'select currency, sum(balance_minor)::text as sum, count(*)::int as accounts from balances group by currency order by currency',
  });
  return rows;
}
