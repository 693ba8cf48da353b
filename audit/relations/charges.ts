/**
 * A charge is booked once, to a payment or as unapplied; what is given back or disputed of it is no more than
 * it brought; a dispute's money is borne as the rules share it; each balance transaction of the provider's is
 * one entry.
 */
import type { JournalEventOf } from '#contracts/events/journal';
import { Column, IdTable } from '../flat/id-table.js';
import type { Check } from '../report.js';
import type { Payments } from './payments.js';
import { differing, shown, whereOf, type JournalEntry, type Relation } from './relation.js';
import type { MadeUp, WriteOffs } from './write-offs.js';

interface Shares {
  recipientMinor: number;
  unappliedMinor: number;
}
interface Dispute extends Shares {
  /** What the platform bears of it, in the charge's currency. */
  platformMinor: number;
  /** The entry since which its recipient bears what it took. */
  since: number;
  /** How it ended last. */
  end?: 'DisputeWon' | 'DisputeLost';
}
/** A charge, of a payment or unapplied. */
interface Charge {
  /** The row of the payment that it paid, -1 where that was never opened; undefined for unapplied money. */
  readonly payment: number | undefined;
  readonly amountMinor: number;
  readonly currency: string;
  returnedMinor: number;
  refunds?: Map<string, { readonly amountMinor: number; failed: boolean }>;
  disputes?: Map<string, Dispute>;
}
type Withdrawal = JournalEntry & JournalEventOf<'DisputeFundsWithdrawn' | 'DisputeFundsReinstated'>;
type OfCharge = JournalEventOf<
  | 'DisputeOpened'
  | 'DisputeFundsWithdrawn'
  | 'DisputeFundsReinstated'
  | 'DisputeWon'
  | 'DisputeLost'
  | 'ProviderFeeBooked'
>;

/**
 * Charges by id. Most of them pay a payment as it was opened, and nothing more is heard of them: those are
 * the number of its row. Unapplied and disputed ones change, and are kept as they are.
 */
class ChargeRows {
  readonly #ids = new IdTable();
  readonly #payment = new Column(Uint32Array);
  readonly #changing = new Map<string, Charge>();

  constructor(private readonly payments: Payments) {}

  get size(): number {
    return this.#ids.size;
  }

  add(chargeId: string, charge: Charge): void {
    const row = this.#ids.row(chargeId);
    const { payment = -1, amountMinor, currency } = charge;
    const paid = payment < 0 ? undefined : this.payments.at(payment);
    if (paid?.amountMinor === amountMinor && paid.currency === currency) this.#payment.set(row, payment);
    else this.keep(chargeId, charge);
  }

  /** What is changed of this charge from here on stays. */
  keep(chargeId: string, charge: Charge): void {
    this.#changing.set(chargeId, charge);
  }

  get(chargeId: string): Charge | undefined {
    const row = this.#ids.find(chargeId);
    if (row < 0) return undefined;
    const changing = this.#changing.get(chargeId);
    if (changing) return changing;
    const payment = this.#payment.get(row);
    const { amountMinor, currency } = this.payments.at(payment);
    return { payment, amountMinor, currency, returnedMinor: 0 };
  }
}

export class Charges implements Relation {
  readonly #charges: ChargeRows;
  readonly #transactions = new IdTable();
  /** The disputed charge of a payment, by the payment's row. */
  readonly #disputedOf = new Map<number, string>();
  /** Refunds of unapplied money. */
  readonly #refunds = new IdTable();
  readonly #findings: string[] = [];

