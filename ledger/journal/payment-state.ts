/** What payments and unapplied money are, by their entries: each entry applied to the state before it. */
import type { JournalEventOf } from '#contracts/events/journal';
import {
  isChargeEntry,
  isPaymentEntry,
  isUnappliedEntry,
  type ChargeEntry,
  type PaymentEntry,
  type UnappliedEntry,
} from './entries.js';
import { findItem, type Known, type Question } from './find.js';
import {
  isElsewhere,
  type Books,
  type Charge,
  type Dispute,
  type NonResident,
  type KeptEntry,
  type PastEntry,
  type Payment,
  type Refund,
  type UnappliedCharge,
} from './state.js';

/** The payment, undefined when there is none, or the question that would tell. */
export const findPayment = (paymentId: string, known: Known): Payment | Question | undefined =>
  findItem(paymentId, known.books.payments, paymentFrom, known);

/** Unapplied money by its charge, also after it has all gone back. */
export const findUnapplied = (chargeId: string, known: Known): UnappliedCharge | Question | undefined =>
  findItem(chargeId, known.books.unapplied, unappliedFrom, known);

/** The provider's intent of a payment, where it has one. */
export const intentIdOf = (payment: Payment): string | undefined =>
  'intentId' in payment ? payment.intentId : undefined;

/** Applies an entry about a payment. */
export function evolvePayments(
  event: PaymentEntry,
  last: KeptEntry,
  recordedAtMs: number,
  books: Books,
): void {
  const { paymentId } = event.data;
  const payment =
    event.type === 'PaymentOpened'
      ? openedPayment(event, last, recordedAtMs)
      : nextPayment(event, books.payments.get(paymentId), last);
  books.payments.set(paymentId, payment);
  if ('intentId' in event.data && !isElsewhere(payment)) nameIntents(payment, books);
}

/** Makes it known which payment the provider's objects were recorded for; what was known already stays. */
export function nameIntents({ paymentId, intentIds }: Payment, books: Books): void {
  for (const intentId of intentIds)
    if (books.intents.get(intentId) === undefined) books.intents.set(intentId, paymentId);
}

/** Applies an entry about unapplied money. */
export function evolveUnapplied(event: UnappliedEntry, last: KeptEntry, books: Books): void {
  const { chargeId } = event.data;
  books.unapplied.set(chargeId, nextUnapplied(event, books.unapplied.get(chargeId), last));
}

/** Applies what happened to a charge: to the payment that it paid, or to unapplied money. */
export function evolveCharges(event: ChargeEntry, last: KeptEntry, books: Books): void {
  const { paymentId, chargeId } = event.data;
  if (paymentId === undefined)
    books.unapplied.set(chargeId, nextUnapplied(event, books.unapplied.get(chargeId), last));
  else books.payments.set(paymentId, nextPayment(event, books.payments.get(paymentId), last));
}

function openedPayment(
  { data }: JournalEventOf<'PaymentOpened'>,
  last: KeptEntry,
  recordedAtMs: number,
): Payment {
  const { paymentId, payerId, recipientId, amountMinor, currency, method, savedCard, occurrence } = data;
  const terms = { paymentId, payerId, recipientId, amountMinor, currency, method, savedCard, occurrence };
  const openedAt = new Date(recordedAtMs);
  const { key } = last;
  return { status: 'opened', ...terms, openedAt, key, intentIds: [], attempts: [], failure: undefined, last };
}

