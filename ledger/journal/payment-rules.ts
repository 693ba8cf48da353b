/** The rules of payments and transfers. Money that comes in without a payment is booked apart. */
import { available, platform } from '#contracts/plain/accounts';
import { isGuest } from '#contracts/plain/guest';
import type { UnappliedReason } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import { madeUpBy } from './closed-account-rules.js';
import { disputedOfFailed, disputedOfRefund } from './charge-rules.js';
import type { Command } from './commands.js';
import { ask, decideOnce, entry, repeat, type Case, type Decision } from './decision.js';
import { findEntry, isQuestion, type Known } from './find.js';
import { intentKey } from './keys.js';
import { findPayment } from './payment-state.js';
import { assertTipNeedsNoProof } from './tip-rules.js';
import { assertFewUnpaid } from './unpaid-rules.js';
import { refundedOf, type Books, type Charge, type Payment, type SettledPayment } from './state.js';

/**
 * Attempts of one payment that are told apart; a payer who fails more often than this is no longer written
 * down.
 */
const MAX_ATTEMPTS = 100;

/** Intents of one payment that are recorded: failures of the provider may have made more than one. */
const MAX_INTENTS = 20;

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
  // A guest has no account: what they pay comes from their card.
  if (!isGuest(payerId) && !books.isOpen(payerId)) return 'PayerNotFound';
  return payerId === recipientId ? 'SamePerson' : undefined;
}

/** Throws Rejected unless both are known and not the same person. */
function assertParties({ payerId, recipientId }: Parties, books: Books): void {
  const problem = partiesProblem({ payerId, recipientId }, books);
  if (problem) throw new Rejected(problem, { payerId, recipientId });
}

export function openPayment(command: Command<'OpenPayment'>, known: Case): Decision {
  const { books } = known;
  return decideOnce(known, (key) => {
    assertParties(command, books);
    assertFewUnpaid(command.payerId, known);
    if (command.savedCard) assertDebitsAllowed(command.payerId, books);
    if (command.unproven) assertTipNeedsNoProof(command, known);
    const { type: _, isChallenged: __, ...data } = command;
    return entry(key, { type: 'PaymentOpened', data });
  });
}

export function postTransfer(command: Command<'PostTransfer'>, known: Case): Decision {
  const { books } = known;
  return decideOnce(known, (key) => {
    assertParties(command, books);
    const { type: _, ...terms } = command;
    const { payerId, recipientId, amountMinor } = terms;
    if (isGuest(payerId)) throw new Rejected('PayerNotFound', { payerId });
    assertDebitsAllowed(payerId, books);
    assertCovered(available(payerId), amountMinor, books);
    if (terms.unproven) assertTipNeedsNoProof(terms, known);
    const postings = [{ debit: available(payerId), credit: available(recipientId), amountMinor }];
    return entry(key, { type: 'TransferPosted', data: { ...terms, postings } });
  });
}

/** Throws Rejected while nothing may leave a user's accounts by their own act. */
export function assertDebitsAllowed(userId: string, books: Books): void {
  if (books.debits.get(userId)?.isSuspended) throw new Rejected('DebitsSuspended', { userId });
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
  const { intentId, chargeId, amountMinor, currency, occurredAt } = command;
  // People edit metadata: what the journal recorded the intent for goes before what it names now.
  const paymentId = known.books.intents.get(intentId) ?? command.paymentId;
  const payment = paymentId === undefined ? undefined : findPayment(paymentId, known);
  if (isQuestion(payment)) return ask(payment);
  const key = `settle:${chargeId}`;
  if (payment?.status === 'settled' && payment.chargeId === chargeId) return repeat(key, payment.last);

  // One charge is booked once, whatever payments its metadata may have named over time, and stays what it was
  // booked as.
  const unappliedKey = `unapplied:${chargeId}`;
  const kept = known.books.unapplied.get(chargeId)?.last ?? findEntry(unappliedKey, known);
  if (isQuestion(kept)) return ask(kept);
  if (kept) return repeat(unappliedKey, kept);
  const paid = findEntry(key, known);
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
  if (!known.books.isOpen(recipientId)) return unapplied('account-closed');
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
      const { intentId } = command;
      const key = intentKey(intentId);
      if (payment.intentIds.includes(intentId)) return repeat(key, payment.last);
      const named = findEntry(key, known);
      if (isQuestion(named)) return ask(named);
      if (named) return repeat(key, named);
      if (known.books.intents.get(intentId) !== undefined || payment.intentIds.length >= MAX_INTENTS)
        return repeat(key, payment.last);
      return entry(key, { type: 'PaymentSubmitted', data: { paymentId, intentId } });
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
    case 'RefundPayment':
      return refundPayment(command, mustBeSettled(payment));
    case 'FailRefund':
      return failRefund(command, mustBeSettled(payment), known.books);
  }
}