  constructor(
    private readonly payments: Payments,
    private readonly writeOffs: WriteOffs,
  ) {
    this.#charges = new ChargeRows(payments);
  }

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
        const payment = this.payments.rowOf(paymentId);
        return this.#book(chargeId, { payment, amountMinor, currency, returnedMinor: 0 });
      }
      case 'UnappliedReceived': {
        const { chargeId, amountMinor, currency } = entry.data;
        return this.#book(chargeId, { payment: undefined, amountMinor, currency, returnedMinor: 0 });
      }
      case 'PaymentRefunded':
        return [
          ...(this.#refunds.has(entry.data.refundId)
            ? [`refund ${entry.data.refundId} was booked of unapplied money before`]
            : []),
          ...this.#refunded(entry),
        ];
      case 'RefundFailed':
        return this.#refundFailed(entry);
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
        return [
          ...this.#once(entry.data.balanceTransactionId, 'fee'),
          ...this.#charged(entry),
          ...this.#net(entry),
        ];
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
    return [`charge ${chargeId} was booked before, as ${this.#useOf(before)}`];
  }

  /**
   * A balance transaction is one fee, or moves one dispute's money: not both of the platform's own and these.
   */
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
    const again =
      this.#refunds.has(data.refundId) || this.payments.isRefund(data.refundId)
        ? [`refund ${data.refundId} was booked before`]
        : [];
    this.#refunds.row(data.refundId);
    refunds.set(data.refundId, { amountMinor: data.amountMinor, failed: false });
    charge.returnedMinor += data.amountMinor;
    const disputes = [...(charge.disputes?.values() ?? [])];
    // What a dispute had taken of it, while it was on its way, is the platform's.
    const dueMinor = shiftToPlatform(disputes, 'unappliedMinor', -held(charge));
    charge.returnedMinor -= dueMinor;
    const { amountMinor, disputedMinor = 0, unappliedMinor = amountMinor } = data;
    return [
      ...again,
      ...differing('disputedMinor', disputedMinor, dueMinor),
      ...differing('unappliedMinor', unappliedMinor, amountMinor - dueMinor),
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
      ...this.#heldAgain(data, charge),
      ...differing('amountMinor', data.amountMinor, refund.amountMinor),
      ...differing('currency', data.currency, charge.currency),
    ];
  }

  /** What disputes took of unapplied money at the platform's cost is not held again when its refund fails. */
  #heldAgain(
    { amountMinor, unappliedMinor, disputedMinor }: JournalEventOf<'UnappliedRefundFailed'>['data'],
    charge: Charge,
  ): readonly string[] {
    if (disputedMinor === undefined && unappliedMinor === undefined) return [];
    const disputes = [...(charge.disputes?.values() ?? [])];
    const dueMinor = shiftFromPlatform(disputes, 'unappliedMinor', Math.min(amountMinor, held(charge)));
    charge.returnedMinor += dueMinor;
    return [
      ...differing('disputedMinor', disputedMinor, dueMinor),
      ...differing('unappliedMinor', unappliedMinor, amountMinor - dueMinor),
    ];
  }

  /**
   * What disputes took of a refund before it was told of is the platform's: the recipient gives nothing
   * twice.
   */
  #refunded({ data }: JournalEventOf<'PaymentRefunded'>): readonly string[] {
    const { amountMinor, refundedMinor, recipientMinor, disputedMinor } = data;
    // An older ledger took all of it from the recipient, and has no parts.
    if (disputedMinor === undefined && recipientMinor === undefined) return [];
    const { charge, disputes } = this.#disputedCharge(data.paymentId);
    const overMinor = disputes.reduce(
      (minor, dispute) => minor + dispute.recipientMinor,
      refundedMinor - (charge?.amountMinor ?? 0),
    );
    const borne = disputes.filter((dispute) => dispute.recipientMinor > 0);
    const dueMinor = shiftToPlatform(disputes, 'recipientMinor', Math.min(amountMinor, overMinor));
    for (const { since } of dueMinor > 0 ? borne : []) this.payments.hasBorneSince(data.refundId, since);
    return [
      ...differing('disputedMinor', disputedMinor, dueMinor),
      ...differing('recipientMinor', recipientMinor, amountMinor - dueMinor),
    ];
  }

  /** The charge of a payment and its disputes, where it has any. */
  #disputedCharge(paymentId: string): { readonly charge: Charge | undefined; readonly disputes: Dispute[] } {
    const chargeId = this.#disputedOf.get(this.payments.rowOf(paymentId));
    const charge = chargeId === undefined ? undefined : this.#charges.get(chargeId);
    return { charge, disputes: [...(charge?.disputes?.values() ?? [])] };
  }

  /**
   * What disputes took of a refund that failed, at the platform's cost, is borne by the recipient from then
   * on.
   */
  #refundFailed({ data }: JournalEventOf<'RefundFailed'>): readonly string[] {
    const { amountMinor, refundedMinor, recipientMinor, disputedMinor, madeUpMinor = 0 } = data;
    if (disputedMinor === undefined && recipientMinor === undefined) return [];
    const { charge, disputes } = this.#disputedCharge(data.paymentId);
    const left = disputes.reduce(
      (minor, dispute) => minor - dispute.recipientMinor,
      (charge?.amountMinor ?? 0) - refundedMinor,
    );
    const dueMinor = shiftFromPlatform(
      disputes,
      'recipientMinor',
      Math.min(amountMinor, left),
      this.payments.refundSince(data.refundId),
    );
    return [
      ...differing('disputedMinor', disputedMinor, dueMinor),
      ...differing('recipientMinor', recipientMinor, amountMinor - dueMinor - madeUpMinor),
    ];
  }

  #unapplied(chargeId: string): Charge | undefined {
    const charge = this.#charges.get(chargeId);
    return charge?.payment === undefined ? charge : undefined;
  }

  /** That the entry names the payment that the charge paid, and its parties. */
  #charged({ data }: OfCharge): readonly string[] {
    const charge = this.#charges.get(data.chargeId);
    if (!charge) return [`charge ${data.chargeId} was never booked`];
    const paid =
      charge.payment === undefined || charge.payment < 0 ? undefined : this.payments.at(charge.payment);
    const named = data.paymentId === undefined ? undefined : this.payments.rowOf(data.paymentId);
    return [
      ...(named === charge.payment
        ? []
        : [
            `paymentId is ${shown(data.paymentId)}, and charge ${data.chargeId} was booked as ${this.#useOf(charge)}`,
          ]),
      ...differing('payerId', data.payerId, paid?.payerId),
      ...differing('recipientId', data.recipientId, paid?.recipientId),
    ];
  }

  /**
   * What is left of a charge, by the provider's word, is what came less the fee: where both are of one
   * currency.
   */
  #net({ data }: JournalEventOf<'ProviderFeeBooked'>): readonly string[] {
    const charge = this.#charges.get(data.chargeId);
    if (data.netMinor === null || charge?.currency !== data.currency) return [];
    return differing('netMinor', data.netMinor, charge.amountMinor - data.amountMinor);
  }

  /** What a charge was booked as, in words. */
  #useOf({ payment }: Charge): string {
    if (payment === undefined) return 'unapplied';
    const settledAt = payment < 0 ? undefined : this.payments.at(payment).settledAt;
    return settledAt === undefined
      ? 'paying an unknown payment'
      : `paying the payment settled at revision ${settledAt}`;
  }

  #disputed(entry: JournalEventOf<'DisputeOpened' | 'DisputeWon' | 'DisputeLost'>): readonly string[] {
    const { chargeId, disputeId } = entry.data;
    const wrong = this.#charged(entry);
    const charge = this.#charges.get(chargeId);
    if (!charge) return wrong;
    this.#charges.keep(chargeId, charge);
    const disputes = (charge.disputes ??= new Map());
    const known = disputes.get(disputeId);
    if (entry.type !== 'DisputeOpened') {
      if (!known) return [...wrong, `dispute ${disputeId} was never opened`];
      // It may end otherwise later; the same end is told once.
      const again = known.end === entry.type ? [`dispute ${disputeId} had ended so before`] : [];
      known.end = entry.type;
      return [...wrong, ...again];
    }
    if (known) return [...wrong, `dispute ${disputeId} was opened before`];
    disputes.set(disputeId, { recipientMinor: 0, unappliedMinor: 0, platformMinor: 0, since: 0 });
    if (charge.payment !== undefined && charge.payment >= 0) this.#disputedOf.set(charge.payment, chargeId);
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
    const { recipientId = '' } = data;
    const madeUp: MadeUp = entry.type === 'DisputeFundsReinstated' ? entry.data : {};
    const { madeUpMinor = 0 } = madeUp;
    const wrongly = this.writeOffs.cameBack(recipientId, dispute.since, due.recipientMinor, madeUp);
    if (dispute.recipientMinor + dispute.unappliedMinor + dispute.platformMinor <= 0)
      dispute.since = entry.revision;
    dispute.recipientMinor += sign * (data.recipientMinor + madeUpMinor);
    dispute.unappliedMinor += sign * data.unappliedMinor;
    if (data.currency === charge.currency) dispute.platformMinor += sign * data.platformMinor;
    charge.returnedMinor += sign * data.unappliedMinor;
    return [
      ...wrong,
      ...wrongly,
      ...differing('recipientMinor', data.recipientMinor, due.recipientMinor - madeUpMinor),
      ...differing('unappliedMinor', data.unappliedMinor, due.unappliedMinor),
      ...differing('platformMinor', data.platformMinor, due.platformMinor),
    ];
  }

  /** What of a charge is there to be taken: what was paid, less refunds and what other disputes took. */
  #left(charge: Charge): Shares {
    if (charge.payment === undefined) return { recipientMinor: 0, unappliedMinor: Math.max(0, held(charge)) };
    let left = charge.amountMinor - (charge.payment < 0 ? 0 : this.payments.at(charge.payment).refundedMinor);
    for (const { recipientMinor } of charge.disputes?.values() ?? []) left -= recipientMinor;
    return { recipientMinor: Math.max(0, left), unappliedMinor: 0 };
  }
}

