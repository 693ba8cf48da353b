/** The rules of money that no payment explains, on its way back to whom it came from. */
import { platform } from '#contracts/plain/accounts';
import { Rejected } from '../rejection.js';
import { disputedOfFailed } from './charge-rules.js';
import type { Command } from './commands.js';
import { ask, entry, repeat, type Decision } from './decision.js';
import { isQuestion, type Known } from './find.js';
import { assertSameCurrency } from './payment-rules.js';
import { findUnapplied } from './payment-state.js';
import { disputedOf, heldOf } from './state.js';

/**
 * Unapplied money went back, all of it or in parts. Disputes may have taken some of it while it was on its
 * way: it is gone twice then, once at the platform's cost, as where the refund is booked before the dispute.
 */
export function refundUnapplied(command: Command<'RefundUnapplied'>, known: Known): Decision {
  const { chargeId, refundId, amountMinor, occurredAt } = command;
  const charge = findUnapplied(chargeId, known);
  if (isQuestion(charge)) return ask(charge);
  if (!charge) throw new Rejected('UnappliedNotFound', { chargeId });
  const key = `unapplied-refund:${refundId}`;
  if (charge.refunds.some((refund) => refund.refundId === refundId)) return repeat(key, charge.last);
  assertSameCurrency(command, charge);
  const held = heldOf(charge);
  const disputedMinor = Math.max(0, amountMinor - held);
  if (disputedMinor > disputedOf(charge)) throw new Rejected('RefundNotHeld', { asked: amountMinor, held });
  const unappliedMinor = amountMinor - disputedMinor;
  const { currency } = charge;
  const credit = platform('card-clearing', currency);
  const postings = [
    { debit: platform('unapplied', currency), credit, amountMinor: unappliedMinor },
    { debit: platform('dispute-losses', currency), credit, amountMinor: disputedMinor },
  ].filter((leg) => leg.amountMinor > 0);
  const parts = disputedMinor > 0 ? { unappliedMinor, disputedMinor } : {};
  return entry(key, {
    type: 'UnappliedRefunded',
    data: { chargeId, refundId, amountMinor, currency, ...parts, occurredAt, postings },
  });
}

/**
 * A refund of unapplied money did not arrive: it is held again, but for what a dispute took of it, and must
 * go back another time.
 */
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
  const disputedMinor = disputedOfFailed(charge, amountMinor);
  const unappliedMinor = amountMinor - disputedMinor;
  const debit = platform('card-clearing', currency);
  const postings = [
    { debit, credit: platform('unapplied', currency), amountMinor: unappliedMinor },
    { debit, credit: platform('dispute-losses', currency), amountMinor: disputedMinor },
  ].filter((leg) => leg.amountMinor > 0);
  const parts = { unappliedMinor, disputedMinor };
  return entry(key, {
    type: 'UnappliedRefundFailed',
    data: { chargeId, refundId, amountMinor, currency, ...parts, reason, occurredAt, postings },
  });
}