function nextPayment(
  event: Exclude<PaymentEntry, { type: 'PaymentOpened' }> | ChargeEntry,
  payment: Payment | NonResident | undefined,
  last: KeptEntry,
): Payment | NonResident {
  if (!payment || isElsewhere(payment)) return { status: 'elsewhere', last };
  switch (event.type) {
    case 'PaymentSubmitted': {
      const { intentId } = event.data;
      const intentIds = withIntent(payment, intentId);
      return payment.status === 'opened'
        ? { ...payment, status: 'submitted', intentId, intentIds, last }
        : { ...payment, intentIds, last };
    }
    case 'PaymentAttemptFailed': {
      const { attemptId, code, reason } = event.data;
      return { ...payment, attempts: [...payment.attempts, attemptId], failure: { code, reason }, last };
    }
    case 'PaymentSettled': {
      const { intentId, chargeId } = event.data;
      const intentIds = withIntent(payment, intentId);
      const nothingYet = { refunds: [], disputes: [], fees: [] };
      return { ...payment, status: 'settled', intentId, intentIds, chargeId, ...nothingYet, last };
    }
    case 'PaymentCanceled':
      return {
        ...payment,
        status: 'canceled',
        intentId: intentIdOf(payment),
        cancelReason: event.data.reason,
        last,
      };
    case 'PaymentRefunded':
    case 'RefundFailed': {
      if (payment.status !== 'settled') return { ...payment, last };
      const disputes = disputesAfter(event, 'recipientMinor', payment);
      return { ...payment, refunds: nextRefunds(event, payment, last), disputes, last };
    }
    default:
      return payment.status === 'settled'
        ? { ...payment, ...nextCharge(event, payment, last), last }
        : { ...payment, last };
  }
}

const withIntent = ({ intentIds }: Payment, intentId: string): readonly string[] =>
  intentIds.includes(intentId) ? intentIds : [...intentIds, intentId];

function nextUnapplied(
  event: UnappliedEntry | ChargeEntry,
  charge: UnappliedCharge | NonResident | undefined,
  last: KeptEntry,
): UnappliedCharge | NonResident {
  if (event.type === 'UnappliedReceived') {
    const { chargeId, intentId, paymentId, amountMinor, currency } = event.data;
    return {
      status: 'unapplied',
      chargeId,
      intentId,
      paymentId,
      amountMinor,
      currency,
      refunds: [],
      disputes: [],
      fees: [],
      last,
    };
  }
  if (!charge || isElsewhere(charge)) return { status: 'elsewhere', last };
  if (event.type === 'UnappliedRefunded' || event.type === 'UnappliedRefundFailed') {
    const disputes = disputesAfter(event, 'unappliedMinor', charge);
    return { ...charge, refunds: nextRefunds(event, charge, last), disputes, last };
  }
  return { ...charge, ...nextCharge(event, charge, last), last };
}

type RefundEntry = JournalEventOf<
  'PaymentRefunded' | 'RefundFailed' | 'UnappliedRefunded' | 'UnappliedRefundFailed'
>;

/**
 * Who bears the disputes after a refund: what they took of it, the platform, and the other again once the
 * refund fails.
 */
function disputesAfter(
  event: RefundEntry,
  share: 'recipientMinor' | 'unappliedMinor',
  { disputes, refunds }: Charge,
): readonly Dispute[] {
  const { disputedMinor = 0, refundId } = event.data;
  if (event.type === 'PaymentRefunded' || event.type === 'UnappliedRefunded')
    return borneByPlatform(share, disputes, disputedMinor);
  // What the refund had taken is borne as disputed from then on, and has been borne since the refund.
  const since = refunds.find((refund) => refund.refundId === refundId)?.since;
  return borneBy(share, disputes, disputedMinor, since);
}

function nextRefunds(
  event: RefundEntry,
  { refunds, disputes }: Charge,
  { revision }: KeptEntry,
): readonly Refund[] {
  const { refundId, amountMinor, disputedMinor = 0 } = event.data;
  if (event.type !== 'PaymentRefunded' && event.type !== 'UnappliedRefunded')
    return refunds.map((refund) => (refund.refundId === refundId ? { ...refund, failed: true } : refund));
  // What a dispute had taken of it has been borne since the dispute.
  const before = disputedMinor > 0 ? disputes.filter(({ recipientMinor }) => recipientMinor > 0) : [];
  const since = Math.min(revision, ...before.map((dispute) => dispute.since));
  return [...refunds, { refundId, amountMinor, failed: false, since }];
}

/**
 * So much of what disputes took at the platform's cost is another's to bear, in the order of the disputes.
 */
function borneBy(
  share: 'recipientMinor' | 'unappliedMinor',
  disputes: readonly Dispute[],
  disputedMinor: number,
  since = Infinity,
): readonly Dispute[] {
  let leftMinor = disputedMinor;
  return disputes.map((dispute) => {
    const minor = Math.min(leftMinor, Math.max(0, dispute.platformMinor));
    leftMinor -= minor;
    return {
      ...dispute,
      [share]: dispute[share] + minor,
      platformMinor: dispute.platformMinor - minor,
      since: minor > 0 ? Math.min(dispute.since, since) : dispute.since,
    };
  });
}

