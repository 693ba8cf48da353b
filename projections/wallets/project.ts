/**
 * Folds wallets and their movements: an opened wallet is a row, and so is each movement, which moves the
 * wallet's balance.
 */
import type { Sealed } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { Unsealer } from '../engine/unsealer.js';

export async function projectWallets(
  events: readonly RecordedEvent[],
  tx: Tx,
  vault: Unsealer,
): Promise<void> {
  const opened = events.filter((event) => event.type === 'WalletOpened');
  const moved = events.filter((event) => event.type === 'WalletFunded' || event.type === 'WalletWithdrawn');
  const forgotten = new Set(
    events.flatMap((event) => (event.type === 'UserForgotten' ? [event.data.userId] : [])),
  );
  for (const userId of forgotten) vault.drop(userId);
  const plain = async (userId: string, text: Sealed | undefined): Promise<string | null> =>
    text === undefined || forgotten.has(userId) ? null : ((await vault.unseal(text)) ?? null);

  if (opened.length > 0)
    await tx.query({
      name: 'wallets-opened',
      text: `insert into wallets (id, user_id, display_name, description, currency, balance_minor, opened_at, place)
             select id, user_id, display_name, description, currency, 0, opened_at, place
               from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[])
                 as v (id, user_id, display_name, description, currency, opened_at, place)`,
      values: [
        opened.map(({ data }) => data.walletId),
        opened.map(({ data }) => data.userId),
        await Promise.all(opened.map(({ data }) => plain(data.userId, data.displayName))),
        await Promise.all(opened.map(({ data }) => plain(data.userId, data.description))),
        opened.map(({ data }) => data.currency),
        opened.map(({ metadata }) => metadata.recordedAt),
        opened.map(({ revision }) => revision),
      ],
    });

  if (moved.length > 0) {
    await tx.query({
      name: 'wallet-transactions-written',
      text: `insert into wallet_transactions (id, wallet_id, user_id, type, amount_minor, currency, description, moved_at, place)
             select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
                                  $8::timestamptz[], $9::bigint[])`,
      values: [
        moved.map(({ data }) => data.movementId),
        moved.map(({ data }) => data.walletId),
        moved.map(({ data }) => data.userId),
        moved.map(({ type }) => (type === 'WalletFunded' ? 'credit' : 'debit')),
        moved.map(({ data }) => data.amountMinor),
        moved.map(({ data }) => data.currency),
        await Promise.all(moved.map(({ data }) => plain(data.userId, data.description))),
        moved.map(({ metadata }) => metadata.recordedAt),
        moved.map(({ revision }) => revision),
      ],
    });
    const sums = new Map<string, number>();
    for (const { type, data } of moved)
      sums.set(
        data.walletId,
        (sums.get(data.walletId) ?? 0) + (type === 'WalletFunded' ? data.amountMinor : -data.amountMinor),
      );
    const { rowCount } = await tx.query({
      name: 'wallets-moved',
      text: `update wallets w set balance_minor = w.balance_minor + v.by_minor
               from unnest($1::text[], $2::bigint[]) as v (id, by_minor) where w.id = v.id`,
      values: [[...sums.keys()], [...sums.values()]],
    });
    if (rowCount !== sums.size) throw new BrokenBooks('Money moved in a wallet that was never opened.');
  }

  if (forgotten.size > 0) {
    const values = [[...forgotten]];
    await tx.query({
      name: 'wallets-forgotten',
      text: 'update wallets set display_name = null, description = null where user_id = any($1::text[])',
      values,
    });
    await tx.query({
      name: 'wallet-transactions-forgotten',
      text: 'update wallet_transactions set description = null where user_id = any($1::text[]) and description is not null',
      values,
    });
  }
}
