/** Reads of treasury wallets and their movements. Amounts are minor units. */
import type { ListAsked, Page } from '#contracts/api/lists';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import { wholeNumber, type Queryable } from '../engine/read-model.js';

export interface WalletView {
  readonly id: string;
  /** Null once its owner was forgotten. */
  readonly displayName: string | null;
  readonly description: string | null;
  readonly balanceMinor: number;
  readonly currency: string;
  readonly openedAt: Date;
}

export interface WalletTransactionView {
  readonly id: string;
  readonly walletId: string;
  readonly walletName: string | null;
  /** `credit`: into the wallet. */
  readonly type: 'credit' | 'debit';
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string | null;
  readonly createdAt: Date;
}

interface WalletRow {
  id: string;
  display_name: string | null;
  description: string | null;
  balance_minor: string;
  currency: string;
  opened_at: Date;
}

const walletOf = (row: WalletRow): WalletView => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  balanceMinor: wholeNumber(row.balance_minor),
  currency: row.currency,
  openedAt: row.opened_at,
});

/** A person's wallets, in the order in which they were opened. */
export async function walletsOf(db: Queryable, userId: string): Promise<WalletView[]> {
  const { rows } = await db.query<WalletRow>({
    name: 'wallets-of-user',
    text: `select id, display_name, description, balance_minor, currency, opened_at from wallets where user_id = $1 order by place`,
    values: [userId],
  });
  return rows.map(walletOf);
}

interface TransactionRow {
  id: string;
  wallet_id: string;
  display_name: string | null;
  type: 'credit' | 'debit';
  amount_minor: string;
  currency: string;
  description: string | null;
  moved_at: Date;
  place: string;
}

/** The text is looked for in the description and the wallet's name. */
export interface WalletTransactionFilter extends ListAsked {
  /** One wallet's only. */
  readonly walletId?: string | undefined;
  readonly type?: 'credit' | 'debit' | undefined;
}

/** What moved in and out of a person's wallets, newest first. */
export async function walletTransactionsOf(
  db: Queryable,
  userId: string,
  { limit, cursor, from, until, walletId, type, text }: WalletTransactionFilter = {},
): Promise<Page<WalletTransactionView>> {
  const { rows } = await db.query<TransactionRow>({
    name: 'wallet-transactions-of-user',
    text: `select t.id, t.wallet_id, w.display_name, t.type, t.amount_minor, t.currency, t.description, t.moved_at, t.place
             from wallet_transactions t join wallets w on w.id = t.wallet_id
            where t.user_id = $1 and ($2::bigint is null or t.place < $2) and ${within('t.moved_at', '$3', '$4')}
              and ($5::text is null or t.wallet_id = $5) and ($6::text is null or t.type = $6)
              and ($7::text is null or t.description ilike $7 or w.display_name ilike $7)
            order by t.place desc limit $8`,
    values: [
      userId,
      cursor ?? null,
      from ?? null,
      until ?? null,
      walletId ?? null,
      type ?? null,
      anywhere(text),
      rowsFor(limit),
    ],
  });
  return pageOf(rows, limit, transactionOf);
}

const transactionOf = (row: TransactionRow): WalletTransactionView => ({
  id: row.id,
  walletId: row.wallet_id,
  walletName: row.display_name,
  type: row.type,
  amountMinor: wholeNumber(row.amount_minor),
  currency: row.currency,
  description: row.description,
  createdAt: row.moved_at,
});

/** One movement of a person's; undefined for anybody else's. */
export async function walletTransactionOf(
  db: Queryable,
  userId: string,
  movementId: string,
): Promise<WalletTransactionView | undefined> {
  const { rows } = await db.query<TransactionRow>({
    name: 'wallet-transaction-of-user',
    text: `select t.id, t.wallet_id, w.display_name, t.type, t.amount_minor, t.currency, t.description, t.moved_at, t.place
             from wallet_transactions t join wallets w on w.id = t.wallet_id where t.user_id = $1 and t.id = $2`,
    values: [userId, movementId],
  });
  return rows[0] && transactionOf(rows[0]);
}
