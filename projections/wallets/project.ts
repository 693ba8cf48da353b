/**
 * Folds wallets and their movements: an opened wallet is a row, and so is each movement, which moves the
 * wallet's balance.
 */
import type { Sealed } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { BrokenBooks, type Tx } from '../engine/read-model.js';
import type { TextReader } from '../engine/text-reader.js';
import { wallets, walletTransactions } from './columns.js';

type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;
type Movement = EventOf<'WalletFunded' | 'WalletWithdrawn' | 'WalletClosed'>;

/** Opens a text of an event's. */
type Opening = (
  sealed: Sealed | undefined,
  event: RecordedEvent & { readonly data: { readonly userId: string } },
) => ReturnType<TextReader['shown']>;

export async function projectWallets(
  events: readonly RecordedEvent[],
  tx: Tx,
  texts: TextReader,
): Promise<void> {
  const forgotten = new Set(
    events.flatMap((event) => (event.type === 'UserForgotten' ? [event.data.userId] : [])),
  );
  for (const userId of forgotten) texts.drop(userId);
  const opening: Opening = (sealed, event) => texts.shown(sealed, event, forgotten.has(event.data.userId));

  await open(
    events.filter((event) => event.type === 'WalletOpened'),
    tx,
    opening,
  );
  await rename(
    events.filter((event) => event.type === 'WalletRenamed'),
    tx,
    opening,
  );
  // A wallet that was empty is closed without a movement.
  const moved = events
    .filter(
      (event) =>
        event.type === 'WalletFunded' || event.type === 'WalletWithdrawn' || event.type === 'WalletClosed',
    )
    .filter(({ data }) => data.amountMinor > 0);
  if (moved.length > 0) await move(moved, tx, opening);
  const closed = events.filter((event) => event.type === 'WalletClosed');
  if (closed.length > 0)
    await tx.query({
      name: 'wallets-closed',
      text: `update wallets w set closed_at = v.at
               from unnest($1::text[], $2::timestamptz[]) as v (id, at) where w.id = v.id`,
      values: [closed.map(({ data }) => data.walletId), closed.map(({ metadata }) => metadata.recordedAt)],
    });
  if (forgotten.size > 0) await forget([...forgotten], tx);
}

async function open(events: readonly EventOf<'WalletOpened'>[], tx: Tx, opening: Opening): Promise<void> {
  const rows = events.map(async (event) => {
    const { data, metadata, revision } = event;
    const name = await opening(data.displayName, event);
    const description = await opening(data.description, event);
    return {
      id: data.walletId,
      userId: data.userId,
      displayName: name.shown,
      description: description.shown,
      currency: data.currency,
      balanceMinor: 0,
      openedAt: metadata.recordedAt,
      closedAt: null,
      place: revision,
      unreadable: name.unreadable ?? description.unreadable,
    };
  });
  await wallets.insert(await Promise.all(rows), tx);
}

/** Gives wallets their new names, one after the other: of two names the later one holds. */
async function rename(events: readonly EventOf<'WalletRenamed'>[], tx: Tx, opening: Opening): Promise<void> {
  for (const event of events) {
    const { walletId, displayName } = event.data;
    const name = await opening(displayName, event);
    const description = await opening(event.data.description, event);
    await tx.query({
      name: 'wallet-renamed',
      text: 'update wallets set display_name = $2, description = $3, unreadable = $4 where id = $1',
      values: [walletId, name.shown, description.shown, name.unreadable ?? description.unreadable ?? null],
    });
  }
}

async function move(events: readonly Movement[], tx: Tx, opening: Opening): Promise<void> {
  const rows = events.map(async (event) => {
    const { type, data, metadata, revision } = event;
    const description = await opening('description' in data ? data.description : undefined, event);
    return {
      id: data.movementId,
      walletId: data.walletId,
      userId: data.userId,
      type: type === 'WalletFunded' ? ('credit' as const) : ('debit' as const),
      amountMinor: data.amountMinor,
      currency: data.currency,
      description: description.shown,
      movedAt: metadata.recordedAt,
      place: revision,
      unreadable: description.unreadable,
    };
  });
  await walletTransactions.insert(await Promise.all(rows), tx);
  const sums = new Map<string, number>();
  for (const { type, data } of events)
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

async function forget(userIds: readonly string[], tx: Tx): Promise<void> {
  await tx.query({
    name: 'wallets-forgotten',
    text: 'update wallets set display_name = null, description = null, unreadable = null where user_id = any($1::text[])',
    values: [userIds],
  });
  await tx.query({
    name: 'wallet-transactions-forgotten',
    text: 'update wallet_transactions set description = null, unreadable = null where user_id = any($1::text[]) and description is not null',
    values: [userIds],
  });
}
