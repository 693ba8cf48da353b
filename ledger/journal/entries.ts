/** The journal's entries by what they are about. */
import type { JournalEvent, JournalEventOf, JournalEventType } from '#contracts/events/journal';

const PAYMENT = [
  'PaymentOpened',
  'PaymentSubmitted',
  'PaymentAttemptFailed',
  'PaymentSettled',
  'PaymentCanceled',
  'PaymentRefunded',
  'RefundFailed',
] as const;
const UNAPPLIED = ['UnappliedReceived', 'UnappliedRefunded', 'UnappliedRefundFailed'] as const;
/** About a charge that paid for a payment, or that is unapplied. */
const CHARGE = [
  'DisputeOpened',
  'DisputeFundsWithdrawn',
  'DisputeFundsReinstated',
  'DisputeWon',
  'DisputeLost',
  'ProviderFeeBooked',
] as const;
const PAYOUT = [
  'PayoutRequested',
  'PayoutTransferred',
  'PayoutSubmitted',
  'PayoutCompleted',
  'PayoutReturned',
  'PayoutFailed',
] as const;

export type PaymentEntry = JournalEventOf<(typeof PAYMENT)[number]>;
export type UnappliedEntry = JournalEventOf<(typeof UNAPPLIED)[number]>;
export type ChargeEntry = JournalEventOf<(typeof CHARGE)[number]>;
export type PayoutEntry = JournalEventOf<(typeof PAYOUT)[number]>;

function isOneOf<T extends JournalEventType>(
  types: readonly T[],
): (event: JournalEvent) => event is JournalEventOf<T> {
  const known: ReadonlySet<string> = new Set(types);
  return (event): event is JournalEventOf<T> => known.has(event.type);
}

export const isPaymentEntry = isOneOf(PAYMENT);
export const isUnappliedEntry = isOneOf(UNAPPLIED);
export const isChargeEntry = isOneOf(CHARGE);
export const isPayoutEntry = isOneOf(PAYOUT);

const TOLD_BY_PROVIDER: ReadonlySet<string> = new Set([...PAYMENT, ...UNAPPLIED, ...CHARGE]);
/** Whether entries of this type tell of a payment or a charge, which the card provider knows as well. */
export const isToldByProvider = (type: string): boolean => TOLD_BY_PROVIDER.has(type);