/**
 * Moves up to `mostMinor` of what the platform bears of disputes to another's share, who has borne it since
 * an entry of before; answers how much.
 */
function shiftFromPlatform(
  disputes: readonly Dispute[],
  share: 'recipientMinor' | 'unappliedMinor',
  mostMinor: number,
  since = Infinity,
): number {
  let takenMinor = 0;
  for (const dispute of disputes) {
    const minor = Math.min(Math.max(0, dispute.platformMinor), Math.max(0, mostMinor) - takenMinor);
    dispute.platformMinor -= minor;
    dispute[share] += minor;
    if (minor > 0) dispute.since = Math.min(dispute.since, since);
    takenMinor += minor;
  }
  return takenMinor;
}

/** Moves up to `mostMinor` of what another bears of disputes to the platform's share; answers how much. */
function shiftToPlatform(
  disputes: readonly Dispute[],
  share: 'recipientMinor' | 'unappliedMinor',
  mostMinor: number,
): number {
  let lostMinor = 0;
  for (const dispute of disputes) {
    const minor = Math.min(Math.max(0, dispute[share]), Math.max(0, mostMinor) - lostMinor);
    dispute[share] -= minor;
    dispute.platformMinor += minor;
    lostMinor += minor;
  }
  return lostMinor;
}

const held = ({ amountMinor, returnedMinor }: Charge): number => amountMinor - returnedMinor;

/**
 * Who bears how much: the charge's own money first, then the platform. In another currency nobody but the
 * platform.
 */
function shares(
  charge: Charge,
  own: Shares,
  { amountMinor, currency }: Withdrawal['data'],
): Shares & { readonly platformMinor: number } {
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