/**
 * A refund went to the payer's card: out of what the recipient has of the payment, but for what a dispute
 * took before.
 */
function refundPayment(command: Command<'RefundPayment'>, settled: SettledPayment): Decision {
  const { paymentId, chargeId, refundId, amountMinor, occurredAt } = command;
  const key = `refund:${refundId}`;
  if (chargeId !== undefined && chargeId !== settled.chargeId)
    throw new Rejected('ChargeNotFound', { paymentId, chargeId });
  if (settled.refunds.some((refund) => refund.refundId === refundId)) return repeat(key, settled.last);
  assertSameCurrency(command, settled);
  const refundedMinor = refundedOf(settled) + amountMinor;
  if (refundedMinor > settled.amountMinor)
    throw new Rejected('RefundExceedsPayment', { paymentId, asked: amountMinor, refundedMinor });
  const disputedMinor = disputedOfRefund(settled, amountMinor);
  const recipientMinor = amountMinor - disputedMinor;
  const credit = platform('card-clearing');
  const postings = [
    { debit: available(settled.recipientId), credit, amountMinor: recipientMinor },
    { debit: platform('dispute-losses'), credit, amountMinor: disputedMinor },
  ].filter((leg) => leg.amountMinor > 0);
  const parts = disputedMinor > 0 ? { recipientMinor, disputedMinor } : {};
  const data = {
    ...refundTerms(settled),
    refundId,
    amountMinor,
    refundedMinor,
    ...parts,
    occurredAt,
    postings,
  };
  return entry(key, { type: 'PaymentRefunded', data });
}

/**
 * A refund did not reach the payer's card: the money is the recipient's again, but for what a dispute took of
 * it, and what makes up for a debt of theirs that was given up meanwhile.
 */
function failRefund(command: Command<'FailRefund'>, settled: SettledPayment, books: Books): Decision {
  const { paymentId, refundId, reason, occurredAt } = command;
  const key = `refund-failed:${refundId}`;
  const refund = settled.refunds.find((known) => known.refundId === refundId);
  if (!refund) throw new Rejected('RefundNotFound', { paymentId, refundId });
  if (refund.failed) return repeat(key, settled.last);
  const { amountMinor } = refund;
  const refundedMinor = refundedOf(settled) - amountMinor;
  const disputedMinor = disputedOfFailed(settled, amountMinor);
  const madeUp = madeUpBy(refund.since, amountMinor - disputedMinor, settled.recipientId, books);
  const recipientMinor = amountMinor - disputedMinor - madeUp.minor;
  const debit = platform('card-clearing');
  const postings = [
    { debit, credit: available(settled.recipientId), amountMinor: recipientMinor },
    { debit, credit: platform('dispute-losses'), amountMinor: disputedMinor },
    { debit, credit: platform('losses'), amountMinor: madeUp.minor },
  ].filter((leg) => leg.amountMinor > 0);
  const data = {
    ...refundTerms(settled),
    refundId,
    amountMinor,
    refundedMinor,
    recipientMinor,
    disputedMinor,
    ...madeUp.parts,
    reason,
    occurredAt,
    postings,
  };
  return entry(key, { type: 'RefundFailed', data });
}

/** Throws Rejected for a refund in another currency than its charge: the provider knows none. */
export function assertSameCurrency(
  { refundId, currency }: Command<'RefundPayment' | 'RefundUnapplied'>,
  charge: Charge,
): void {
  if (currency !== undefined && currency !== charge.currency)
    throw new Rejected('OtherCurrency', { refundId, currency, of: charge.currency });
}

function mustBeSettled(payment: Payment): SettledPayment {
  const { status, paymentId } = payment;
  if (payment.status !== 'settled') throw new Rejected('PaymentNotSettled', { paymentId, status });
  return payment;
}

const refundTerms = ({ paymentId, payerId, recipientId, amountMinor }: SettledPayment) => ({
  paymentId,
  payerId,
  recipientId,
  originalMinor: amountMinor,
});
