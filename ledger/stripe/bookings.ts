/**
 * What the journal must be told of a payment that was read at the provider, in order. Pure. All of it is told
 * each time: what the log has already is quietly nothing, so lost, doubled, late and shuffled webhooks end
 * alike.
 */
import type { JournalCommand } from '../journal/commands.js';
import type {
  ProviderDispute,
  ProviderDisputeFee,
  ProviderPayment,
  ProviderRefund,
} from './provider-payment.js';

/** What the journal booked each charge to. */
export type ChargeOwners = ReadonlyMap<string, { readonly paymentId: string } | 'unapplied'>;

function paymentOf(chargeId: string, owners: ChargeOwners): string | undefined {
  const owner = owners.get(chargeId);
  return owner === undefined || owner === 'unapplied' ? undefined : owner.paymentId;
}

/** Before anything is settled: that the provider has it, and every attempt in the order of time. */
export function attemptsToBook(seen: ProviderPayment): JournalCommand[] {
  const { paymentId, intentId } = seen;
  // Money says all that a submission says: its entry names the intent too.
  const isPaid = seen.charges.some(({ status }) => status === 'succeeded');
  const submitted: JournalCommand[] =
    paymentId === undefined || isPaid ? [] : [{ type: 'SubmitPayment', paymentId, intentId }];
  const attempts = [...seen.charges]
    .sort((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? -1 : 1))
    .flatMap((charge): JournalCommand[] => {
      const { chargeId, amountMinor, currency, createdAt: occurredAt } = charge;
      // Money first: a payment that is not ours is booked all the same, so that it can go back.
      if (charge.status === 'succeeded')
        return [{ type: 'SettlePayment', paymentId, intentId, chargeId, amountMinor, currency, occurredAt }];
      if (charge.failure === undefined || paymentId === undefined) return [];
      return [{ type: 'RecordFailedAttempt', paymentId, attemptId: chargeId, ...charge.failure, occurredAt }];
    });
  return [...submitted, ...attempts, ...(isPaid ? [] : attemptWithoutChargeToBook(seen))];
}

function attemptWithoutChargeToBook({ paymentId, attemptWithoutCharge }: ProviderPayment): JournalCommand[] {
  if (paymentId === undefined || attemptWithoutCharge === undefined) return [];
  const { at: occurredAt, ...attempt } = attemptWithoutCharge;
  return [{ type: 'RecordFailedAttempt', paymentId, ...attempt, occurredAt }];
}

/**
 * After the attempts: what became of the money. Refunds come before disputes, since a dispute takes from the
 * recipient what refunds have left. `owners` says what the journal booked each charge to: refunds, disputes
 * and fees belong to their charge, whatever payment its metadata names by now.
 */
export function endingsToBook(seen: ProviderPayment, owners: ChargeOwners): JournalCommand[] {
  const { paymentId, canceled } = seen;
  const ended: JournalCommand[] =
    paymentId === undefined || canceled === undefined
      ? []
      : [
          {
            type: 'CancelPayment',
            paymentId,
            intentId: seen.intentId,
            reason: canceled.reason,
            occurredAt: canceled.at,
          },
        ];
  return [
    ...ended,
    ...feesToBook(seen, owners),
    ...refundsToBook(seen, owners),
    ...seen.disputes.flatMap((dispute) =>
      owners.has(dispute.chargeId) ? disputeToBook(paymentOf(dispute.chargeId, owners), dispute) : [],
    ),
  ];
}

function feesToBook({ charges }: ProviderPayment, owners: ChargeOwners): JournalCommand[] {
  return charges.flatMap(({ chargeId, status, fee }): JournalCommand[] => {
    if (status !== 'succeeded' || !fee || !owners.has(chargeId)) return [];
    const { at: occurredAt, ...taken } = fee;
    const paymentId = paymentOf(chargeId, owners);
    return [{ type: 'BookProviderFee', paymentId, chargeId, ...taken, occurredAt }];
  });
}

function refundsToBook({ refunds }: ProviderPayment, owners: ChargeOwners): JournalCommand[] {
  // What failed makes room for what was given after it; the provider lists the newest first.
  const inOrder = [...refunds].sort(
    (a, b) =>
      Number(a.status === 'given') - Number(b.status === 'given') || (a.createdAt < b.createdAt ? -1 : 1),
  );
  return inOrder.flatMap((refund): JournalCommand[] => {
    const { chargeId, refundId, amountMinor, currency, createdAt: occurredAt } = refund;
    const owner = owners.get(chargeId);
    if (owner === undefined) return [];
    if (owner === 'unapplied') return unappliedRefundToBook(refund);
    const { paymentId } = owner;
    if (refund.status === 'given')
      return [{ type: 'RefundPayment', paymentId, chargeId, refundId, amountMinor, currency, occurredAt }];
    return [
      { type: 'FailRefund', paymentId, refundId, reason: refund.failureReason ?? 'failed', occurredAt },
    ];
  });
}

/** A refund of unapplied money: booked once it has arrived, and taken back should it come back after all. */
export function unappliedRefundToBook(refund: ProviderRefund): JournalCommand[] {
  const { chargeId, refundId, amountMinor, currency, createdAt: occurredAt } = refund;
  if (refund.status === 'failed')
    return [
      {
        type: 'FailUnappliedRefund',
        chargeId,
        refundId,
        reason: refund.failureReason ?? 'failed',
        occurredAt,
      },
    ];
  return refund.isFinal
    ? [{ type: 'RefundUnapplied', chargeId, refundId, amountMinor, currency, occurredAt }]
    : [];
}

/**
 * A dispute from its beginning: that it is there, what money it moved in the order of time, and how it ended.
 */
function disputeToBook(paymentId: string | undefined, dispute: ProviderDispute): JournalCommand[] {
  const { disputeId, chargeId, amountMinor, currency, reason, movements, fees, outcome } = dispute;
  const named = { disputeId, paymentId, chargeId };
  const opened: JournalCommand = {
    type: 'OpenDispute',
    ...named,
    amountMinor,
    currency,
    reason,
    occurredAt: dispute.openedAt,
  };
  const moved = movements.map(({ kind, at: occurredAt, ...money }): JournalCommand => {
    const type = kind === 'withdrawn' ? 'WithdrawDisputed' : 'ReinstateDisputed';
    return { type, ...named, ...money, occurredAt };
  });
  const charged = fees.map((fee) => disputeFeeToBook(fee, paymentId, dispute));
  const occurredAt = movements.at(-1)?.at ?? dispute.openedAt;
  const closed: JournalCommand[] = outcome
    ? [{ type: 'CloseDispute', ...named, outcome, amountMinor, currency, occurredAt }]
    : [];
  return [opened, ...moved, ...charged, ...closed];
}

function disputeFeeToBook(
  { balanceTransactionId, providerType, feeMinor, currency, at: occurredAt }: ProviderDisputeFee,
  paymentId: string | undefined,
  { disputeId, chargeId }: ProviderDispute,
): JournalCommand {
  const taken = { balanceTransactionId, currency, occurredAt };
  return feeMinor > 0
    ? {
        type: 'BookProviderFee',
        paymentId,
        chargeId,
        ...taken,
        amountMinor: feeMinor,
        netMinor: null,
        availableOn: null,
      }
    : {
        type: 'BookPlatformMoney',
        ...taken,
        providerType,
        sourceId: disputeId,
        amountMinor: 0,
        feeMinor,
      };
}
