/**
 * A charge is booked once, to a payment or as unapplied; what is given back or disputed of it is no more than it
 * brought; a dispute's money is borne as the rules share it; each balance transaction of the provider's is one entry.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import { Column, IdTable, Names, TextColumn } from '../flat/id-table.js';
import type { Check } from '../report.js';
import type { Payments } from './payments.js';
import { differing, whereOf, type JournalEntry, type Relation } from './relation.js';

interface Dispute {
  recipientMinor: number;
  unappliedMinor: number;
}
/** A charge, of a payment or unapplied. */
interface Charge {
  readonly paymentId?: string;
  readonly amountMinor: number;
  readonly currency: string;
  returnedMinor: number;
  refunds?: Map<string, { readonly amountMinor: number; failed: boolean }>;
  disputes?: Map<string, Dispute>;
}
type Withdrawal = JournalEventOf<'DisputeFundsWithdrawn' | 'DisputeFundsReinstated'>;
type OfCharge = JournalEventOf<
  | 'DisputeOpened'
  | 'DisputeFundsWithdrawn'
  | 'DisputeFundsReinstated'
  | 'DisputeWon'
  | 'DisputeLost'
  | 'ProviderFeeBooked'
>;

/**
 * Charges by id. Most of them pay a payment and nothing more is heard of them: those are rows of numbers. Unapplied and
 * disputed ones change, and are kept as they are.
 */
class ChargeRows {
  readonly #ids = new IdTable();
  readonly #paymentId = new TextColumn();
  readonly #amountMinor = new Column(Float64Array);
  readonly #currency = new Column(Uint32Array);
  readonly #currencies = new Names();
  readonly #changing = new Map<string, Charge>();

  get size(): number {
    return this.#ids.size;
  }

  add(chargeId: string, charge: Charge): void {
    const row = this.#ids.row(chargeId);
    if (charge.paymentId === undefined) return this.keep(chargeId, charge);
    this.#paymentId.set(row, charge.paymentId);
    this.#amountMinor.set(row, charge.amountMinor);
    this.#currency.set(row, this.#currencies.numberOf(charge.currency));
  }

  /** What is changed of this charge from here on stays. */
  keep(chargeId: string, charge: Charge): void {
    this.#changing.set(chargeId, charge);
  }

  get(chargeId: string): Charge | undefined {
    const row = this.#ids.find(chargeId);
    if (row < 0) return undefined;
    return (
      this.#changing.get(chargeId) ?? {
        paymentId: this.#paymentId.get(row)!,
        amountMinor: this.#amountMinor.get(row),
        currency: this.#currencies.nameOf(this.#currency.get(row)),
        returnedMinor: 0,
      }
    );
  }
}

export class Charges implements Relation {
  readonly #charges = new ChargeRows();
  readonly #transactions = new IdTable();
  readonly #findings: string[] = [];

  constructor(private readonly payments: Payments) {}

  entry(entry: JournalEntry): void {
    const wrong = this.#wrong(entry);
    if (wrong.length > 0) this.#findings.push(`${whereOf(entry)}: ${entry.type}: ${wrong.join('; ')}`);
  }

  check(): Check {
    return {
      name: 'charges, disputes and fees fit',
      figure: `${this.#charges.size} charges, ${this.#transactions.size} balance transactions`,
      findings: this.#findings,
    };
  }

