/** The rules of payments, and of money that comes in without one. */
import { available, platform } from '#contracts/plain/accounts';
import type { JournalEvent, JournalEventOf, UnappliedReason } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import type { Command } from './commands.js';
import { ask, asked, entry, repeat, type Case, type Decision } from './decision.js';
import { findEntry, findItem, isQuestion, type Known, type Question } from './find.js';
import {
  heldOf,
  isElsewhere,
  refundedOf,
  type Books,
  type Charge,
  type Dispute,
  type Elsewhere,
  type KeptEntry,
  type PastEntry,
  type Payment,
  type Refund,
  type Settled,
  type Unapplied,
} from './state.js';

/**
 * Attempts of one payment that are told apart; a payer who fails more often than this is no longer written
 * down.
 */
const MAX_ATTEMPTS = 100;

/** The payment, undefined when there is none, or the question that would tell. */
export const findPayment = (paymentId: string, known: Known): Payment | Question | undefined =>
  findItem(paymentId, known.books.payments, paymentFrom, known);

/** Unapplied money by its charge, also after it has all gone back. */
export const findUnapplied = (chargeId: string, known: Known): Unapplied | Question | undefined =>
  findItem(chargeId, known.books.unapplied, unappliedFrom, known);

interface Parties {
  readonly payerId: string;
  readonly recipientId: string;
}

/** Why nothing can pass between these two, if so. */
export function partiesProblem(
  { payerId, recipientId }: Parties,
  books: Books,
): 'RecipientNotFound' | 'PayerNotFound' | 'SamePerson' | undefined {
  if (!books.isOpen(recipientId)) return 'RecipientNotFound';
  if (!books.isOpen(payerId)) return 'PayerNotFound';
  return payerId === recipientId ? 'SamePerson' : undefined;
}

/** Throws Rejected unless both are known and not the same person. */
function assertParties({ payerId, recipientId }: Parties, books: Books): void {
  const problem = partiesProblem({ payerId, recipientId }, books);
  if (problem) throw new Rejected(problem, { payerId, recipientId });
}

export function openPayment(command: Command<'OpenPayment'>, known: Case): Decision {
  const { books } = known;
  return asked(known, (key) => {
    assertParties(command, books);
    const { type: _, ...data } = command;
    return entry(key, { type: 'PaymentOpened', data });
  });
}

export function postTransfer(command: Command<'PostTransfer'>, known: Case): Decision {
  const { books } = known;
  return asked(known, (key) => {
    assertParties(command, books);
    const { type: _, ...terms } = command;
    const { payerId, recipientId, amountMinor } = terms;
    assertCovered(available(payerId), amountMinor, books);
    const postings = [{ debit: available(payerId), credit: available(recipientId), amountMinor }];
    return entry(key, { type: 'TransferPosted', data: { ...terms, postings } });
  });
}

/** The rule of people's accounts: none goes below zero by its owner's act. `details` go to the sentence. */
export function assertCovered(
  account: string,
  amountMinor: number,
  books: Books,
  details: object = {},
): void {
  const covered = books.balanceOf(account) ?? 0;
  if (covered < amountMinor)
    throw new Rejected('InsufficientFunds', { available: covered, asked: amountMinor, ...details });
}

/**
 * A proven provider success is always booked: to the payment it pays, or, where none explains it, as
 * unapplied.
 */
export function settlePayment(command: Command<'SettlePayment'>, known: Known): Decision {
  const { paymentId, intentId, chargeId, amountMinor, currency, occurredAt } = command;
  const payment = paymentId === undefined ? undefined : findPayment(paymentId, known);
  if (isQuestion(payment)) return ask(payment);
  const key = `settle:${chargeId}`;
  if (payment?.status === 'settled' && payment.chargeId === chargeId) return repeat(key, payment.last);

  // One charge is booked once, whatever payments its metadata may have named over time, and stays what it was
  // booked as.
  const happenedAt = occurredAt;
  const unappliedKey = `unapplied:${chargeId}`;
  const kept = known.books.unapplied.get(chargeId)?.last ?? findEntry(unappliedKey, known, { happenedAt });
  if (isQuestion(kept)) return ask(kept);
  if (kept) return repeat(unappliedKey, kept);
  const paid = findEntry(key, known, { happenedAt });
  if (isQuestion(paid)) return ask(paid);
  if (paid) return repeat(key, paid);

  const unapplied = (reason: UnappliedReason): Decision => {
    const postings = [
      { debit: platform('card-clearing', currency), credit: platform('unapplied', currency), amountMinor },
    ];
    return entry(unappliedKey, {
      type: 'UnappliedReceived',
      data: { chargeId, intentId, paymentId, amountMinor, currency, reason, occurredAt, postings },
    });
  };
  if (paymentId === undefined || payment === undefined) return unapplied('unknown-payment');
  if (payment.status === 'settled') return unapplied('already-settled');
  if (payment.currency !== currency) return unapplied('currency-differs');
  if (payment.amountMinor !== amountMinor) return unapplied('amount-differs');
  // An attempt that was ended stays so: another may collect the occurrence, or the schedule has told its
  // payer that it failed.
  if (payment.status === 'canceled' && payment.occurrence) return unapplied('attempt-ended');
  const { payerId, recipientId, occurrence } = payment;
  const postings = [{ debit: platform('card-clearing'), credit: available(recipientId), amountMinor }];
  return entry(key, {
    type: 'PaymentSettled',
    data: {
      paymentId,
      payerId,
      recipientId,
      amountMinor,
      currency,
      intentId,
      chargeId,
      occurredAt,
      occurrence,
      postings,
    },
  });
}

