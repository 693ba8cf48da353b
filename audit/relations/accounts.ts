/**
 * Accounts: none is invented, each is opened once for whom it belongs to, and is closed, cleared or written
 * off by the balance that it has. A wallet is moved by its owner alone. What is taken from somebody whose
 * account is closed is taken first from what waits unclaimed for them.
 */
import { USER_PREFIX } from '#contracts/events/user';
import { drawnBy, postingsOf, type DrawnItem, type JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import { HOME_CURRENCY, natureOf } from '../derivation/accounts.js';
import { IdTable } from '../flat/id-table.js';
import type { Derivation } from '../derivation/derivation.js';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';

const availableOf = (userId: string): string => `user/${userId}/available`;

export class Accounts implements Relation {
  readonly #registered = new IdTable();
  readonly #opened = new IdTable();
  readonly #openedWallets = new IdTable();
  /** Wallets that are open, with their owners. */
  readonly #wallets = new Map<string, string>();
  /** What `platform/unclaimed` holds, by item, the oldest first: what is left of each. */
  readonly #unclaimed = new Map<
    string,
    { readonly userId: string | undefined; readonly amountMinor: number }
  >();
  readonly #findings: string[] = [];

  constructor(private readonly derivation: Derivation) {}

  other(event: RecordedEvent): void {
    if (event.type === 'UserRegistered' && event.stream.startsWith(USER_PREFIX))
      this.#registered.row(event.data.userId);
  }

  entry(entry: JournalEntry): void {
    const wrong = [...this.#wrong(entry), ...this.#invented(entry)];
    if (wrong.length > 0) this.#findings.push(`${whereOf(entry)}: ${entry.type}: ${wrong.join('; ')}`);
    this.#keepUnclaimed(entry);
  }

  check(): Check {
    return {
      name: 'accounts opened, owned and closed',
      figure: `${this.#opened.size} users, ${this.#wallets.size} wallets open`,
      findings: this.#findings,
    };
  }

  #wrong(entry: JournalEntry): readonly string[] {
    const { type, data } = entry;
    switch (type) {
      case 'AccountOpened':
        return this.#open(entry, isRecovered(entry));
      case 'AccountClosed':
        return [
          ...differing('account', data.account, availableOf(data.userId)),
          ...differing('writtenOffMinor', data.writtenOffMinor, this.#debtOf(data.userId)),
          ...this.#moneyLeft(data.userId),
          ...(this.derivation.isClosed(data.userId) ? ['it was closed before'] : []),
        ];
      case 'DebtWrittenOff':
        return [
          ...differing('amountMinor', data.amountMinor, this.#debtOf(data.userId)),
          ...this.#drawnWrongly(data.userId, data.amountMinor, data.drawn),
        ];
      case 'PaymentRefunded':
        return this.#drawnWrongly(data.recipientId, data.recipientMinor ?? data.amountMinor, data.drawn);
      case 'DisputeFundsWithdrawn':
        return this.#drawnWrongly(data.recipientId, data.recipientMinor, data.drawn);
      case 'ClosedAccountCleared':
        return this.derivation.isClosed(data.userId) ? [] : [`the account of ${data.userId} is not closed`];
      case 'UnclaimedPaid': {
        const item = this.#unclaimed.get(data.itemId);
        return [
          ...differing('amountMinor', data.amountMinor, item?.amountMinor),
          ...(item ? differing('userId', data.userId, item.userId) : []),
        ];
      }
      case 'WalletOpened':
        return [
          ...this.#openWallet(data),
          ...this.#usable(data.userId, isRecovered(entry)),
          ...differing('currency', data.currency, HOME_CURRENCY),
        ];
      case 'WalletFunded':
      case 'WalletWithdrawn':
      case 'WalletRenamed':
        return this.#ownWallet(data);
      case 'WalletClosed': {
        const wrong = [
          ...this.#ownWallet(data),
          ...differing('amountMinor', data.amountMinor, this.#balance(`wallet/${data.walletId}`)),
        ];
        this.#wallets.delete(data.walletId);
        return wrong;
      }
      case 'PaymentOpened':
        // A guest pays by card, without an account.
        return [data.payerId, data.recipientId]
          .filter((userId) => userId !== data.payerId || !userId.startsWith('gst_'))
          .flatMap((userId) => this.#usable(userId, isRecovered(entry)));
      case 'TransferPosted':
        return [data.payerId, data.recipientId].flatMap((userId) => this.#usable(userId, isRecovered(entry)));
      case 'PayoutRequested':
        return this.#usable(data.userId, isRecovered(entry));
      default:
        return [];
    }
  }

  #open({ data }: JournalEventOf<'AccountOpened'>, recovered: boolean): readonly string[] {
    const { account, userId } = data;
    const wrong = [
      ...differing('account', account, availableOf(userId)),
      ...(this.#opened.has(userId) ? ['it was opened before'] : []),
      ...(recovered || this.#registered.has(userId) ? [] : [`${userId} never registered`]),
    ];
    this.#opened.row(userId);
    return wrong;
  }

  /** Only an account without money is closed: nothing to spend, in wallets, or on its way to a bank. */
  #moneyLeft(userId: string): readonly string[] {
    const wallets = [...this.#wallets].flatMap(([walletId, owner]) =>
      owner === userId ? [`wallet/${walletId}`] : [],
    );
    return [availableOf(userId), `user/${userId}/payouts`, ...wallets].flatMap((account) =>
      this.#balance(account) > 0 ? [`there is money left on ${account}`] : [],
    );
  }

  #openWallet({ walletId, userId, account }: JournalEventOf<'WalletOpened'>['data']): readonly string[] {
    const wrong = [
      ...differing('account', account, `wallet/${walletId}`),
      ...(this.#openedWallets.has(walletId) ? ['it was opened before'] : []),
    ];
    this.#openedWallets.row(walletId);
    this.#wallets.set(walletId, userId);
    return wrong;
  }

  #ownWallet({ walletId, userId }: { walletId: string; userId: string }): readonly string[] {
    const owner = this.#wallets.get(walletId);
    if (owner === undefined) return [`wallet ${walletId} is not open`];
    return differing('userId', userId, owner);
  }

  #usable(userId: string, recovered: boolean): readonly string[] {
    if (!this.#opened.has(userId)) return [`${userId} has no account`];
    return !recovered && this.derivation.isClosed(userId) ? [`the account of ${userId} is closed`] : [];
  }

  /** Accounts that stand in the entry's postings and that nobody opened, or that cannot be. */
  #invented(entry: JournalEntry): readonly string[] {
    const found = new Set<string>();
    for (const { debit, credit } of postingsOf(entry))
      for (const account of [debit, credit]) {
        const nature = natureOf(account);
        if (!nature) found.add(`there is no account ${account}`);
        else if (
          (nature.userId !== undefined && !this.#opened.has(nature.userId)) ||
          (nature.walletId !== undefined && !this.derivation.balances.has(account))
        )
          found.add(`${account} was never opened`);
      }
    return [...found];
  }

  /**
   * Whether what an entry takes from somebody whose account is closed is drawn from what waits unclaimed for
   * them, the oldest first. An older ledger's entry draws nothing, and does not say so.
   */
  #drawnWrongly(
    userId: string | undefined,
    takenMinor: number,
    drawn: readonly DrawnItem[] | undefined,
  ): readonly string[] {
    if (drawn === undefined) return [];
    let restMinor = userId !== undefined && this.derivation.isClosed(userId) ? takenMinor : 0;
    const due = [...this.#unclaimed].flatMap(([itemId, item]) => {
      const amountMinor = item.userId === userId ? Math.min(restMinor, item.amountMinor) : 0;
      restMinor -= amountMinor;
      return amountMinor > 0 ? [{ itemId, amountMinor }] : [];
    });
    return differing('drawn', wordsOf(drawn), wordsOf(due));
  }

  #keepUnclaimed(entry: JournalEntry): void {
    if (entry.type === 'UnclaimedPaid') return void this.#unclaimed.delete(entry.data.itemId);
    for (const { itemId, amountMinor } of drawnBy(entry)) {
      const item = this.#unclaimed.get(itemId);
      if (!item) continue;
      if (item.amountMinor <= amountMinor) this.#unclaimed.delete(itemId);
      else this.#unclaimed.set(itemId, { ...item, amountMinor: item.amountMinor - amountMinor });
    }
    for (const { credit, amountMinor } of postingsOf(entry))
      if (credit === 'platform/unclaimed')
        this.#unclaimed.set(itemOf(entry), { userId: whoseOf(entry), amountMinor });
  }

  #balance(account: string): number {
    return this.derivation.balances.of(account);
  }

  #debtOf(userId: string): number {
    return Math.max(0, -this.#balance(availableOf(userId)));
  }
}

/** What is drawn from which items, in their order. */
const wordsOf = (drawn: readonly DrawnItem[]): string =>
  drawn.map(({ itemId, amountMinor }) => `${amountMinor} of ${itemId}`).join(', ');

/** Whose unclaimed money is: the recipient's of a payment, or the owner's of what came back or was left. */
function whoseOf({ data }: JournalEntry): string | undefined {
  if ('recipientId' in data) return data.recipientId;
  return 'userId' in data ? data.userId : undefined;
}

/** What unclaimed money is known by. */
function itemOf({ data }: JournalEntry): string {
  if ('itemId' in data) return data.itemId;
  if ('refundId' in data) return data.refundId;
  if ('balanceTransactionId' in data) return data.balanceTransactionId;
  return 'payoutId' in data ? data.payoutId : '';
}