/**
 * So much of what disputes took at another's cost is the platform's to bear after all, in the order of the
 * disputes.
 */
function borneByPlatform(
  share: 'recipientMinor' | 'unappliedMinor',
  disputes: readonly Dispute[],
  disputedMinor: number,
): readonly Dispute[] {
  let leftMinor = disputedMinor;
  return disputes.map((dispute) => {
    const minor = Math.min(leftMinor, Math.max(0, dispute[share]));
    leftMinor -= minor;
    return { ...dispute, [share]: dispute[share] - minor, platformMinor: dispute.platformMinor + minor };
  });
}

/** What disputes and fees have made of a charge. */
function nextCharge(
  event: ChargeEntry,
  charge: Charge,
  { revision }: KeptEntry,
): Pick<Charge, 'disputes' | 'fees'> {
  const { disputes, fees } = charge;
  if (event.type === 'ProviderFeeBooked')
    return { disputes, fees: [...fees, event.data.balanceTransactionId] };
  const { disputeId } = event.data;
  if (event.type === 'DisputeOpened')
    return { disputes: [...disputes, { ...NOTHING_BORNE, disputeId }], fees };
  const next = (dispute: Dispute): Dispute => {
    switch (event.type) {
      case 'DisputeWon':
        return { ...dispute, status: 'won', closedAfter: dispute.transactions.length };
      case 'DisputeLost':
        return { ...dispute, status: 'lost', closedAfter: dispute.transactions.length };
      default: {
        const sign = event.type === 'DisputeFundsWithdrawn' ? 1 : -1;
        const { unappliedMinor, feeMinor, balanceTransactionId } = event.data;
        const platformMinor = event.data.currency === charge.currency ? event.data.platformMinor : 0;
        // What made up for their debt was the recipient's all the same.
        const recipientMinor = shareOfRecipient(event);
        const isNew = dispute.recipientMinor + dispute.unappliedMinor + dispute.platformMinor <= 0;
        return {
          ...dispute,
          since: isNew ? revision : dispute.since,
          recipientMinor: dispute.recipientMinor + sign * recipientMinor,
          unappliedMinor: dispute.unappliedMinor + sign * unappliedMinor,
          platformMinor: dispute.platformMinor + sign * platformMinor,
          feeMinor: dispute.feeMinor + sign * feeMinor,
          transactions: [...dispute.transactions, balanceTransactionId],
        };
      }
    }
  };
  return {
    disputes: disputes.map((dispute) => (dispute.disputeId === disputeId ? next(dispute) : dispute)),
    fees,
  };
}

const NOTHING_BORNE = {
  status: 'open',
  recipientMinor: 0,
  unappliedMinor: 0,
  platformMinor: 0,
  feeMinor: 0,
  transactions: [],
  closedAfter: 0,
  since: 0,
} as const;

const shareOfRecipient = ({
  type,
  data,
}: JournalEventOf<'DisputeFundsWithdrawn' | 'DisputeFundsReinstated'>): number =>
  data.recipientMinor + (type === 'DisputeFundsReinstated' ? (data.madeUpMinor ?? 0) : 0);

/** Folds one payment's entries, as the archive read them from the log, in order. */
export function paymentFrom(past: readonly PastEntry[]): Payment | undefined {
  let payment: Payment | NonResident | undefined;
  for (const { event, last, recordedAtMs } of past)
    if (event.type === 'PaymentOpened') payment = openedPayment(event, last, recordedAtMs);
    else if (isPaymentEntry(event) || isChargeEntry(event)) payment = nextPayment(event, payment, last);
  return payment && !isElsewhere(payment) ? payment : undefined;
}

/** Folds one unapplied charge's entries. */
export function unappliedFrom(past: readonly PastEntry[]): UnappliedCharge | undefined {
  let charge: UnappliedCharge | NonResident | undefined;
  for (const { event, last } of past)
    if (isUnappliedEntry(event) || isChargeEntry(event)) charge = nextUnapplied(event, charge, last);
  return charge && !isElsewhere(charge) ? charge : undefined;
}