/** Unapplied money goes back, all of it or in parts. */
export function refundUnapplied(command: Command<'RefundUnapplied'>, known: Known): Decision {
  const { chargeId, refundId, amountMinor, occurredAt } = command;
  const charge = findUnapplied(chargeId, known);
  if (isQuestion(charge)) return ask(charge);
  if (!charge) throw new Rejected('UnappliedNotFound', { chargeId });
  const key = `unapplied-refund:${refundId}`;
  if (charge.refunds.some((refund) => refund.refundId === refundId)) return repeat(key, charge.last);
  if (amountMinor > heldOf(charge))
    throw new Rejected('RefundNotHeld', { asked: amountMinor, held: heldOf(charge) });
  const { currency } = charge;
  const postings = [
    { debit: platform('unapplied', currency), credit: platform('card-clearing', currency), amountMinor },
  ];
  return entry(key, {
    type: 'UnappliedRefunded',
    data: { chargeId, refundId, amountMinor, currency, occurredAt, postings },
  });
}

/** A refund of unapplied money did not arrive: it is held again, and must go back another time. */
export function failUnappliedRefund(command: Command<'FailUnappliedRefund'>, known: Known): Decision {
  const { chargeId, refundId, reason, occurredAt } = command;
  const charge = findUnapplied(chargeId, known);
  if (isQuestion(charge)) return ask(charge);
  if (!charge) throw new Rejected('UnappliedNotFound', { chargeId });
  const key = `unapplied-refund-failed:${refundId}`;
  const refund = charge.refunds.find((known) => known.refundId === refundId);
  if (!refund) throw new Rejected('RefundNotFound', { chargeId, refundId });
  if (refund.failed) return repeat(key, charge.last);
  const { currency } = charge;
  const { amountMinor } = refund;
  const postings = [
    { debit: platform('card-clearing', currency), credit: platform('unapplied', currency), amountMinor },
  ];
  return entry(key, {
    type: 'UnappliedRefundFailed',
    data: { chargeId, refundId, amountMinor, currency, reason, occurredAt, postings },
  });
}

type AboutPayment = Command<
  'SubmitPayment' | 'RecordFailedAttempt' | 'CancelPayment' | 'RefundPayment' | 'FailRefund'
>;

