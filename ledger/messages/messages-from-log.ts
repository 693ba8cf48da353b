/**
 * Which events tell whom something: one function, pure but for what it looks up of an older event. The keys
 * are those of the business (a payment, a payout, an attempt), never of the event: a recovery writes the same
 * fact under another event id, and nobody is to hear of it twice.
 */
import type { AfterFailure } from '#contracts/api/messages';
import type { RecordedEvent } from '#contracts/log';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import { subscriptionStream } from '#contracts/events/subscription';
import type { ScheduleKind } from '#contracts/events/occurrence';
import type { Sealed } from '#contracts/events/journal';
import { isGuest } from '#contracts/plain/guest';
import type { NewMessage } from '../bus/messages.js';
import { forgettingAskedNews, forgettingEndedNews } from '../forgetting-news.js';
import { recoveryCompletedNews, recoveryRefusedNews, recoveryStartedNews } from '../recovery-news.js';
import type { MessageToKeep } from './message-store.js';

/** What a schedule pays, to whom. */
export interface ScheduleTerms {
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

export interface OlderFacts {
  /**
   * Of a schedule's stream; undefined where it does not begin as one. With `amountMinor`, what it was for at
   * the time, only its first event is read.
   */
  scheduleTerms(stream: string, amountMinor?: number): Promise<ScheduleTerms | undefined>;
  /** Whether a schedule was canceled by an event of its stream before this revision. */
  wasCanceled(stream: string, before: number): Promise<boolean>;
  /** Who has put what a guest paid into their own list. */
  claimerOf(guestId: string): Promise<string | undefined>;
  bankAccountOfPayout(userId: string, payoutId: string): Promise<string | undefined>;
  /** Whether a stream of passkeys has an event of this type about this passkey before this revision. */
  hadPasskeyEvent(stream: string, of: PasskeyChange, before: number): Promise<boolean>;
  /** When it was asked for, in a user's stream before this revision, that they be forgotten. */
  forgettingAskedAt(stream: string, before: number): Promise<string | undefined>;
  /**
   * When somebody's e-mail address was changed, as far as the one of before still hears of a recovery at this
   * time.
   */
  earlierAddresses(userId: string, at: Date): Promise<readonly string[]>;
  /**
   * The path that refuses a recovery, sealed; undefined where its token does not open, or nobody is told any
   * more.
   */
  refusalLink(userId: string, refusalToken: Sealed): Promise<Sealed | undefined>;
}

/** That a passkey was added, or removed. */
export interface PasskeyChange {
  readonly type: 'PasskeyEnrolled' | 'PasskeyRemoved';
  readonly passkeyId: string;
}

type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;
type FailedOccurrence = EventOf<
  'OccurrenceAttemptFailed' | 'OccurrenceConfirmationNeeded' | 'OccurrenceFailed'
>;

/** What an event tells, to whom; nothing, mostly. */
export async function messagesOf(event: RecordedEvent, older: OlderFacts): Promise<MessageToKeep[]> {
  const told = await newsOf(event, older);
  const { recovered: isRecovered } = event.metadata;
  return told.map((message) => ({ ...message, isRecovered }));
}

async function newsOf(event: RecordedEvent, older: OlderFacts): Promise<MessageToKeep[]> {
  const at = new Date('occurredAt' in event.data ? event.data.occurredAt : event.metadata.recordedAt);
  switch (event.type) {
    case 'PasskeyEnrolled':
    case 'PasskeyRemoved':
      return [await passkeyNews(event, at, older)];
    case 'SettingSwitchedOff': {
      const { userId, setting } = event.data;
      if (setting !== 'biometricEnabled') return [];
      return [{ userId, kind: 'passkey_switched_off', key: event.metadata.recordedAt, facts: {}, at }];
    }
    case 'ProfileChanged': {
      const { userId, newAddressAt: changedAt } = event.data;
      if (changedAt === undefined) return [];
      return [
        { userId, kind: 'address_changed', key: changedAt, facts: { changedAt }, at: new Date(changedAt) },
      ];
    }
    case 'ForgettingRequested':
      return [forgettingAskedNews(event.data)];
    case 'ForgettingRequestEnded': {
      const { stream, revision, data } = event;
      const requestedAt = await older.forgettingAskedAt(stream, revision);
      return requestedAt === undefined ? [] : [forgettingEndedNews(data, requestedAt)];
    }
    case 'AccountRecoveryStarted':
      return recoveryNews(event, older);
    case 'AccountRecoveryRefused': {
      const { userId, recoveryId, refusedAt } = event.data;
      return [recoveryRefusedNews(userId, recoveryId, new Date(refusedAt))];
    }
    case 'AccountRecoveryCompleted': {
      const { userId, recoveryId, completedAt } = event.data;
      return [recoveryCompletedNews(userId, recoveryId, new Date(completedAt))];
    }
    case 'BankAccountAdded': {
      const { userId, bankAccountId } = event.data;
      return [{ userId, kind: 'bank_account_added', key: bankAccountId, facts: { bankAccountId }, at }];
    }
    case 'PayoutRequested':
    case 'PayoutCompleted':
    case 'PayoutFailed':
      return [await payoutNews(event, at, older)];
    case 'PaymentSettled': {
      const { paymentId, ...payment } = event.data;
      return paymentNews({ paymentId, ...payment }, at);
    }
    case 'TransferPosted': {
      const { transferId: paymentId, ...payment } = event.data;
      return paymentNews({ paymentId, ...payment }, at);
    }
    case 'PayerThanked': {
      const { payerId, ...facts } = event.data;
      const kind = isGuest(payerId) ? 'guest_thanks' : 'thanks';
      return [{ userId: payerId, kind, key: facts.paymentId, facts, at }];
    }
    case 'PaymentRefunded':
    case 'RefundFailed':
      return refundNews(event, at, older);
    case 'DisputeOpened':
    case 'DisputeWon':
    case 'DisputeLost':
      return disputeNews(event, at);
    case 'OccurrenceAttemptFailed':
    case 'OccurrenceConfirmationNeeded':
    case 'OccurrenceFailed':
      return failureNews(event, at, older);
    case 'SubscriptionPaused':
      return pauseNews(event, at, older);
    case 'SubscriptionCanceled':
      return endNews('subscription', event.data.subscriptionId, event.data, at, older);
    case 'ScheduledPaymentCanceled':
      return endNews('scheduled-payment', event.data.scheduleId, event.data, at, older);
    default:
      return [];
  }
}

/**
 * A passkey that was removed may be added once more, by the very thief whose it was: its owner hears of each
 * time. The first is known by the passkey alone, as it was before.
 */
async function passkeyNews(
  event: EventOf<PasskeyChange['type']>,
  at: Date,
  older: OlderFacts,
): Promise<NewMessage> {
  const { type, stream, revision, metadata } = event;
  const { userId, passkeyId } = event.data;
  const isAgain = await older.hadPasskeyEvent(stream, { type, passkeyId }, revision);
  const key = isAgain ? `${passkeyId}:${metadata.recordedAt}` : passkeyId;
  const kind = type === 'PasskeyEnrolled' ? 'passkey_added' : 'passkey_removed';
  return { userId, kind, key, facts: {}, at };
}

/**
 * By the log and not only by the ledger that was asked: the asker may be a thief, who would not ask again
 * after one that died before it told anybody.
 */
async function recoveryNews(
  { data }: EventOf<'AccountRecoveryStarted'>,
  older: OlderFacts,
): Promise<MessageToKeep[]> {
  const { userId, startedAt, refusalToken } = data;
  const sealedLink = await older.refusalLink(userId, refusalToken);
  const earlier = await older.earlierAddresses(userId, new Date(startedAt));
  return recoveryStartedNews(userId, data, earlier).map((message) => ({ ...message, sealedLink }));
}

async function payoutNews(
  event: EventOf<'PayoutRequested' | 'PayoutCompleted' | 'PayoutFailed'>,
  at: Date,
  older: OlderFacts,
): Promise<NewMessage> {
  const { payoutId, userId, amountMinor, currency } = event.data;
  const bankAccountId =
    event.type === 'PayoutRequested'
      ? event.data.bankAccountId
      : await older.bankAccountOfPayout(userId, payoutId);
  const facts = { payoutId, bankAccountId, amountMinor, currency };
  const about = { userId, key: payoutId, at };
  if (event.type === 'PayoutRequested') return { ...about, kind: 'payout_requested', facts };
  if (event.type === 'PayoutCompleted') return { ...about, kind: 'payout_paid', facts };
  const { reason, madeUpMinor } = event.data;
  const parts = madeUpMinor === undefined ? {} : { madeUpMinor };
  return { ...about, kind: 'payout_failed', facts: { ...facts, reason, ...parts } };
}

interface PaidPayment {
  readonly paymentId: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

function paymentNews(payment: PaidPayment, at: Date): NewMessage[] {
  const { paymentId: key, payerId, recipientId, amountMinor, currency } = payment;
  const paid = { paymentId: key, amountMinor, currency };
  const receipt = { userId: payerId, kind: 'receipt', key, facts: { ...paid, recipientId }, at } as const;
  return [
    // A guest has no list of messages, and asks for a receipt where they want one.
    ...(isGuest(payerId) ? [] : [receipt]),
    { userId: recipientId, kind: 'tip_received', key, facts: { ...paid, payerId }, at },
  ];
}

async function refundNews(
  event: EventOf<'PaymentRefunded' | 'RefundFailed'>,
  at: Date,
  older: OlderFacts,
): Promise<NewMessage[]> {
  const { paymentId, payerId, recipientId, refundId: key, amountMinor } = event.data;
  const toRecipient = { userId: recipientId, key, facts: { paymentId, payerId, amountMinor }, at };
  // What a dispute took of it has been told of by the dispute.
  const { recipientMinor = amountMinor } = event.data;
  const kind = event.type === 'RefundFailed' ? 'refund_failed' : 'tip_refunded';
  const news: readonly NewMessage[] =
    recipientMinor === 0
      ? []
      : [{ ...toRecipient, facts: { ...toRecipient.facts, amountMinor: recipientMinor }, kind }];
  if (event.type === 'RefundFailed') return [...news];
  const toPayer = { key, facts: { paymentId, recipientId, amountMinor }, at };
  const told: NewMessage[] = [];
  if (isGuest(payerId)) told.push({ ...toPayer, userId: payerId, kind: 'guest_refunded' });
  // The mail goes to the address that the guest wrote. Whoever claimed the receipt has it in their list.
  const userId = isGuest(payerId) ? await older.claimerOf(payerId) : payerId;
  if (userId !== undefined && userId !== recipientId)
    told.push({ ...toPayer, userId, kind: 'payment_refunded' });
  return [...told, ...news];
}

const DISPUTE_NEWS = {
  DisputeOpened: 'dispute_opened',
  DisputeWon: 'dispute_won',
  DisputeLost: 'dispute_lost',
} as const;

/** A charge that paid for nothing we know of concerns nobody but the platform. */
function disputeNews({ type, data }: EventOf<keyof typeof DISPUTE_NEWS>, at: Date): NewMessage[] {
  const { disputeId, paymentId, payerId, recipientId, amountMinor } = data;
  if (paymentId === undefined || payerId === undefined || recipientId === undefined) return [];
  const facts = { disputeId, paymentId, payerId, amountMinor };
  return [{ userId: recipientId, kind: DISPUTE_NEWS[type], key: disputeId, facts, at }];
}

/** Whoever ended it themselves knows, and nobody who has left is told. */
async function endNews(
  scheduleKind: ScheduleKind,
  scheduleId: string,
  { payerId, code, reason }: { payerId: string; code?: string | undefined; reason?: string | undefined },
  at: Date,
  older: OlderFacts,
): Promise<NewMessage[]> {
  if (code === undefined || code === 'payer_forgotten' || reason === undefined) return [];
  const terms = await older.scheduleTerms(streamOf(scheduleKind, scheduleId));
  if (terms === undefined) return [];
  return [
    {
      userId: payerId,
      kind: 'schedule_ended',
      key: scheduleId,
      facts: { scheduleKind, scheduleId, ...terms, reason },
      at,
    },
  ];
}

const streamOf = (kind: ScheduleKind, id: string): string =>
  kind === 'subscription' ? subscriptionStream(id) : scheduledPaymentStream(id);

async function failureNews(event: FailedOccurrence, at: Date, older: OlderFacts): Promise<NewMessage[]> {
  const { scheduleKind, scheduleId, payerId, occurrenceId, attempt, reason, paymentId, charged } = event.data;
  const stream = streamOf(scheduleKind, scheduleId);
  const terms = await older.scheduleTerms(stream, event.data.amountMinor);
  if (terms === undefined) return [];
  // What was canceled while it was under way can be neither paid now nor changed.
  const isCanceled = event.type === 'OccurrenceFailed' && (await older.wasCanceled(stream, event.revision));
  const next = nextStepOf(event);
  const { by } = next;
  const then = isCanceled ? 'canceled' : next.then;
  return [
    {
      userId: payerId,
      kind: 'payment_failed',
      // What it was known by before there was another word for it.
      key: `${occurrenceId}:${attempt}:${next.then}`,
      facts: { scheduleKind, scheduleId, ...terms, reason, then, by, paymentId, charged },
      at,
    },
  ];
}

function nextStepOf(event: FailedOccurrence): { then: AfterFailure; by?: string } {
  if (event.type === 'OccurrenceAttemptFailed') return { then: 'tried-again', by: event.data.retryAt };
  if (event.type === 'OccurrenceConfirmationNeeded')
    return { then: 'needs-confirmation', by: event.data.confirmBy };
  return { then: event.data.scheduleKind === 'subscription' ? 'paused' : 'given-up' };
}

/** A pause by a failed payment is told by that; this one is by a recovery of the log. */
async function pauseNews(
  { data }: EventOf<'SubscriptionPaused'>,
  at: Date,
  older: OlderFacts,
): Promise<NewMessage[]> {
  const { subscriptionId, payerId, code, reason } = data;
  if (code !== 'log_recovery' || reason === undefined) return [];
  const terms = await older.scheduleTerms(subscriptionStream(subscriptionId));
  if (terms === undefined) return [];
  return [
    {
      userId: payerId,
      kind: 'payment_failed',
      key: `${subscriptionId}:paused:${data.at}`,
      facts: {
        scheduleKind: 'subscription',
        scheduleId: subscriptionId,
        ...terms,
        reason,
        then: 'uncertain',
      },
      at,
    },
  ];
}
