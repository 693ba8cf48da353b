/** Reads of balances: one user's money, and the trial balance of all accounts. Amounts are minor units. */
import { available } from '#contracts/plain/accounts';
import type { Queryable } from '../engine/read-model.js';
import { balances } from './columns.js';

export interface UserBalance {
  /** What the user can spend; below zero when a refund left a debt. */
  readonly availableMinor: number;
  /** Receipts less refunds and what disputes took, over all time. */
  readonly receivedMinor: number;
}

/** A user's balance and total receipts. Zero for one who has no account yet. */
export async function balanceOf(db: Queryable, userId: string): Promise<UserBalance> {
  const { rows } = await db.query<{ availableMinor: number; receivedMinor: number }>({
    name: 'balance-of-user',
    text: `select coalesce((select balance_minor from balances where account = $1), 0) as "availableMinor",
                  coalesce((select received_minor from receipts where user_id = $2), 0) as "receivedMinor"`,
    values: [available(userId), userId],
  });
  return rows[0]!;
}

export interface TrialBalanceLine {
  readonly account: string;
  readonly currency: string;
  /** Credit minus debit. */
  readonly balanceMinor: number;
}

/** Every account with its balance, in the accounts' order. Per currency the balances add up to zero. */
export async function trialBalance(db: Queryable): Promise<TrialBalanceLine[]> {
  const { rows } = await db.query<TrialBalanceLine & { account: string }>({
    text: `select ${balances.inner('account', 'currency', 'balanceMinor')} from balances order by account`,
  });
  return rows;
}
