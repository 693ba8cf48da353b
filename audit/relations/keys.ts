/**
 * What an entry is known by. The key of an entry about a thing of the provider's, or about one step of
 * something, is made of that thing's id; so an entry that is written a second time has a key that was used
 * before, and cannot hide behind another one. Transfers and movements of wallets, whose keys are their
 * askers', have ids of their own.
 */
import type { JournalEventOf, JournalEventType } from '#contracts/events/journal';
import { IdTable } from '../flat/id-table.js';
import type { Check } from '../report.js';
import { isRecovered, shown, whereOf, type JournalEntry, type Relation } from './relation.js';

type Fields<T extends JournalEventType> = JournalEventOf<T>['data'];
type KeyOf<T extends JournalEventType> = (data: Fields<T>) => string | undefined;
type OfOccurrence = Pick<Fields<'TransferPosted'>, 'occurrence'>;

const byTransaction = ({ balanceTransactionId }: { balanceTransactionId: string }): string =>
  `balance:${balanceTransactionId}`;
const byDisputedFunds = ({ balanceTransactionId }: { balanceTransactionId: string }): string =>
  `dispute-funds:${balanceTransactionId}`;
const byDisputeEnd = ({ disputeId }: { disputeId: string }): string => `dispute-closed:${disputeId}`;
const byOccurrence = ({ occurrence }: OfOccurrence): string | undefined =>
  occurrence && `occurrence:${occurrence.occurrenceId}:${occurrence.attempt}`;
/** The asker's own, or an operator's: nothing in the entry says it. */
const anyKey = (): undefined => undefined;

/** The key by the entry's fields. A type without a line does not compile. */
const KEY_OF: { readonly [T in JournalEventType]: KeyOf<T> } = {
  LedgerFounded: () => 'ledger-founded',
  MonthClosed: ({ month }) => `month-closed:${month}`,
  EpochBegun: ({ commonRevision }) => `epoch:${commonRevision}`,
  DebitsSuspended: anyKey,
  DebitsResumed: anyKey,
  AccountOpened: ({ userId }) => `account:${userId}`,
  AccountClosed: ({ userId }) => `account-closed:${userId}`,
  ClosedAccountCleared: ({ itemId }) => `closed-cleared:${itemId}`,
  DebtWrittenOff: anyKey,
  UnclaimedPaid: ({ itemId }) => `unclaimed-paid:${itemId}`,
  PaymentOpened: byOccurrence,
  PaymentSubmitted: ({ intentId }) => `intent:${intentId}`,
  PaymentAttemptFailed: ({ attemptId }) => `attempt:${attemptId}`,
  PaymentSettled: ({ chargeId }) => `settle:${chargeId}`,
  PaymentCanceled: ({ paymentId }) => `cancel:${paymentId}`,
  PaymentRefunded: ({ refundId }) => `refund:${refundId}`,
  RefundFailed: ({ refundId }) => `refund-failed:${refundId}`,
  UnappliedReceived: ({ chargeId }) => `unapplied:${chargeId}`,
  UnappliedRefunded: ({ refundId }) => `unapplied-refund:${refundId}`,
  UnappliedRefundFailed: ({ refundId }) => `unapplied-refund-failed:${refundId}`,
  TransferPosted: byOccurrence,
  CollectionRefused: byOccurrence,
  PayoutRequested: anyKey,
  PayoutTransferred: ({ payoutId }) => `payout-transferred:${payoutId}`,
  PayoutSubmitted: ({ payoutId }) => `payout-submitted:${payoutId}`,
  PayoutCompleted: ({ payoutId }) => `payout-completed:${payoutId}`,
  PayoutReturned: ({ payoutId }) => `payout-returned:${payoutId}`,
  PayoutFailed: ({ payoutId }) => `payout-failed:${payoutId}`,
  WalletOpened: anyKey,
  WalletFunded: anyKey,
  WalletWithdrawn: anyKey,
  WalletRenamed: anyKey,
  WalletClosed: anyKey,
  DisputeOpened: ({ disputeId }) => `dispute:${disputeId}`,
  DisputeFundsWithdrawn: byDisputedFunds,
  DisputeFundsReinstated: byDisputedFunds,
  DisputeWon: byDisputeEnd,
  DisputeLost: byDisputeEnd,
  ProviderFeeBooked: ({ balanceTransactionId }) => `fee:${balanceTransactionId}`,
  PlatformFunded: byTransaction,
  PlatformFundingReversed: byTransaction,
  PlatformPaidOut: byTransaction,
  PlatformPayoutReturned: byTransaction,
  ProviderCharged: byTransaction,
  ProviderChargeReturned: byTransaction,
};

/** What an entry's key must be by its fields; undefined where its asker chose it. */
export function keyFrom({ type, data }: Pick<JournalEntry, 'type' | 'data'>): string | undefined {
  return (KEY_OF[type] as (data: never) => string | undefined)(data as never);
}

/**
 * The key of an entry as builds of before wrote it: a payment's intent was recorded once, under the payment's
 * own id. That one is not recorded a second time under its present key is followed with the payment.
 */
const keyOfBefore = ({ type, data }: JournalEntry): string | undefined =>
  type === 'PaymentSubmitted' ? `submit:${data.paymentId}` : undefined;

/** A dispute may end once more, otherwise: the key of a later end goes on behind that of the first. */
const MAY_END_AGAIN: ReadonlySet<JournalEventType> = new Set(['DisputeWon', 'DisputeLost']);

export class Keys implements Relation {
  /** Transfers and movements of wallets. */
  readonly #ids = new IdTable();
  readonly #findings: string[] = [];
  #derived = 0;

  entry(entry: JournalEntry): void {
    const wrong = [...this.#wrongKey(entry), ...this.#again(entry)];
    if (wrong.length > 0) this.#findings.push(`${whereOf(entry)}: ${entry.type}: ${wrong.join('; ')}`);
  }

  check(): Check {
    return {
      name: 'keys and ids fit the entries',
      figure: `${this.#derived} keys, ${this.#ids.size} transfers and movements`,
      findings: this.#findings,
    };
  }

  #wrongKey(entry: JournalEntry): readonly string[] {
    const due = keyFrom(entry);
    const { key } = entry.metadata;
    if (key !== undefined && key === keyOfBefore(entry)) return [];
    // A recovery opens a payment again under the key that its seal names.
    if (due === undefined || key === undefined || (entry.type === 'PaymentOpened' && isRecovered(entry)))
      return [];
    this.#derived += 1;
    if (key === due || (MAY_END_AGAIN.has(entry.type) && key.startsWith(`${due}:`))) return [];
    return [`its key is ${shown(key)} and should be ${shown(due)}`];
  }

  #again({ type, data }: JournalEntry): readonly string[] {
    const id =
      type === 'TransferPosted' ? data.transferId : 'movementId' in data ? data.movementId : undefined;
    if (id === undefined) return [];
    const before = this.#ids.size;
    this.#ids.row(id);
    return this.#ids.size > before ? [] : [`${id} was booked before`];
  }
}
