/**
 * What the journal must be told of a payment that was read at the provider, in order. Pure. All of it is told each time:
 * what the log has already is quietly nothing, so lost, doubled, late and shuffled webhooks end alike.
 */
import type { JournalCommand } from '../journal/commands.js';
import type { ProviderPayment, ProviderRefund } from '../stripe/provider-payment.js';

/** Before anything is settled: that the provider has it, and every attempt in the order of time. */
export function attemptsToBook(seen: ProviderPayment): JournalCommand[] {
  const { paymentId, intentId } = seen;
  // Money says all that a submission says: its entry names the intent too.
  const isPaid = seen.charges.some(({ status }) => status === 'succeeded');
  const submitted: JournalCommand[] = paymentId === undefined || isPaid ? [] : [{ type: 'SubmitPayment', paymentId, intentId }];
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
  return [...submitted, ...attempts];
}

/** After the attempts. `unappliedCharges` are the charges that the journal booked as unapplied, and not to the payment. */
export function endingsToBook(seen: ProviderPayment, unappliedCharges: ReadonlySet<string>): JournalCommand[] {
  const { paymentId, canceled } = seen;
  // What failed makes room for what was given after it; the provider lists the newest first.
  const inOrder = [...seen.refunds].sort(
    (a, b) => Number(a.status === 'given') - Number(b.status === 'given') || (a.createdAt < b.createdAt ? -1 : 1),
  );
  const refunds = inOrder.flatMap((refund): JournalCommand[] => {
    if (unappliedCharges.has(refund.chargeId)) return refund.isFinal ? [givenBack(refund)] : [];
    if (paymentId === undefined) return [];
    const { refundId, amountMinor, createdAt: occurredAt } = refund;
    if (refund.status === 'given') return [{ type: 'RefundPayment', paymentId, refundId, amountMinor, occurredAt }];
    return [{ type: 'FailRefund', paymentId, refundId, reason: refund.failureReason ?? 'failed', occurredAt }];
  });
  if (paymentId === undefined || canceled === undefined) return refunds;
  return [
    { type: 'CancelPayment', paymentId, intentId: seen.intentId, reason: canceled.reason, occurredAt: canceled.at },
    ...refunds,
  ];
}

/** The entry for unapplied money that went back. */
export const givenBack = ({ chargeId, refundId, amountMinor, createdAt }: ProviderRefund): JournalCommand => ({
  type: 'RefundUnapplied',
  chargeId,
  refundId,
  amountMinor,
  occurredAt: createdAt,
});