  #wrong(entry: JournalEntry): readonly string[] {
    switch (entry.type) {
      case 'PaymentSettled': {
        const { chargeId, paymentId, amountMinor, currency } = entry.data;
        return this.#book(chargeId, { paymentId, amountMinor, currency, returnedMinor: 0 });
      }
      case 'UnappliedReceived': {
        const { chargeId, amountMinor, currency } = entry.data;
        return this.#book(chargeId, { amountMinor, currency, returnedMinor: 0 });
      }
      case 'UnappliedRefunded':
        return this.#returned(entry);
      case 'UnappliedRefundFailed':
        return this.#returnFailed(entry);
      case 'DisputeOpened':
      case 'DisputeWon':
      case 'DisputeLost':
        return this.#disputed(entry);
      case 'DisputeFundsWithdrawn':
      case 'DisputeFundsReinstated':
        return [...this.#once(entry.data.balanceTransactionId, 'dispute'), ...this.#moved(entry)];
      case 'ProviderFeeBooked':
        return [...this.#once(entry.data.balanceTransactionId, 'fee'), ...this.#charged(entry)];
      case 'PlatformFunded':
      case 'PlatformFundingReversed':
      case 'PlatformPaidOut':
      case 'PlatformPayoutReturned':
      case 'ProviderCharged':
      case 'ProviderChargeReturned':
        return [...this.#platformOnly(entry.data.balanceTransactionId), ...wrongType(entry)];
      default:
        return [];
    }
  }

  #book(chargeId: string, charge: Charge): readonly string[] {
    const before = this.#charges.get(chargeId);
    if (!before) this.#charges.add(chargeId, charge);
    if (!before) return [];
    const as = before.paymentId === undefined ? 'unapplied' : `paying payment ${before.paymentId}`;
    return [`charge ${chargeId} was booked before, as ${as}`];
  }

  /** A balance transaction is one fee, or moves one dispute's money: not both of the platform's own and these. */
  #once(transactionId: string, as: 'fee' | 'dispute'): readonly string[] {
    const name = `${as} ${transactionId}`;
    const taken = [name, `own ${transactionId}`].filter((other) => this.#transactions.find(other) >= 0);
    this.#transactions.row(name);
    return taken.length > 0 ? [`balance transaction ${transactionId} was booked before`] : [];
  }

  #platformOnly(transactionId: string): readonly string[] {
    const taken = ['fee', 'dispute', 'own'].some(
      (as) => this.#transactions.find(`${as} ${transactionId}`) >= 0,
    );
    this.#transactions.row(`own ${transactionId}`);
    return taken ? [`balance transaction ${transactionId} was booked before`] : [];
  }

  #returned({ data }: JournalEventOf<'UnappliedRefunded'>): readonly string[] {
    const charge = this.#unapplied(data.chargeId);
    if (!charge) return [`charge ${data.chargeId} is not unapplied money`];
    const refunds = (charge.refunds ??= new Map());
    const again = refunds.has(data.refundId) ? [`refund ${data.refundId} was booked before`] : [];
    refunds.set(data.refundId, { amountMinor: data.amountMinor, failed: false });
    charge.returnedMinor += data.amountMinor;
    return [
      ...again,
      ...differing('currency', data.currency, charge.currency),
      ...(held(charge) < 0
        ? [`${charge.returnedMinor} minor units go back, of ${charge.amountMinor} that came`]
        : []),
    ];
  }

  #returnFailed({ data }: JournalEventOf<'UnappliedRefundFailed'>): readonly string[] {
    const charge = this.#unapplied(data.chargeId);
    const refund = charge?.refunds?.get(data.refundId);
    if (!charge || !refund) return [`there was no refund ${data.refundId} of charge ${data.chargeId}`];
    const again = refund.failed ? [`refund ${data.refundId} had failed before`] : [];
    refund.failed = true;
    charge.returnedMinor -= refund.amountMinor;
    return [
      ...again,
      ...differing('amountMinor', data.amountMinor, refund.amountMinor),
      ...differing('currency', data.currency, charge.currency),
    ];
  }

  #unapplied(chargeId: string): Charge | undefined {
    const charge = this.#charges.get(chargeId);
    return charge?.paymentId === undefined ? charge : undefined;
  }

  /** That the entry names the payment that the charge paid, and its parties. */
  #charged({ data }: OfCharge): readonly string[] {
    const charge = this.#charges.get(data.chargeId);
    if (!charge) return [`charge ${data.chargeId} was never booked`];
    const parties = charge.paymentId === undefined ? undefined : this.payments.partiesOf(charge.paymentId);
    return [
      ...differing('paymentId', data.paymentId, charge.paymentId),
      ...differing('payerId', data.payerId, parties?.payerId),
      ...differing('recipientId', data.recipientId, parties?.recipientId),
    ];
  }

  #disputed(entry: JournalEventOf<'DisputeOpened' | 'DisputeWon' | 'DisputeLost'>): readonly string[] {
    const { chargeId, disputeId } = entry.data;
    const wrong = this.#charged(entry);
    const charge = this.#charges.get(chargeId);
    if (!charge) return wrong;
    this.#charges.keep(chargeId, charge);
    const disputes = (charge.disputes ??= new Map());
    const isKnown = disputes.has(disputeId);
    if (entry.type !== 'DisputeOpened')
      return isKnown ? wrong : [...wrong, `dispute ${disputeId} was never opened`];
    if (isKnown) return [...wrong, `dispute ${disputeId} was opened before`];
    disputes.set(disputeId, { recipientMinor: 0, unappliedMinor: 0 });
    return wrong;
  }

  #moved(entry: Withdrawal): readonly string[] {
    const { data } = entry;
    const wrong = this.#charged(entry);
    const charge = this.#charges.get(data.chargeId);
    const dispute = charge?.disputes?.get(data.disputeId);
    if (!charge || !dispute) return [...wrong, `dispute ${data.disputeId} was never opened`];
    const own = entry.type === 'DisputeFundsWithdrawn' ? this.#left(charge) : dispute;
    const due = shares(charge, own, data);
    const sign = entry.type === 'DisputeFundsWithdrawn' ? 1 : -1;
    dispute.recipientMinor += sign * data.recipientMinor;
    dispute.unappliedMinor += sign * data.unappliedMinor;
    charge.returnedMinor += sign * data.unappliedMinor;
    return [
      ...wrong,
      ...differing('recipientMinor', data.recipientMinor, due.recipientMinor),
      ...differing('unappliedMinor', data.unappliedMinor, due.unappliedMinor),
      ...differing('platformMinor', data.platformMinor, due.platformMinor),
    ];
  }

  /** What of a charge is there to be taken: what was paid, less refunds and what other disputes took. */
  #left(charge: Charge): Dispute {
    if (charge.paymentId === undefined)
      return { recipientMinor: 0, unappliedMinor: Math.max(0, held(charge)) };
    let left = charge.amountMinor - this.payments.refundedOf(charge.paymentId);
    for (const { recipientMinor } of charge.disputes?.values() ?? []) left -= recipientMinor;
    return { recipientMinor: Math.max(0, left), unappliedMinor: 0 };
  }
}

