/**
 * The rules of treasury wallets: accounts of their owner beside the available balance, filled from it and
 * emptied into it.
 */
import { available, wallet } from '#contracts/plain/accounts';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { asked, entry, type Case, type Decision } from './decision.js';
import { assertCovered, assertDebitsAllowed } from './payment-rules.js';

export function openWallet(command: Command<'OpenWallet'>, known: Case): Decision {
  const { books } = known;
  return asked(known, (key) => {
    const { type: _, ...terms } = command;
    if (!books.isOpen(terms.userId)) throw new Rejected('PayerNotFound', { userId: terms.userId });
    return entry(key, { type: 'WalletOpened', data: { account: wallet(terms.walletId), ...terms } });
  });
}

/** Between the available balance and a wallet of the same owner; neither goes below zero. */
export function moveWalletFunds(command: Command<'FundWallet' | 'WithdrawWallet'>, known: Case): Decision {
  const { books } = known;
  return asked(known, (key) => {
    const { type, ...terms } = command;
    const { walletId, userId, amountMinor } = terms;
    // Another's wallet is as unknown as one that does not exist.
    if (books.wallets.get(walletId) !== userId) throw new Rejected('WalletNotFound', { walletId });
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
