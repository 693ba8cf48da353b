/**
 * Whom an event concerns and which of their lists it changes: one table, complete by the compiler. A new type
 * of event does not compile until it has its line here. Pure.
 */
import type { Topic } from '#contracts/api/events-out';
import type { DomainEvent } from '#contracts/events/index';
import { isGuest } from '#contracts/plain/guest';

/** Money that a user received, for the alert. */
export interface ReceivedPayment {
  readonly amountMinor: number;
  readonly payerId: string;
  /** The line of the list that it is. */
  readonly transactionId: string;
}

/** The user, or a payment whose payer is meant where the entry names nobody. */
export type ConcernedUser = { readonly userId: string } | { readonly payerOf: string };

export interface Concern {
  readonly who: ConcernedUser;
  readonly topics: readonly Topic[];
  /** Which line of the list of transactions it changes: it may stand far below the newest. */
  readonly lineId?: string;
  readonly received?: ReceivedPayment;
}

const user = (userId: string, ...topics: readonly Topic[]): Concern => ({ who: { userId }, topics });
/** A payment's line has changed; the balance and the count of lines with it. */
const line = (userId: string, lineId: string | undefined, received?: ReceivedPayment): Concern => ({
  ...user(userId, 'user', 'transactions'),
  ...(lineId !== undefined && { lineId }),
  ...(received && { received }),
});
const lineOfPayer = (paymentId: string): Concern => ({
  who: { payerOf: paymentId },
  topics: ['user', 'transactions'],
  lineId: paymentId,
});
/** What a guest paid may be in the list of whoever has claimed it since: the rows know who that is. */
const lineOf = (payerId: string, paymentId: string | undefined): Concern =>
  paymentId !== undefined && isGuest(payerId) ? lineOfPayer(paymentId) : line(payerId, paymentId);
/** Nobody's list shows it. */
const NOBODY: readonly Concern[] = [];