export function aboutPayment(command: AboutPayment, known: Known): Decision {
  const { paymentId } = command;
  const payment = findPayment(paymentId, known);
  if (payment === undefined) throw new Rejected('PaymentNotFound', { paymentId });
  if (isQuestion(payment)) return ask(payment);
  const { occurrence } = payment;
  switch (command.type) {
    case 'SubmitPayment': {
      const key = `submit:${paymentId}`;
      if (payment.status === 'canceled' && payment.intentId === undefined)
        throw new Rejected('PaymentCanceled', { paymentId });
      if (payment.status !== 'opened') return repeat(key, payment.last);
      return entry(key, { type: 'PaymentSubmitted', data: { paymentId, intentId: command.intentId } });
    }
    case 'RecordFailedAttempt': {
      const { attemptId, code, reason, occurredAt } = command;
      const key = `attempt:${attemptId}`;
      if (payment.attempts.includes(attemptId) || payment.attempts.length >= MAX_ATTEMPTS)
        return repeat(key, payment.last);
      return entry(key, {
        type: 'PaymentAttemptFailed',
        data: { paymentId, attemptId, code, reason, occurredAt, occurrence },
      });
    }
    case 'CancelPayment': {
      const key = `cancel:${paymentId}`;
      const { intentId, reason, occurredAt } = command;
      if (payment.status === 'canceled') return repeat(key, payment.last);
      if (payment.status === 'settled') throw new Rejected('PaymentAlreadySettled', { paymentId });
      // Failures of the provider may have made a second intent; the end of that one is not the payment's.
      if (payment.status === 'submitted' && intentId !== undefined && intentId !== payment.intentId)
        return repeat(key, payment.last);
      return entry(key, { type: 'PaymentCanceled', data: { paymentId, reason, occurredAt, occurrence } });
    }
    case 'RefundPayment': {
      const { refundId, amountMinor, occurredAt } = command;
      const key = `refund:${refundId}`;
      const settled = mustBeSettled(paymentId, payment);
      if (settled.refunds.some((refund) => refund.refundId === refundId)) return repeat(key, settled.last);
      const refundedMinor = refundedOf(settled) + amountMinor;
      if (refundedMinor > settled.amountMinor)
        throw new Rejected('RefundExceedsPayment', { paymentId, asked: amountMinor, refundedMinor });
      const postings = [
        { debit: available(settled.recipientId), credit: platform('card-clearing'), amountMinor },
      ];
      return entry(key, {
        type: 'PaymentRefunded',
        data: {
          ...refundTerms(paymentId, settled),
          refundId,
          amountMinor,
          refundedMinor,
          occurredAt,
          postings,
        },
      });
    }
    case 'FailRefund': {
      const { refundId, reason, occurredAt } = command;
      const key = `refund-failed:${refundId}`;
      const settled = mustBeSettled(paymentId, payment);
      const refund = settled.refunds.find((known) => known.refundId === refundId);
      if (!refund) throw new Rejected('RefundNotFound', { paymentId, refundId });
      if (refund.failed) return repeat(key, settled.last);
      const { amountMinor } = refund;
      const refundedMinor = refundedOf(settled) - amountMinor;
      const postings = [
        { debit: platform('card-clearing'), credit: available(settled.recipientId), amountMinor },
      ];
      return entry(key, {
        type: 'RefundFailed',
        data: {
          ...refundTerms(paymentId, settled),
          refundId,
          amountMinor,
          refundedMinor,
          reason,
          occurredAt,
          postings,
        },
      });
    }
  }
}

function mustBeSettled(paymentId: string, payment: Payment): Settled {
  if (payment.status !== 'settled')
    throw new Rejected('PaymentNotSettled', { paymentId, status: payment.status });
  return payment;
}

const refundTerms = (paymentId: string, { payerId, recipientId, amountMinor }: Settled) => ({
  paymentId,
  payerId,
  recipientId,
  originalMinor: amountMinor,
});

export type PaymentEntry = JournalEventOf<
  | 'PaymentOpened'
  | 'PaymentSubmitted'
  | 'PaymentAttemptFailed'
  | 'PaymentSettled'
  | 'PaymentCanceled'
  | 'PaymentRefunded'
  | 'RefundFailed'
>;
export type UnappliedEntry = JournalEventOf<
  'UnappliedReceived' | 'UnappliedRefunded' | 'UnappliedRefundFailed'
>;
export type ChargeEntry = JournalEventOf<
  | 'DisputeOpened'
  | 'DisputeFundsWithdrawn'
  | 'DisputeFundsReinstated'
  | 'DisputeWon'
  | 'DisputeLost'
  | 'ProviderFeeBooked'
>;

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
  books.payments.set(
    paymentId,
    event.type === 'PaymentOpened'
      ? openedPayment(event, last, recordedAtMs)
      : nextPayment(event, books.payments.get(paymentId), last),
  );
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
  return { status: 'opened', ...terms, openedAt, attempts: [], failure: undefined, last };
}

