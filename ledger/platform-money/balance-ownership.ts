/**
 * What a movement of the balance at the provider is to the books: booked, ours and not booked yet, money of
 * the platform's own, or somebody else's. Ours is what the log names, and what carries our seal.
 */
import { Injectable } from '@nestjs/common';
import { Journal } from '../journal/journal.js';
import { isIdOf } from '../journal/keys.js';
import { isPlatformType, platformMoneyKey } from '../journal/platform-rules.js';
import type { BalanceSource, BalanceTransaction } from '../stripe/balance-transaction.js';
import { ProviderBalance } from '../stripe/provider-balance.js';

export type BalanceOwner =
  /** The books have all of it. */
  | 'booked'
  /** A payment or payout of ours, which books it, or of a ledger that lost it. */
  | 'unbooked'
  /** A charge of ours that is booked, and its fee is not yet: that has an entry of its own. */
  | 'without fee'
  /** No payment explains it: a top-up, a payout to the platform's bank, a charge of the provider's. */
  | 'platform'
  | 'foreign';

type SourceOf<K extends BalanceSource['kind']> = Extract<BalanceSource, { kind: K }>;

@Injectable()
export class BalanceOwnership {
  constructor(
    private readonly journal: Journal,
    private readonly provider: ProviderBalance,
  ) {}

  /**
   * As of an entry of the journal, or of the present: the journal must have been read so far. Throws
   * Unavailable.
   */
  async of(transaction: BalanceTransaction, throughRevision = Infinity): Promise<BalanceOwner> {
    const { id, type, amountMinor, feeMinor, source } = transaction;
    const has: HasEntry = async (...keys) => {
      for (const key of keys) if (await this.journal.hasEntry(key, throughRevision)) return true;
      return false;
    };
    if (amountMinor === 0 && feeMinor === 0) return 'booked';
    switch (source.kind) {
      case 'charge':
        return this.ofCharge(source, transaction, has);
      case 'refund':
        return this.ofRefund(source, type, has);
      case 'dispute':
        // A fee that moved alone stands under a key of its own, taken or given back.
        if (await has(`dispute-funds:${id}`, `fee:${id}`, platformMoneyKey(id))) return 'booked';
        return (await this.isOurs(source)) ? 'unbooked' : 'foreign';
      case 'transfer':
        return this.ofTransfer(source, has);
      case 'reversal':
        return this.ofReversal(source, has);
      case 'unreadable':
        return 'unbooked';
      case 'other':
        if (await has(platformMoneyKey(id))) return 'booked';
        return isPlatformType(type) ? 'platform' : 'foreign';
    }
  }

  /** Whether the money of a charge stands in an entry up to and including this one. Throws Unavailable. */
  async isBookedCharge(chargeId: string, throughRevision: number): Promise<boolean> {
    for (const key of bookingsOf(chargeId))
      if (await this.journal.hasEntry(key, throughRevision)) return true;
    return false;
  }

  private async ofCharge(
    source: SourceOf<'charge'>,
    { id, feeMinor }: BalanceTransaction,
    has: HasEntry,
  ): Promise<BalanceOwner> {
    if (await has(...bookingsOf(source.id)))
      return feeMinor === 0 || (await has(`fee:${id}`)) ? 'booked' : 'without fee';
    const isOurs = source.isSealed || (await this.isOurs({ ...source, chargeId: source.id }));
    return isOurs ? 'unbooked' : 'foreign';
  }

  private async ofRefund(source: SourceOf<'refund'>, type: string, has: HasEntry): Promise<BalanceOwner> {
    const { id, isFailed } = source;
    const given = await has(`refund:${id}`, `unapplied-refund:${id}`);
    const isFailure = type.endsWith('_failure');
    const isBooked = isFailure ? await has(`refund-failed:${id}`, `unapplied-refund-failed:${id}`) : given;
    if (isBooked) return 'booked';
    if (!source.isSealed && !(await this.isOurs(source))) return 'foreign';
    // One that failed before it was booked as given is no entry: what left the balance is back in it.
    return isFailed && !given ? 'booked' : 'unbooked';
  }

  private async ofTransfer(source: SourceOf<'transfer'>, has: HasEntry): Promise<BalanceOwner> {
    const { id, payoutId, isSealed } = source;
    const payout = await this.payout(payoutId);
    if (payout?.providerTransferId === id && (await has(`payout-transferred:${payoutId}`))) return 'booked';
    return payout || isSealed ? 'unbooked' : 'foreign';
  }

  private async ofReversal(source: SourceOf<'reversal'>, has: HasEntry): Promise<BalanceOwner> {
    const { transferId, isSealed } = source;
    const payoutId = transferId === undefined ? undefined : await this.provider.payoutOfTransfer(transferId);
    const payout = await this.payout(payoutId);
    if (payout?.providerTransferId === transferId && (await has(`payout-failed:${payoutId}`)))
      return 'booked';
    return payout || isSealed ? 'unbooked' : 'foreign';
  }

  private payout(payoutId: string | undefined) {
    const isOne = payoutId !== undefined && isIdOf('out', payoutId);
    return isOne ? this.journal.look('payout', payoutId) : Promise.resolve(undefined);
  }

  private async isOurs({ chargeId, intentId }: Pick<SourceOf<'dispute'>, 'chargeId' | 'intentId'>) {
    if (chargeId !== undefined)
      for (const key of bookingsOf(chargeId)) if (await this.journal.hasEntry(key)) return true;
    return intentId !== undefined && (await this.journal.paymentOfIntent(intentId)) !== undefined;
  }
}

/** Whether an entry stands under one of these keys, as far as is asked about. */
type HasEntry = (...keys: readonly string[]) => Promise<boolean>;

/** The keys under which the money of a charge may be booked. */
const bookingsOf = (chargeId: string): readonly string[] => [`settle:${chargeId}`, `unapplied:${chargeId}`];
