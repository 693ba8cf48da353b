/** Reads of treasury wallets and their movements. Amounts are minor units. */
import type { ListRequest, Page } from '#contracts/api/lists';
import { anywhere, pageOf, rowsFor, within } from '../engine/lists.js';
import type { Queryable } from '../engine/read-model.js';
import type { ViewOf } from '../engine/table.js';
import { wallets, walletTransactions } from './columns.js';

/** A wallet as its owner sees it; its name is null once they were forgotten. */
export type WalletView = ViewOf<typeof wallets, 'owner'>;

export type WalletTransactionView = ViewOf<typeof walletTransactions, 'owner'> & {
  readonly walletName: string | null;
};

/** A person's wallets that are not closed, in the order in which they were opened. */
export async function walletsOf(db: Queryable, userId: string): Promise<WalletView[]> {
  const { rows } = await db.query<WalletView>({
    name: 'wallets-of-user',
    text: `select ${wallets.seenBy('owner', 'w')} from wallets w where user_id = $1 and closed_at is null order by place`,
    values: [userId],
  });
  return rows;
}

/** The text is looked for in the description and the wallet's name. */
export interface WalletTransactionFilter extends ListRequest {
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
  const { rows } = await db.query<WalletTransactionView & { place: number }>({
    name: 'wallet-transactions-of-user',
    text: `select ${walletTransactions.seenBy('owner', 't')}, w.display_name as "walletName", t.place
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
  return pageOf(rows, limit);
}