function nextPayment(
  event: Exclude<PaymentEntry, { type: 'PaymentOpened' }> | ChargeEntry,
  payment: Payment | Elsewhere | undefined,
  last: KeptEntry,
): Payment | Elsewhere {
  if (!payment || isElsewhere(payment)) return { status: 'elsewhere', last };
  switch (event.type) {
    case 'PaymentSubmitted':
      return payment.status === 'opened'
        ? { ...payment, status: 'submitted', intentId: event.data.intentId, last }
        : { ...payment, last };
    case 'PaymentAttemptFailed': {
      const { attemptId, code, reason } = event.data;
      return { ...payment, attempts: [...payment.attempts, attemptId], failure: { code, reason }, last };
    }
    case 'PaymentSettled': {
      const { intentId, chargeId } = event.data;
      return { ...payment, status: 'settled', intentId, chargeId, refunds: [], disputes: [], fees: [], last };
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
    case 'RefundFailed':
      return payment.status === 'settled'
        ? { ...payment, refunds: nextRefunds(event, payment), last }
        : { ...payment, last };
    default:
      return payment.status === 'settled'
        ? { ...payment, ...nextCharge(event, payment), last }
        : { ...payment, last };
  }
}

function nextUnapplied(
  event: UnappliedEntry | ChargeEntry,
  charge: Unapplied | Elsewhere | undefined,
  last: KeptEntry,
): Unapplied | Elsewhere {
  if (event.type === 'UnappliedReceived') {
    const { chargeId, intentId, amountMinor, currency } = event.data;
    return {
      status: 'unapplied',
      chargeId,
      intentId,
      amountMinor,
      currency,
      refunds: [],
      disputes: [],
      fees: [],
      last,
    };
  }
  if (!charge || isElsewhere(charge)) return { status: 'elsewhere', last };
  if (event.type === 'UnappliedRefunded' || event.type === 'UnappliedRefundFailed')
    return { ...charge, refunds: nextRefunds(event, charge), last };
  return { ...charge, ...nextCharge(event, charge), last };
}

type RefundEntry = JournalEventOf<
  'PaymentRefunded' | 'RefundFailed' | 'UnappliedRefunded' | 'UnappliedRefundFailed'
>;

function nextRefunds(event: RefundEntry, { refunds }: Charge): readonly Refund[] {
  const { refundId, amountMinor } = event.data;
  if (event.type === 'PaymentRefunded' || event.type === 'UnappliedRefunded')
    return [...refunds, { refundId, amountMinor, failed: false }];
  return refunds.map((refund) => (refund.refundId === refundId ? { ...refund, failed: true } : refund));
}

/** What disputes and fees have made of a charge. */
function nextCharge(event: ChargeEntry, charge: Charge): Pick<Charge, 'disputes' | 'fees'> {
  const { disputes, fees } = charge;
  if (event.type === 'ProviderFeeBooked')
    return { disputes, fees: [...fees, event.data.balanceTransactionId] };
  const { disputeId } = event.data;
  if (event.type === 'DisputeOpened')
    return { disputes: [...disputes, { ...NOTHING_BORNE, disputeId }], fees };
  const next = (dispute: Dispute): Dispute => {
    switch (event.type) {
      case 'DisputeWon':
        return { ...dispute, status: 'won' };
      case 'DisputeLost':
        return { ...dispute, status: 'lost' };
      default: {
        const sign = event.type === 'DisputeFundsWithdrawn' ? 1 : -1;
        const { recipientMinor, unappliedMinor, platformMinor, feeMinor, balanceTransactionId } = event.data;
        return {
          ...dispute,
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
} as const;

const PAYMENT_ENTRIES: ReadonlySet<JournalEvent['type']> = new Set([
  'PaymentOpened',
  'PaymentSubmitted',
  'PaymentAttemptFailed',
  'PaymentSettled',
  'PaymentCanceled',
  'PaymentRefunded',
  'RefundFailed',
] satisfies PaymentEntry['type'][]);
const UNAPPLIED_ENTRIES: ReadonlySet<JournalEvent['type']> = new Set([
  'UnappliedReceived',
  'UnappliedRefunded',
  'UnappliedRefundFailed',
] satisfies UnappliedEntry['type'][]);
const CHARGE_ENTRIES: ReadonlySet<JournalEvent['type']> = new Set([
  'DisputeOpened',
  'DisputeFundsWithdrawn',
  'DisputeFundsReinstated',
  'DisputeWon',
  'DisputeLost',
  'ProviderFeeBooked',
] satisfies ChargeEntry['type'][]);

export const isPaymentEntry = (event: JournalEvent): event is PaymentEntry => PAYMENT_ENTRIES.has(event.type);
export const isUnappliedEntry = (event: JournalEvent): event is UnappliedEntry =>
  UNAPPLIED_ENTRIES.has(event.type);
export const isChargeEntry = (event: JournalEvent): event is ChargeEntry => CHARGE_ENTRIES.has(event.type);

/** Folds one payment's entries, as the archive read them from the log, in order. */
export function paymentFrom(past: readonly PastEntry[]): Payment | undefined {
  let payment: Payment | Elsewhere | undefined;
  for (const { event, last, recordedAtMs } of past)
    if (event.type === 'PaymentOpened') payment = openedPayment(event, last, recordedAtMs);
    else if (isPaymentEntry(event) || isChargeEntry(event)) payment = nextPayment(event, payment, last);
  return payment && !isElsewhere(payment) ? payment : undefined;
}

/** Folds one unapplied charge's entries. */
export function unappliedFrom(past: readonly PastEntry[]): Unapplied | undefined {
  let charge: Unapplied | Elsewhere | undefined;
  for (const { event, last } of past)
    if (isUnappliedEntry(event) || isChargeEntry(event)) charge = nextUnapplied(event, charge, last);
  return charge && !isElsewhere(charge) ? charge : undefined;
}
