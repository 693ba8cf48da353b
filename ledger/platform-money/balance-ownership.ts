/**
 * What a movement of the balance at the provider is to the books: booked, ours and not booked yet, money of the
 * platform's own, or somebody else's. Ours is what the log names, and what carries our seal.
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

  /** The journal must have been read to its end. Throws Unavailable. */
  async of(transaction: BalanceTransaction): Promise<BalanceOwner> {
    const { id, type, amountMinor, feeMinor, source } = transaction;
    if (amountMinor === 0 && feeMinor === 0) return 'booked';
    switch (source.kind) {
      case 'charge':
        return this.ofCharge(source, transaction);
      case 'refund':
        return this.ofRefund(source, type);
      case 'dispute':
        if (await this.journal.hasEntry(`dispute-funds:${id}`)) return 'booked';
        return (await this.isOurs(source.chargeId, source.intentId)) ? 'unbooked' : 'foreign';
      case 'transfer':
        return this.ofTransfer(source);
      case 'reversal':
        return this.ofReversal(source);
      case 'unreadable':
        return 'unbooked';
      case 'other':
        if (await this.journal.hasEntry(platformMoneyKey(id))) return 'booked';
        return isPlatformType(type) ? 'platform' : 'foreign';
    }
  }

  private async ofCharge(
    { id: chargeId, intentId, isSealed }: SourceOf<'charge'>,
    { id, feeMinor }: BalanceTransaction,
  ): Promise<BalanceOwner> {
    if (await this.isBooked(chargeId)) {
      const isWhole = feeMinor === 0 || (await this.journal.hasEntry(`fee:${id}`));
      return isWhole ? 'booked' : 'unbooked';
    }
    return isSealed || (await this.isOurs(undefined, intentId)) ? 'unbooked' : 'foreign';
  }

  private async ofRefund(source: SourceOf<'refund'>, type: string): Promise<BalanceOwner> {
    const { id, chargeId, intentId, isFailed } = source;
    const given = await this.hasOneOf(`refund:${id}`, `unapplied-refund:${id}`);
    const failed = await this.hasOneOf(`refund-failed:${id}`, `unapplied-refund-failed:${id}`);
    if (type.endsWith('_failure') ? failed : given) return 'booked';
    if (!source.isSealed && !(await this.isOurs(chargeId, intentId))) return 'foreign';
    // One that failed before it was booked as given is no entry: what left the balance is back in it.
    return isFailed && !given ? 'booked' : 'unbooked';
  }

  private async ofTransfer({ id, payoutId, isSealed }: SourceOf<'transfer'>): Promise<BalanceOwner> {
    const payout = await this.payout(payoutId);
    if (payout?.providerTransferId === id) return 'booked';
    return payout || isSealed ? 'unbooked' : 'foreign';
  }

  private async ofReversal({ transferId, isSealed }: SourceOf<'reversal'>): Promise<BalanceOwner> {
    const group = transferId === undefined ? undefined : await this.provider.payoutOfTransfer(transferId);
    const payout = await this.payout(group);
    if (payout?.status === 'failed' && payout.providerTransferId === transferId) return 'booked';
    return payout || isSealed ? 'unbooked' : 'foreign';
  }

  private payout(payoutId: string | undefined) {
    const isOne = payoutId !== undefined && isIdOf('out', payoutId);
    return isOne ? this.journal.look('payout', payoutId) : Promise.resolve(undefined);
  }

  private async isOurs(chargeId: string | undefined, intentId: string | undefined): Promise<boolean> {
    if (chargeId !== undefined && (await this.isBooked(chargeId))) return true;
    return intentId !== undefined && (await this.journal.paymentOfIntent(intentId)) !== undefined;
  }

  private isBooked(chargeId: string): Promise<boolean> {
    return this.hasOneOf(`settle:${chargeId}`, `unapplied:${chargeId}`);
  }

  private async hasOneOf(...keys: readonly string[]): Promise<boolean> {
    for (const key of keys) if (await this.journal.hasEntry(key)) return true;
    return false;
  }
}
