/**
 * The rules of treasury wallets: accounts of their owner beside the available balance, filled from it and
 * emptied into it.
 */
import { available, wallet } from '#contracts/plain/accounts';
import type { JournalEvent, JournalEventOf } from '#contracts/events/journal';
import { aboutTime, LIMITS } from '#contracts/limits';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { countAt, counted, roomInMs } from './counts.js';
import { decideOnce, entry, type Case, type Decision } from './decision.js';
import { assertCovered, assertDebitsAllowed } from './payment-rules.js';
import type { Books } from './state.js';

const A_DAY_MS = LIMITS['wallets-day'].withinMs;

export function openWallet(command: Command<'OpenWallet'>, known: Case): Decision {
  const { books } = known;
  return decideOnce(known, (key) => {
    const { type: _, ...terms } = command;
    if (!books.isOpen(terms.userId)) throw new Rejected('PayerNotFound', { userId: terms.userId });
    assertRoomForWallet(terms.userId, known);
    return entry(key, { type: 'WalletOpened', data: { account: wallet(terms.walletId), ...terms } });
  });
}

/** Throws Rejected where a user has as many wallets open as the limit allows, or has opened so many today. */
function assertRoomForWallet(userId: string, { books, now, limits }: Case): void {
  const most = limits.wallets;
  if ((books.walletsOf.get(userId)?.length ?? 0) >= most)
    throw new Rejected('TooManyWallets', { userId, most });
  const inDay = limits['wallets-day'];
  const opened = books.walletsOpened.get(userId) ?? [];
  if (countAt(opened, now, A_DAY_MS) < inDay) return;
  const waitMs = roomInMs(opened, now, inDay, A_DAY_MS);
  throw new Rejected('TooManyNewWallets', {
    userId,
    most: inDay,
    wait: aboutTime(waitMs),
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}

/** Another's wallet is as unknown as one that does not exist, or that is closed. */
function assertTheirs({ walletId, userId }: { walletId: string; userId: string }, books: Books): void {
  if (books.wallets.get(walletId) !== userId) throw new Rejected('WalletNotFound', { walletId });
}

/** Between the available balance and a wallet of the same owner; neither goes below zero. */
export function moveWalletFunds(command: Command<'FundWallet' | 'WithdrawWallet'>, known: Case): Decision {
  const { books } = known;
  return decideOnce(known, (key) => {
    const { type, ...terms } = command;
    const { walletId, userId, amountMinor } = terms;
    assertTheirs(terms, books);
    assertDebitsAllowed(userId, books);
    if (type === 'FundWallet') {
      assertCovered(available(userId), amountMinor, books);
      const postings = [{ debit: available(userId), credit: wallet(walletId), amountMinor }];
      return entry(key, { type: 'WalletFunded', data: { ...terms, postings } });
    }
    assertCovered(wallet(walletId), amountMinor, books, { wallet: walletId });
    const postings = [{ debit: wallet(walletId), credit: available(userId), amountMinor }];
    return entry(key, { type: 'WalletWithdrawn', data: { ...terms, postings } });
  });
}

export function renameWallet(command: Command<'RenameWallet'>, known: Case): Decision {
  return decideOnce(known, (key) => {
    const { type: _, ...data } = command;
    assertTheirs(data, known.books);
    return entry(key, { type: 'WalletRenamed', data });
  });
}

/** What is left in the wallet goes back by the entry that closes it: no money can come between the two. */
export function closeWallet(command: Command<'CloseWallet'>, known: Case): Decision {
  const { books } = known;
  return decideOnce(known, (key) => {
    const { type: _, ...terms } = command;
    const { walletId, userId } = terms;
    assertTheirs(terms, books);
    const account = wallet(walletId);
    const amountMinor = books.balanceOf(account) ?? 0;
    if (amountMinor > 0) assertDebitsAllowed(userId, books);
    const postings = amountMinor === 0 ? [] : [{ debit: account, credit: available(userId), amountMinor }];
    return entry(key, { type: 'WalletClosed', data: { ...terms, account, amountMinor, postings } });
  });
}

type WalletEntry = JournalEventOf<'WalletOpened' | 'WalletClosed'>;

/** Whether an entry says which wallets there are. */
export const isWalletEntry = (event: JournalEvent): event is WalletEntry =>
  event.type === 'WalletOpened' || event.type === 'WalletClosed';

/** Applies an entry that opens or closes a wallet, after its postings. */
export function evolveWallets({ type, data }: WalletEntry, recordedAtMs: number, books: Books): void {
  const { walletId, account, userId } = data;
  const others = (books.walletsOf.get(userId) ?? []).filter((other) => other !== walletId);
  if (type === 'WalletClosed') {
    books.wallets.delete(walletId);
    books.walletsOf.set(userId, others);
    return;
  }
  books.wallets.set(walletId, userId);
  books.walletsOf.set(userId, [...others, walletId]);
  books.walletsOpened.set(userId, counted(books.walletsOpened.get(userId) ?? [], recordedAtMs, 1, A_DAY_MS));
  if (books.balanceOf(account) === undefined) books.accounts.set(account, 0);
}
