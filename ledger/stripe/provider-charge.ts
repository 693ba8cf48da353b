/** A charge, its disputes and its refunds as the card provider tells of them, read into our words. Pure. */
import type Stripe from 'stripe';
import { readable } from './answers.js';
import type {
  ProviderCharge,
  ProviderDispute,
  ProviderDisputeFee,
  ProviderDisputeMovement,
  ProviderFee,
  ProviderRefund,
} from './provider-payment.js';
import { wordsOf } from './provider-words.js';
import { ofTable } from './refusals.js';
import { isoFrom } from './stripe-client.js';

export const chargeOf = (given: Stripe.Charge): ProviderCharge => {
  const charge = readable('charge', given);
  // A bank that has only promised the money has sent none:
  // https://docs.stripe.com/payments/place-a-hold-on-a-payment-method.
  const isTaken = charge.status === 'succeeded' && charge.captured !== false;
  return {
    chargeId: charge.id,
    status: isTaken ? 'succeeded' : charge.status === 'failed' ? 'failed' : 'pending',
    amountMinor: charge.amount_captured || charge.amount,
    currency: charge.currency,
    createdAt: isoFrom(charge.created),
    failure:
      charge.status === 'failed'
        ? {
            code: wordsOf(charge.outcome?.reason ?? charge.failure_code ?? 'declined'),
            reason: wordsOf(charge.failure_message ?? 'The payment was declined.'),
          }
        : undefined,
    card: charge.payment_method_details?.card?.fingerprint ?? undefined,
    fee: feeOf(charge.balance_transaction),
  };
};

/** The year 9999 in seconds: no time beyond it is a time that a table holds. */
const FAR_AHEAD_S = 253_370_764_800;

function feeOf(transaction: Stripe.Charge['balance_transaction']): ProviderFee | undefined {
  // Not there yet, or only its id: another event tells of it, and the charge is read again.
  if (!transaction || typeof transaction === 'string' || transaction.fee < 0) return undefined;
  const { id: balanceTransactionId, fee: amountMinor, currency, net, available_on: second } = transaction;
  const netMinor = Number.isSafeInteger(net) ? net : null;
  const isTime = Number.isSafeInteger(second) && second >= 0 && second < FAR_AHEAD_S;
  const availableOn = isTime ? isoFrom(second) : null;
  const at = isoFrom(transaction.created);
  return { balanceTransactionId, amountMinor, currency, netMinor, availableOn, at };
}

/** By the provider's states. `by-money`: as what it took says. */
const OUTCOMES: Readonly<Record<string, 'won' | 'lost' | 'by-money'>> = {
  won: 'won',
  // An inquiry that was answered takes nothing: https://docs.stripe.com/disputes/how-disputes-work.
  warning_closed: 'won',
  // No chargeback came of it, because it was blocked, or because the payer was given the money out of our
  // balance:
  // https://docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute.
  prevented: 'by-money',
  lost: 'lost',
};

function outcomeOf({ status, balance_transactions: movements }: Stripe.Dispute): 'won' | 'lost' | undefined {
  const outcome = ofTable(OUTCOMES, status);
  if (outcome !== 'by-money') return outcome;
  return movements.reduce((sum, { amount }) => sum + amount, 0) < 0 ? 'lost' : 'won';
}

export function disputeOf(dispute: Stripe.Dispute): ProviderDispute {
  const { id, charge, amount, currency, reason, created } = readable('dispute', dispute);
  const movements = [...dispute.balance_transactions].sort((a, b) => a.created - b.created || b.fee - a.fee);
  return {
    disputeId: id,
    chargeId: typeof charge === 'string' ? charge : charge.id,
    amountMinor: amount,
    currency,
    reason: wordsOf(reason),
    openedAt: isoFrom(created),
    movements: movements
      .filter((movement) => movement.amount !== 0)
      .map((movement) => movementOf(movement, dispute)),
    fees: movements.flatMap((movement) => feeApart(movement) ?? []),
    outcome: outcomeOf(dispute),
  };
}

/**
 * Money and fee go the same way: a fee is taken with what is withdrawn, and returned with what is reinstated.
 */
const isWithMoney = ({ amount, fee }: Stripe.BalanceTransaction): boolean =>
  amount !== 0 && fee !== 0 && amount < 0 === fee > 0;

function feeApart(movement: Stripe.BalanceTransaction): ProviderDisputeFee | undefined {
  if (movement.fee === 0 || isWithMoney(movement)) return undefined;
  const { id: balanceTransactionId, type: providerType, fee: feeMinor, currency, created } = movement;
  return { balanceTransactionId, providerType, feeMinor, currency, at: isoFrom(created) };
}

const movementOf = (
  movement: Stripe.BalanceTransaction,
  dispute: Stripe.Dispute,
): ProviderDisputeMovement => ({
  balanceTransactionId: movement.id,
  kind: movement.amount < 0 ? 'withdrawn' : 'reinstated',
  // A charge in another currency is settled in ours; its dispute is booked as the charge was.
  amountMinor: movement.currency === dispute.currency ? Math.abs(movement.amount) : dispute.amount,
  currency: dispute.currency,
  feeMinor: isWithMoney(movement) ? Math.abs(movement.fee) : 0,
  feeCurrency: movement.currency,
  at: isoFrom(movement.created),
});

export function refundOf(given: Stripe.Refund): ProviderRefund | undefined {
  const refund = readable('refund', given);
  const charge = typeof refund.charge === 'string' ? refund.charge : refund.charge?.id;
  if (charge === undefined) return undefined;
  const isFailed = refund.status === 'failed' || refund.status === 'canceled';
  return {
    refundId: refund.id,
    chargeId: charge,
    status: isFailed ? 'failed' : 'given',
    isFinal: refund.status === 'succeeded',
    amountMinor: refund.amount,
    currency: refund.currency,
    createdAt: isoFrom(refund.created),
    failureReason: isFailed ? wordsOf(refund.failure_reason ?? refund.status ?? 'failed') : undefined,
  };
}
