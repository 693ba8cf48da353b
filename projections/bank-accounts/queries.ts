/** Reads of bank accounts and of users' standing with the payout provider. */
import { BANK_ACCOUNTS_PREFIX } from '#contracts/events/bank-account';
import { isParked } from '../engine/parking.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { bankAccounts, payoutAccounts } from './columns.js';

/** A bank account as its owner sees it; its texts are null once they are forgotten. */
type BankAccountView = ViewOf<typeof bankAccounts, 'owner'> & {
  /** Their stream cannot be read: nothing is paid out to them. */
  readonly isParked: boolean;
};

/** How a user stands with the payout provider. */
export type PayoutStanding = ViewOf<typeof payoutAccounts, 'owner'>;

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
    text: `select ${bankAccounts.seenBy('owner', 'b')}, ${isParked(BANK_ACCOUNTS_PREFIX, 'b.user_id')} as "isParked"
             from bank_accounts b where user_id = $1 and status = 'added' order by is_primary desc, place`,
    values: [userId],
  });
  return rows;
}

/** A user's standing; that of one who never added a bank account is all "no". */
export async function payoutStandingOf(db: Queryable, userId: string): Promise<PayoutStanding> {
  const { rows } = await db.query<PayoutStanding>({
    name: 'payout-standing-of-user',
    text: `select ${payoutAccounts.seenBy('owner', 'a')} from payout_accounts a where user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? NEVER_SEEN;
}

/** A user's account at the payout provider. */
export interface ProviderAccount {
  readonly userId: string;
  readonly connectAccountId: string;
  readonly payoutsEnabled: boolean;
}

/** Users with an account at the provider, a page at a time, in the order of their ids. */
export async function providerAccounts(
  db: Queryable,
  limit: number,
  afterUserId = '',
): Promise<ProviderAccount[]> {
  const { rows } = await db.query<ProviderAccount>({
    name: 'payout-accounts',
    text: `select ${payoutAccounts.inner('userId', 'connectAccountId', 'payoutsEnabled')} from payout_accounts
            where connect_account_id is not null and user_id > $2 order by user_id limit $1`,
    values: [limit, afterUserId],
  });
  return rows;
}

/**
 * Users with a bank account that was submitted before a time and has not got to the provider, a page at a
 * time by id.
 */
export async function stuckBankAccounts(
  db: Queryable,
  before: Date,
  limit: number,
  afterId = '',
): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'stuck-bank-accounts',
    text: `select distinct user_id from bank_accounts b where status = 'submitted' and submitted_at < $1
             and user_id > $3 and not ${isParked(BANK_ACCOUNTS_PREFIX, 'b.user_id')} order by user_id limit $2`,
    values: [before, limit, afterId],
  });
  return rows.map((row) => row.user_id);
}

/** Whose an account at the payout provider is; undefined where no user has it, or has it any more. */
export async function ownerOfProviderAccount(
  db: Queryable,
  connectAccountId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'owner-of-payout-account',
    text: `select user_id from payout_accounts where connect_account_id = $1`,
    values: [connectAccountId],
  });
  return rows[0]?.user_id;
}
