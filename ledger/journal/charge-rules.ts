/**
 * The rules of what happens to a charge after its money came in: disputes and the provider's fees. The
 * recipient bears what is disputed of their payment, as they bear a refund, and up to what is left of it; the
 * platform bears every fee and whatever exceeds the payment. A dispute may leave the recipient in debt. One
 * in another currency than its charge is nobody's: it stands in the unapplied money of its own currency.
 */
import { available, platform } from '#contracts/plain/accounts';
import type { Posting } from '#contracts/events/journal';
import { Rejected } from '../rejection.js';
import { madeUpBy } from './closed-account-rules.js';
import type { Command } from './commands.js';
import { ask, entry, repeat, type Decision } from './decision.js';
import { findPayment, findUnapplied } from './payment-state.js';
import { isQuestion, type Known, type Question } from './find.js';
import {
  heldOf,
  refundedOf,
  type LossShares,
  type Charge,
  type Dispute,
  type SettledPayment,
  type UnappliedCharge,
} from './state.js';

type AboutCharge = Command<
  'OpenDispute' | 'WithdrawDisputed' | 'ReinstateDisputed' | 'CloseDispute' | 'BookProviderFee'
>;

/** What the provider says of a charge that the journal has booked, each once. */
export function aboutCharge(command: AboutCharge, known: Known): Decision {
  const found = findCharge(command, known);
  if (isQuestion(found)) return ask(found);
  if (!found) throw new Rejected('ChargeNotFound', { chargeId: command.chargeId });
  const { charge, named } = found;
  const { amountMinor, currency, occurredAt } = command;

  if (command.type === 'BookProviderFee') {
    const { balanceTransactionId, netMinor, availableOn } = command;
    const key = `fee:${balanceTransactionId}`;
    if (charge.fees.includes(balanceTransactionId)) return repeat(key, charge.last);
    const fee = {
      debit: platform('fees', currency),
      credit: platform('card-clearing', currency),
      amountMinor,
    };
    // What is left of a charge is what came less the fee. A sum that says something else says nothing.
    const isLeft = currency !== charge.currency || netMinor === charge.amountMinor - amountMinor;
    const terms = {
      balanceTransactionId,
      ...named,
      amountMinor,
      currency,
      netMinor: isLeft ? netMinor : null,
      availableOn,
      occurredAt,
    };
    // Nothing was taken, and yet it is told when the money can be used.
    const postings = amountMinor === 0 ? [] : [fee];
    return entry(key, { type: 'ProviderFeeBooked', data: { ...terms, postings } });
  }

  const { disputeId } = command;
  const dispute = charge.disputes.find((known) => known.disputeId === disputeId);
  const terms = { disputeId, ...named, amountMinor, currency, occurredAt };
  if (command.type === 'OpenDispute') {
    const key = `dispute:${disputeId}`;
    if (dispute) return repeat(key, charge.last);
    return entry(key, { type: 'DisputeOpened', data: { ...terms, reason: command.reason } });
  }
  if (!dispute) throw new Rejected('DisputeNotFound', { disputeId });
  switch (command.type) {
    case 'CloseDispute': {
      const { outcome } = command;
      const isFirst = dispute.status === 'open';
      if (!isFirst && !isOtherEnd(dispute, outcome))
        return repeat(`dispute-closed:${disputeId}`, charge.last);
      const later = `:${dispute.transactions.length}:${outcome}`;
      const key = `dispute-closed:${disputeId}${isFirst ? '' : later}`;
      return entry(key, { type: outcome === 'won' ? 'DisputeWon' : 'DisputeLost', data: terms });
    }
    case 'WithdrawDisputed': {
      const { balanceTransactionId, feeMinor, feeCurrency } = command;
      const key = `dispute-funds:${balanceTransactionId}`;
      if (dispute.transactions.includes(balanceTransactionId)) return repeat(key, charge.last);
      const borne = { ...shareOf(charge, amountMinor, currency), feeMinor };
      const postings = legsOf(charge, borne, named.recipientId, currency, feeCurrency).map(
        ({ account: debit, facing: credit, ...leg }) => ({
          debit,
          credit,
          ...leg,
        }),
      );
      return entry(key, {
        type: 'DisputeFundsWithdrawn',
        data: { ...terms, balanceTransactionId, ...borne, feeCurrency, postings },
      });
    }
    case 'ReinstateDisputed': {
      const { balanceTransactionId, feeMinor, feeCurrency } = command;
      const key = `dispute-funds:${balanceTransactionId}`;
      if (dispute.transactions.includes(balanceTransactionId)) return repeat(key, charge.last);
      const shares = shareBack(charge, dispute, amountMinor, currency);
      const { recipientId } = named;
      const madeUp =
        recipientId === undefined
          ? undefined
          : madeUpBy(dispute.since, shares.recipientMinor, recipientId, known.books);
      const recipientMinor = shares.recipientMinor - (madeUp?.minor ?? 0);
      const borne = { ...shares, recipientMinor, feeMinor, ...madeUp?.parts };
      const postings = legsOf(charge, borne, named.recipientId, currency, feeCurrency).map(
        ({ account: credit, facing: debit, ...leg }) => ({
          debit,
          credit,
          ...leg,
        }),
      );
      return entry(key, {
        type: 'DisputeFundsReinstated',
        data: { ...terms, balanceTransactionId, ...borne, feeCurrency, postings },
      });
    }
  }
}