/** Everybody whom the event concerns. */
export function concernsOf(event: DomainEvent): readonly Concern[] {
  switch (event.type) {
    case 'AccountOpened':
    case 'AccountClosed':
    case 'DebtWrittenOff':
      return [user(event.data.userId, 'user')];
    case 'LedgerFounded':
    case 'EpochBegun':
    case 'MonthClosed':
    case 'DebitsSuspended':
    case 'DebitsResumed':
    // It changes rows only once they are made anew without the event that it names.
    case 'EventQuarantined':
    case 'PaymentOpened':
    case 'PaymentSubmitted':
    // The schedule's own stream says what comes of it.
    case 'CollectionRefused':
      return NOBODY;
    case 'PaymentAttemptFailed':
    case 'PaymentCanceled':
      return [lineOfPayer(event.data.paymentId)];
    case 'PaymentSettled':
    case 'TransferPosted': {
      const { data } = event;
      const { payerId, recipientId, amountMinor } = data;
      const transactionId = 'paymentId' in data ? data.paymentId : data.transferId;
      return [
        lineOf(payerId, transactionId),
        line(recipientId, transactionId, { amountMinor, payerId, transactionId }),
      ];
    }
    case 'PaymentRefunded':
    case 'RefundFailed':
      return [
        lineOf(event.data.payerId, event.data.paymentId),
        line(event.data.recipientId, event.data.paymentId),
      ];
    case 'ClosedAccountCleared':
    case 'UnclaimedPaid':
    case 'UnappliedReceived':
    case 'UnappliedRefunded':
    case 'UnappliedRefundFailed':
    case 'ProviderFeeBooked':
    case 'PlatformFunded':
    case 'PlatformFundingReversed':
    case 'PlatformPaidOut':
    case 'PlatformPayoutReturned':
    case 'ProviderCharged':
    case 'ProviderChargeReturned':
      return NOBODY;
    case 'PayoutRequested':
    case 'PayoutFailed':
      return [user(event.data.userId, 'user', 'payouts')];
    case 'PayoutTransferred':
    case 'PayoutSubmitted':
    case 'PayoutCompleted':
    case 'PayoutReturned':
      return [user(event.data.userId, 'payouts')];
    case 'WalletOpened':
    case 'WalletRenamed':
      return [user(event.data.userId, 'treasury')];
    case 'WalletFunded':
    case 'WalletWithdrawn':
    case 'WalletClosed':
      return [user(event.data.userId, 'user', 'treasury')];
    case 'DisputeOpened':
    case 'DisputeFundsWithdrawn':
    case 'DisputeFundsReinstated':
    case 'DisputeWon':
    case 'DisputeLost': {
      // Of a charge that no payment explains: nobody's.
      const { payerId, recipientId, paymentId } = event.data;
      return [payerId, recipientId].flatMap((userId) =>
        userId === undefined ? [] : [lineOf(userId, paymentId)],
      );
    }
    case 'UserRegistered':
    case 'ProfileChanged':
    case 'UserForgotten':
      return [user(event.data.userId, 'user')];
    case 'ForgettingFinished':
      return NOBODY;
    // Their list stands beside the switch that asks for them.
    case 'PasskeyEnrolled':
    case 'PasskeyRemoved':
      return [user(event.data.userId, 'settings')];
    case 'AccountRecoveryStarted':
    case 'AccountRecoveryConfirmed':
    case 'AccountRecoveryRefused':
    case 'AccountRecoveryCompleted':
    case 'AccountRecoveryFinished':
    case 'ForgettingRequested':
    case 'ForgettingRequestEnded':
      return [user(event.data.userId, 'user')];
    case 'HandleClaimed':
    case 'TipPageHandleRequested':
    case 'GuestForgotten':
      return NOBODY;
    case 'TipPageHandleChosen':
    case 'TipPageDescribed':
    case 'TipPagePublished':
    case 'TipPageUnpublished':
      return [user(event.data.userId, 'tip-page')];
    case 'PayerThanked': {
      const { payerId, recipientId, paymentId } = event.data;
      return [payerId, recipientId].map((userId) => ({
        ...lineOf(userId, paymentId),
        topics: ['transactions'],
      }));
    }
    case 'GuestTipsClaimed':
      return [user(event.data.userId, 'user', 'transactions')];
    case 'SettingSwitchedOn':
    case 'SettingSwitchedOff':
      return [user(event.data.userId, 'settings')];
    case 'SubscriptionCreated':
    case 'SubscriptionAmountChanged':
    case 'SubscriptionSourceChosen':
    case 'SubscriptionPaused':
    case 'SubscriptionResumed':
    case 'SubscriptionCanceled':
      return [user(event.data.payerId, 'subscriptions')];
    case 'PaymentScheduled':
    case 'ScheduledPaymentAmountChanged':
    case 'ScheduledPaymentSourceChosen':
    case 'ScheduledPaymentMoved':
    case 'ScheduledPaymentCanceled':
      return [user(event.data.payerId, 'scheduled-payments')];
    case 'OccurrenceClaimed':
    case 'OccurrencesSkipped':
    case 'OccurrenceRetried':
    case 'OccurrenceAttemptFailed':
    case 'OccurrenceConfirmationNeeded':
    case 'OccurrenceCollected':
    case 'OccurrenceFailed': {
      const { payerId, scheduleKind } = event.data;
      return [user(payerId, scheduleKind === 'subscription' ? 'subscriptions' : 'scheduled-payments')];
    }
    case 'BankAccountSubmitted':
    case 'PayoutAccountOpened':
    case 'BankAccountRefused':
      return NOBODY;
    case 'BankAccountAdded':
    case 'PrimaryBankAccountChosen':
    case 'BankAccountErrored':
    case 'BankAccountMended':
    case 'BankAccountRemoved':
      return [user(event.data.userId, 'bank-accounts')];
    case 'PayoutAccountClosed':
    case 'PayoutsEnabled':
    case 'PayoutsDisabled':
      return [user(event.data.userId, 'bank-accounts', 'payouts')];
    case 'UserVerified':
    case 'UserUnverified':
      return [user(event.data.userId, 'user')];
    case 'PayoutStepBegun':
      return NOBODY;
    // The schedule itself says the same.
    case 'ScheduleCounted':
    case 'ScheduleUncounted':
      return NOBODY;
    case 'PayoutDelayed':
    case 'PayoutAbandoned':
      return [user(event.data.userId, 'payouts')];
    case 'CardCustomerOpened':
    case 'CardCustomerClosed':
      return NOBODY;
    case 'CardSaved':
    case 'CardRemoved':
    case 'DefaultCardChanged':
      return [user(event.data.userId, 'payment-methods')];
  }
}
