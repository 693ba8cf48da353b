/** Reads of bank accounts and of users' standing with the payout provider. */
import type { Queryable } from '../engine/read-model.js';

/** A bank account as its owner sees it; its texts are null once they are forgotten. */
export interface BankAccountView {
  readonly id: string;
  readonly accountType: 'checking' | 'savings';
  readonly accountHolderName: string | null;
  readonly bankName: string | null;
  readonly accountLast4: string | null;
  readonly routingLast4: string | null;
  readonly isPrimary: boolean;
  readonly error: string | null;
}

/** How a user stands with the payout provider. */
export interface PayoutStanding {
  readonly connectAccountId: string | null;
  readonly payoutsEnabled: boolean;
  readonly disabledCode: string | null;
  readonly isVerified: boolean;
}

const NEVER_SEEN: PayoutStanding = {
  connectAccountId: null,
  payoutsEnabled: false,
  disabledCode: null,
  isVerified: false,
};

/**
 * A user's bank accounts that the provider has: the primary one first, then in the order in which they came.
 */
export async function bankAccountsOf(db: Queryable, userId: string): Promise<BankAccountView[]> {
  const { rows } = await db.query<BankAccountView>({
    name: 'bank-accounts-of-user',
    text: `select id, account_type as "accountType", account_holder_name as "accountHolderName", bank_name as "bankName",
                  account_last4 as "accountLast4", routing_last4 as "routingLast4", is_primary as "isPrimary", error
             from bank_accounts where user_id = $1 and status = 'added' order by is_primary desc, place`,
    values: [userId],
  });
  return rows;
}

/** A user's standing; that of one who never added a bank account is all "no". */
export async function payoutStandingOf(db: Queryable, userId: string): Promise<PayoutStanding> {
  const { rows } = await db.query<PayoutStanding>({
    name: 'payout-standing-of-user',
    text: `select connect_account_id as "connectAccountId", payouts_enabled as "payoutsEnabled",
                  disabled_code as "disabledCode", is_verified as "isVerified" from payout_accounts where user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? NEVER_SEEN;
}

/** Users with an account at the provider, a page at a time, in the order of their ids. */
export async function payoutAccounts(
  db: Queryable,
  limit: number,
  afterUserId = '',
): Promise<{ userId: string; connectAccountId: string; payoutsEnabled: boolean }[]> {
  const { rows } = await db.query<{ userId: string; connectAccountId: string; payoutsEnabled: boolean }>({
    name: 'payout-accounts',
    text: `select user_id as "userId", connect_account_id as "connectAccountId", payouts_enabled as "payoutsEnabled" from payout_accounts
            where connect_account_id is not null and user_id > $2 order by user_id limit $1`,
    values: [limit, afterUserId],
  });
  return rows;
}

/** Users with a bank account that was submitted before a time and has not got to the provider. */
export async function stuckBankAccounts(db: Queryable, before: Date, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'stuck-bank-accounts',
    text: `select distinct user_id from bank_accounts where status = 'submitted' and submitted_at < $1 order by user_id limit $2`,
    values: [before, limit],
  });
  return rows.map((row) => row.user_id);
}