const held = ({ amountMinor, returnedMinor }: Charge): number => amountMinor - returnedMinor;

/** Who bears how much: the charge's own money first, then the platform. In another currency nobody but the platform. */
function shares(
  charge: Charge,
  own: Dispute,
  { amountMinor, currency }: Withdrawal['data'],
): Dispute & { readonly platformMinor: number } {
  if (currency !== charge.currency)
    return { recipientMinor: 0, unappliedMinor: 0, platformMinor: amountMinor };
  const recipientMinor = Math.min(amountMinor, own.recipientMinor);
  const unappliedMinor = Math.min(amountMinor - recipientMinor, own.unappliedMinor);
  return { recipientMinor, unappliedMinor, platformMinor: amountMinor - recipientMinor - unappliedMinor };
}

/** The provider's types that may stand in entries of the platform's own money. */
const TOP_UPS = ['topup', 'topup_reversal'];
const PAYOUTS = [
  'payout',
  'payout_cancel',
  'payout_failure',
  'payout_minimum_balance_hold',
  'payout_minimum_balance_release',
];
/** Those of people's payments and payouts: other entries book them. */
const OF_PEOPLE = [
  'charge',
  'payment',
  'payment_failure_refund',
  'payment_refund',
  'payment_reversal',
  'refund',
  'refund_failure',
  'transfer',
  'transfer_cancel',
  'transfer_failure',
  'transfer_refund',
];

type PlatformMoney = JournalEventOf<
  | 'PlatformFunded'
  | 'PlatformFundingReversed'
  | 'PlatformPaidOut'
  | 'PlatformPayoutReturned'
  | 'ProviderCharged'
  | 'ProviderChargeReturned'
>;

function wrongType({ type, data: { providerType } }: PlatformMoney): readonly string[] {
  const isTopUp = TOP_UPS.includes(providerType);
  const isPayout = PAYOUTS.includes(providerType);
  const fits =
    type === 'PlatformFunded' || type === 'PlatformFundingReversed'
      ? isTopUp
      : type === 'PlatformPaidOut' || type === 'PlatformPayoutReturned'
        ? isPayout
        : !isTopUp && !isPayout && !OF_PEOPLE.includes(providerType);
  return fits ? [] : [`the provider's "${providerType}" is not booked by such an entry`];
}
