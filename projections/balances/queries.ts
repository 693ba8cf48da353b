/** Reads of balances: one user's money, and the trial balance of all accounts. Amounts are minor units. */
import { available, type PlatformPurpose } from '#contracts/plain/accounts';
import type { Queryable } from '../engine/read-model.js';
import { balances } from './columns.js';

interface UserBalance {
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

/** Whose the money in the books is, by currency, in minor units. */
export interface MoneySummary {
  readonly currency: string;
  /**
   * What people are owed: the sum of their positive balances, and what nobody has claimed yet. Nobody's debt
   * makes it less.
   */
  readonly owedMinor: number;
  /** What people owe: the sum of their balances below zero, as a positive number. */
  readonly debtsMinor: number;
  /**
   * The platform's own: what it brought along, less fees and losses. Below zero, people's money has paid for
   * it.
   */
  readonly ownMinor: number;
}

/** Where money lies, and money that is to go to somebody; all other accounts of the platform are its own. */
const NOT_OWN = [
  'card-clearing',
  'connect-clearing',
  'bank-clearing',
  'unapplied',
  'unclaimed',
] as const satisfies readonly PlatformPurpose[];

/** What people are owed and owe, and what is the platform's own. Debts never net. */
export async function moneySummary(db: Queryable): Promise<MoneySummary[]> {
  const { rows } = await db.query<MoneySummary & { currency: string }>({
    text: `select currency,
                  coalesce(sum(balance_minor) filter (where (is_personal or is_unclaimed) and balance_minor > 0), 0)::float8 as "owedMinor",
                  coalesce(-sum(balance_minor) filter (where is_personal and balance_minor < 0), 0)::float8 as "debtsMinor",
                  coalesce(sum(balance_minor) filter (where is_own), 0)::float8 as "ownMinor"
             from (select currency, balance_minor, account not like 'platform/%' as is_personal,
                          account like 'platform/unclaimed%' as is_unclaimed,
                          account like 'platform/%' and split_part(account, '/', 2) <> all($1::text[]) as is_own
                     from balances) as lines
            group by currency order by currency`,
    values: [NOT_OWN],
  });
  return rows;
}

/** Whether all that belongs to others is there, by currency, in minor units. */
interface SafeguardingSummary {
  readonly currency: string;
  /** Owed to people, unclaimed, or to go back: nobody's debt makes it less. */
  readonly requiredMinor: number;
  /** At the provider, in users' accounts there, and on its way from there to banks. */
  readonly heldMinor: number;
  /** What is missing; zero where nothing is. */
  readonly shortfallMinor: number;
}

/** What belongs to others, against the money that is there. */
export async function safeguardingSummary(db: Queryable): Promise<SafeguardingSummary[]> {
  const { rows } = await db.query<SafeguardingSummary & { currency: string }>({
    name: 'safeguarding',
    text: `select currency, required as "requiredMinor", held as "heldMinor",
                  greatest(0, required - held)::float8 as "shortfallMinor"
             from (select currency,
                          (coalesce(sum(balance_minor) filter (where account not like 'platform/%' and balance_minor > 0), 0)
                           + coalesce(sum(balance_minor) filter (where split_part(account, '/', 2) in ('unapplied', 'unclaimed')
                                                                    and account like 'platform/%'), 0))::float8 as required,
                          coalesce(-sum(balance_minor) filter (where account like 'platform/%'
                            and split_part(account, '/', 2) in ('card-clearing', 'connect-clearing', 'bank-clearing')), 0)::float8 as held
                     from balances group by currency) as sums
            order by currency`,
  });
  return rows;
}
