/**
 * A payout takes its steps in order, each with the user, amount and provider's ids of the one before, and goes to a bank
 * account and an account at the provider that are its owner's.
 */
import { BANK_ACCOUNTS_PREFIX, type BankAccountEvent } from '#contracts/events/bank-account';
import type { JournalEventOf } from '#contracts/events/journal';
import type { RecordedEvent } from '#contracts/log';
import type { Check } from '../report.js';
import { differing, isRecovered, whereOf, type JournalEntry, type Relation } from './relation.js';

type Status = 'requested' | 'transferred' | 'submitted' | 'completed' | 'returned' | 'failed';
interface Payout {
  readonly userId: string;
  readonly amountMinor: number;
  readonly currency: string;
  status: Status;
  providerPayoutId?: string;
}
type PayoutEntry = JournalEventOf<
  | 'PayoutRequested'
  | 'PayoutTransferred'
  | 'PayoutSubmitted'
  | 'PayoutCompleted'
  | 'PayoutReturned'
  | 'PayoutFailed'
>;

/** From which states a step may be taken, and to which it leads. */
const STEPS: Readonly<
  Record<Exclude<PayoutEntry['type'], 'PayoutRequested'>, { from: readonly Status[]; to: Status }>
> = {
  PayoutTransferred: { from: ['requested'], to: 'transferred' },
  PayoutSubmitted: { from: ['transferred'], to: 'submitted' },
  PayoutCompleted: { from: ['submitted'], to: 'completed' },
  PayoutReturned: { from: ['submitted', 'completed'], to: 'returned' },
  PayoutFailed: { from: ['requested', 'transferred', 'returned'], to: 'failed' },
};

const isPayoutEntry = (entry: JournalEntry): entry is JournalEntry & PayoutEntry => 'payoutId' in entry.data;

export class Payouts implements Relation {
  readonly #payouts = new Map<string, Payout>();
  /** Bank accounts by id, and accounts at the provider, with their owners; a removed one is none. */
  readonly #banks = new Map<string, string>();
  readonly #connected = new Map<string, string>();
  readonly #findings: string[] = [];

  other(event: RecordedEvent): void {
    if (!event.stream.startsWith(BANK_ACCOUNTS_PREFIX)) return;
    const { type, data } = event as RecordedEvent<BankAccountEvent>;
    if (type === 'BankAccountAdded') this.#banks.set(data.bankAccountId, data.userId);
    else if (type === 'BankAccountRemoved') this.#banks.delete(data.bankAccountId);
    else if (type === 'PayoutAccountOpened') this.#connected.set(data.connectAccountId, data.userId);
  }

  entry(entry: JournalEntry): void {
    if (!isPayoutEntry(entry)) return;
    const wrong =
      entry.type === 'PayoutRequested'
        ? this.#requested(entry.data, isRecovered(entry))
        : this.#step(entry, isRecovered(entry));
    if (wrong.length > 0)
      this.#findings.push(
        `${whereOf(entry)}: ${entry.type} of payout ${entry.data.payoutId}: ${wrong.join('; ')}`,
      );
  }

  check(): Check {
    return {
      name: 'payouts take their course',
      figure: `${this.#payouts.size} payouts`,
      findings: this.#findings,
    };
  }

  #requested(
    { payoutId, userId, amountMinor, currency, bankAccountId }: JournalEventOf<'PayoutRequested'>['data'],
    recovered: boolean,
  ): readonly string[] {
    if (this.#payouts.has(payoutId)) return ['it was requested before'];
    this.#payouts.set(payoutId, { userId, amountMinor, currency, status: 'requested' });
    const owner = this.#banks.get(bankAccountId);
    if (recovered || owner === userId) return [];
    return [
      owner === undefined
        ? `bank account ${bankAccountId} is none of ${userId}`
        : `bank account ${bankAccountId} is ${owner}’s, not ${userId}’s`,
    ];
  }

  #step(entry: Exclude<PayoutEntry, { type: 'PayoutRequested' }>, recovered: boolean): readonly string[] {
    const payout = this.#payouts.get(entry.data.payoutId);
    if (!payout) return ['it was never requested'];
    const { from, to } = STEPS[entry.type];
    const was = payout.status;
    payout.status = to;
    return [
      ...(from.includes(was) ? [] : [`it was ${was} and should be ${from.join(' or ')}`]),
      ...differing('userId', entry.data.userId, payout.userId),
      ...differing('amountMinor', entry.data.amountMinor, payout.amountMinor),
      ...differing('currency', entry.data.currency, payout.currency),
      ...this.#ids(entry, payout, was, recovered),
    ];
  }

  #ids(
    entry: Exclude<PayoutEntry, { type: 'PayoutRequested' }>,
    payout: Payout,
    was: Status,
    recovered: boolean,
  ): readonly string[] {
    switch (entry.type) {
      case 'PayoutTransferred': {
        const owner = this.#connected.get(entry.data.connectAccountId);
        return recovered || owner === payout.userId
          ? []
          : [`account ${entry.data.connectAccountId} at the provider is none of ${payout.userId}`];
      }
      case 'PayoutSubmitted':
        payout.providerPayoutId = entry.data.providerPayoutId;
        return [];
      case 'PayoutCompleted':
        return differing('providerPayoutId', entry.data.providerPayoutId, payout.providerPayoutId);
      case 'PayoutReturned':
        return [
          ...differing('providerPayoutId', entry.data.providerPayoutId, payout.providerPayoutId),
          ...differing('afterCompletion', entry.data.afterCompletion, was === 'completed'),
        ];
      case 'PayoutFailed':
        return was === 'requested' || entry.data.reversalId !== undefined
          ? []
          : ['no reversal of the transfer is named'];
    }
  }
}