/**
 * Whether a dispute that has ended has ended otherwise since: lost, it may be won on appeal. Won, it can be
 * lost only where money moved afterwards: word of an end may be old.
 */
function isOtherEnd({ status, transactions, closedAfter }: Dispute, outcome: 'won' | 'lost'): boolean {
  if (status === outcome) return false;
  return outcome === 'won' || transactions.length > closedAfter;
}

interface ChargeOwner {
  readonly charge: SettledPayment | UnappliedCharge;
  readonly named: {
    readonly chargeId: string;
    readonly paymentId?: string;
    readonly payerId?: string;
    readonly recipientId?: string;
  };
}

/** The charge as the journal booked it, whatever payment its metadata names. */
function findCharge({ paymentId, chargeId }: AboutCharge, known: Known): ChargeOwner | Question | undefined {
  const payment = paymentId === undefined ? undefined : findPayment(paymentId, known);
  if (isQuestion(payment)) return payment;
  if (paymentId !== undefined && payment?.status === 'settled' && payment.chargeId === chargeId) {
    const { payerId, recipientId } = payment;
    return { charge: payment, named: { chargeId, paymentId, payerId, recipientId } };
  }
  const unapplied = findUnapplied(chargeId, known);
  return unapplied === undefined || isQuestion(unapplied)
    ? unapplied
    : { charge: unapplied, named: { chargeId } };
}

type Share = Omit<LossShares, 'feeMinor'>;

/** Who bears a withdrawal: the charge's own money as far as there is any left, then the platform. */
function shareOf(charge: SettledPayment | UnappliedCharge, amountMinor: number, currency: string): Share {
  if (currency !== charge.currency) return platformsOwn(amountMinor);
  const own = Math.min(amountMinor, Math.max(0, ownOf(charge)));
  const platformMinor = amountMinor - own;
  return charge.status === 'settled'
    ? { recipientMinor: own, unappliedMinor: 0, platformMinor }
    : { recipientMinor: 0, unappliedMinor: own, platformMinor };
}

/**
 * Who gets a reinstatement: whoever bore the withdrawal, as much as they bore; the rest is the platform's.
 */
function shareBack(
  charge: Charge,
  { recipientMinor, unappliedMinor }: Dispute,
  amountMinor: number,
  currency: string,
): Share {
  if (currency !== charge.currency) return platformsOwn(amountMinor);
  const toRecipient = Math.min(amountMinor, recipientMinor);
  const toUnapplied = Math.min(amountMinor - toRecipient, unappliedMinor);
  return {
    recipientMinor: toRecipient,
    unappliedMinor: toUnapplied,
    platformMinor: amountMinor - toRecipient - toUnapplied,
  };
}

const platformsOwn = (platformMinor: number): Share => ({
  recipientMinor: 0,
  unappliedMinor: 0,
  platformMinor,
});

/**
 * What of a refund that failed is not the recipient's, or held, again: a dispute took it meanwhile, and the
 * platform bore that because the refund had left nothing to take.
 */
export function disputedOfFailed(charge: SettledPayment | UnappliedCharge, failedMinor: number): number {
  const platformsMinor = charge.disputes.reduce(
    (sum, dispute) => sum + Math.max(0, dispute.platformMinor),
    0,
  );
  return Math.min(platformsMinor, failedMinor, Math.max(0, ownOf(charge) + failedMinor));
}

/**
 * What of a refund a dispute took before the refund was told of: the recipient gives nothing twice, and the
 * platform bears it, as where the refund is told of first.
 */
export function disputedOfRefund(settled: SettledPayment, refundMinor: number): number {
  const takenMinor = settled.disputes.reduce((sum, { recipientMinor }) => sum + recipientMinor, 0);
  return Math.min(takenMinor, refundMinor, Math.max(0, refundMinor - leftOf(settled)));
}

/** What of a charge is there to be taken: of what its recipient was paid, or of what is held. */
const ownOf = (charge: SettledPayment | UnappliedCharge): number =>
  charge.status === 'settled' ? leftOf(charge) : heldOf(charge);

/** What of a payment the recipient has not given back yet, by refunds or disputes. */
const leftOf = (charge: Charge): number =>
  charge.amountMinor -
  refundedOf(charge) -
  charge.disputes.reduce((sum, { recipientMinor }) => sum + recipientMinor, 0);

interface Leg extends Pick<Posting, 'amountMinor'> {
  readonly account: string;
  readonly facing: string;
}

/** The accounts that bear a dispute's money, each facing card clearing; whoever bears nothing has no leg. */
function legsOf(
  charge: Charge,
  borne: LossShares & { readonly madeUpMinor?: number },
  recipientId: string | undefined,
  currency: string,
  feeCurrency: string,
): Leg[] {
  const facing = platform('card-clearing', currency);
  const legs = [
    ...(recipientId === undefined
      ? []
      : [{ account: available(recipientId), facing, amountMinor: borne.recipientMinor }]),
    { account: platform('unapplied', currency), facing, amountMinor: borne.unappliedMinor },
    {
      account: platform(currency === charge.currency ? 'dispute-losses' : 'unapplied', currency),
      facing,
      amountMinor: borne.platformMinor,
    },
    {
      account: platform('dispute-losses', feeCurrency),
      facing: platform('card-clearing', feeCurrency),
      amountMinor: borne.feeMinor,
    },
    { account: platform('losses', currency), facing, amountMinor: borne.madeUpMinor ?? 0 },
  ];
  return legs.filter(({ amountMinor }) => amountMinor > 0);
}
