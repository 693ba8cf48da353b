/**
 * A subscription: one payer pays one recipient the same amount again and again. Pure; time arrives in the
 * command.
 */
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import type { Sealed } from '#contracts/events/journal';
import { BALANCE_THEN_CARD, isSameSource, type PaymentSource } from '#contracts/events/payment-source';
import { isOccurrenceEvent, type OccurrenceEvent, type SkipReason } from '#contracts/events/occurrence';
import { type SubscriptionEvent, subscriptionStream } from '#contracts/events/subscription';
import { dueTime, firstDueAfter, lastDueNumber, type Frequency } from '#contracts/plain/recurrence';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';
import {
  decideOutcome,
  ENDED_BECAUSE,
  evolveOccurrences,
  NO_OCCURRENCES,
  occurrenceIdFrom,
  payNow,
  retry,
  skipOpen,
  type EndedFor,
  type OccurrenceOf,
  type Occurrences,
  type OutcomeCommand,
} from './occurrence.js';

interface SubscriptionTerms {
  readonly subscriptionId: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly frequency: Frequency;
  readonly description: Sealed | undefined;
}

export interface KnownSubscription extends Occurrences {
  readonly status: 'active' | 'paused' | 'canceled';
  /** As they are now; what is under way has those of when it began. */
  readonly terms: SubscriptionTerms;
  readonly source: PaymentSource;
  /** HMAC of the request that made it: the same key with another one is refused. */
  readonly fingerprint: string;
  readonly firstDueAt: string;
  /** The first due time that was neither claimed nor skipped. */
  readonly nextDueAt: string;
}
export type Subscription = { readonly status: 'none' } | KnownSubscription;

export type SubscriptionCommand =
  | ({
      readonly type: 'CreateSubscription';
      /** Unless it is the usual one, `BALANCE_THEN_CARD`. */
      readonly source?: PaymentSource | undefined;
      readonly fingerprint: string;
      readonly now: Date;
    } & SubscriptionTerms)
  | {
      readonly type: 'PauseSubscription' | 'ResumeSubscription' | 'CancelSubscription';
      readonly by: string;
      readonly now: Date;
    }
  /** From the next attempt on. */
  | {
      readonly type: 'ChangeSubscription';
      readonly by: string;
      readonly amountMinor?: number | undefined;
      readonly source?: PaymentSource | undefined;
      readonly now: Date;
    }
  /** Tries the failed payment of a due time again now, and resumes the subscription that it has paused. */
  | { readonly type: 'PayNow'; readonly by: string; readonly dueAt: string; readonly now: Date }
  /** Nothing more is collected until its payer resumes it: the log has lost what was collected lately. */
  | { readonly type: 'PauseAfterRecovery'; readonly now: Date }
  /** Ends it without its payer's doing. */
  | { readonly type: 'EndSubscription'; readonly why: EndedFor; readonly now: Date }
  /**
   * Claims what is due: the latest due time, or the next attempt at the one that waits. Nothing when nothing
   * is due.
   */
  | { readonly type: 'ClaimDue'; readonly now: Date }
  | OutcomeCommand;

export const subscription: Decider<Subscription, SubscriptionCommand, SubscriptionEvent> = {
  streamOf: subscriptionStream,
  initial: { status: 'none' },

  decide(command, state) {
    if (command.type === 'CreateSubscription') return create(command, state);
    // Somebody else's is not told apart from none.
    if (state.status === 'none' || ('by' in command && command.by !== state.terms.payerId))
      throw new Rejected('SubscriptionNotFound');
    switch (command.type) {
      case 'PauseSubscription':
      case 'ResumeSubscription':
      case 'CancelSubscription':
        return change(command.type, state, command.now);
      case 'ChangeSubscription':
        return changeTerms(command, state);
      case 'PayNow':
        return retryNow(command.dueAt, state, command.now);
      case 'PauseAfterRecovery': {
        if (state.status !== 'active') return [];
        const { subscriptionId, payerId } = state.terms;
        const why = { code: 'log_recovery', reason: ENDED_BECAUSE.log_recovery };
        const data = { subscriptionId, payerId, ...why, at: command.now.toISOString() };
        return [...dropUnclaimed(state, 'paused', command.now), { type: 'SubscriptionPaused', data }];
      }
      case 'EndSubscription':
        return cancel(state, command.now, { code: command.why, reason: ENDED_BECAUSE[command.why] });
      case 'ClaimDue':
        return claimDue(state, command.now);
      case 'RecordCollected':
      case 'RecordConfirmationNeeded':
      case 'RecordFailure': {
        const events = decideOutcome(command, occurrenceOf(state), state.open);
        const failed = events.find((event) => event.type === 'OccurrenceFailed');
        if (failed === undefined || state.status !== 'active') return events;
        const { code, reason, at } = failed.data;
        const { subscriptionId, payerId } = state.terms;
        // What fell due while that attempt was under way is not collected either, and the log says so.
        return [
          ...events,
          ...skipThrough(state, command.now, 'paused', command.now),
          { type: 'SubscriptionPaused', data: { subscriptionId, payerId, code, reason, at } },
        ];
      }
    }
  },

  evolve(state, event) {
    if (event.type === 'SubscriptionCreated') {
      const { fingerprint, firstDueAt, at: _, description, ...terms } = event.data;
      const known = {
        terms: { ...terms, description },
        fingerprint,
        firstDueAt,
        nextDueAt: firstDueAt,
        source: BALANCE_THEN_CARD,
        ...NO_OCCURRENCES,
      };
      return { status: 'active', ...known };
    }
    if (state.status === 'none') return state;
    if (isOccurrenceEvent(event)) {
      const nextDueAt = ('nextDueAt' in event.data ? event.data.nextDueAt : undefined) ?? state.nextDueAt;
      const terms = { amountMinor: state.terms.amountMinor, source: state.source };
      return { ...state, nextDueAt, ...evolveOccurrences(state, event, terms) };
    }
    switch (event.type) {
      case 'SubscriptionAmountChanged':
        return { ...state, terms: { ...state.terms, amountMinor: event.data.amountMinor } };
      case 'SubscriptionSourceChosen':
        return { ...state, source: event.data.source };
      case 'SubscriptionPaused':
        return { ...state, status: 'paused' };
      case 'SubscriptionResumed':
        return { ...state, status: 'active' };
      case 'SubscriptionCanceled':
        return { ...state, status: 'canceled' };
    }
  },
};

type Create = Extract<SubscriptionCommand, { type: 'CreateSubscription' }>;

function create(
  { type: _, now, source, ...terms }: Create,
  state: Subscription,
): readonly SubscriptionEvent[] {
  if (state.status !== 'none') {
    if (!sameFingerprint(state.fingerprint, terms.fingerprint)) throw new Rejected('KeyReused');
    return [];
  }
  if (terms.payerId === terms.recipientId) throw new Rejected('SamePerson');
  const at = now.toISOString();
  return [
    {
      type: 'SubscriptionCreated',
      data: { ...terms, fingerprint: recordedFingerprint(terms.fingerprint), firstDueAt: at, at },
    },
    ...chosen(
      { subscriptionId: terms.subscriptionId, payerId: terms.payerId, at },
      source,
      BALANCE_THEN_CARD,
    ),
  ];
}

type SourceChosen = Extract<SubscriptionEvent, { type: 'SubscriptionSourceChosen' }>;

/** The event of a choice, where it differs from the source before. */
const chosen = (
  own: Omit<SourceChosen['data'], 'source'>,
  source: PaymentSource | undefined,
  before: PaymentSource,
): readonly SourceChosen[] =>
  source === undefined || isSameSource(source, before)
    ? []
    : [{ type: 'SubscriptionSourceChosen', data: { ...own, source } }];

const occurrenceOf = ({ status, terms, nextDueAt }: KnownSubscription): OccurrenceOf => ({
  scheduleKind: 'subscription',
  scheduleId: terms.subscriptionId,
  payerId: terms.payerId,
  isActive: status === 'active',
  nextDueAt,
});

function change(
  type: 'PauseSubscription' | 'ResumeSubscription' | 'CancelSubscription',
  state: KnownSubscription,
  now: Date,
): readonly SubscriptionEvent[] {
  const { subscriptionId, payerId } = state.terms;
  const data = { subscriptionId, payerId, at: now.toISOString() };
  if (type === 'CancelSubscription') return cancel(state, now);
  if (state.status === 'canceled') throw new Rejected('SubscriptionCanceled');
  if (type === 'PauseSubscription')
    return state.status === 'paused'
      ? []
      : [...dropUnclaimed(state, 'paused', now), { type: 'SubscriptionPaused', data }];
  return state.status === 'active'
    ? []
    : [...dropUnclaimed(state, 'paused', now), { type: 'SubscriptionResumed', data }];
}

function changeTerms(
  { amountMinor, source, now }: Extract<SubscriptionCommand, { type: 'ChangeSubscription' }>,
  state: KnownSubscription,
): readonly SubscriptionEvent[] {
  if (state.status === 'canceled') throw new Rejected('SubscriptionCanceled');
  const { subscriptionId, payerId } = state.terms;
  const own = { subscriptionId, payerId, at: now.toISOString() };
  const events: SubscriptionEvent[] = [];
  if (amountMinor !== undefined && amountMinor !== state.terms.amountMinor)
    events.push({ type: 'SubscriptionAmountChanged', data: { ...own, amountMinor } });
  return [...events, ...chosen(own, source, state.source)];
}

function retryNow(dueAt: string, state: KnownSubscription, now: Date): readonly SubscriptionEvent[] {
  if (state.status === 'canceled') throw new Rejected('SubscriptionCanceled');
  const attempt = payNow(occurrenceOf(state), state, dueAt, now);
  if (attempt.length === 0 || state.status === 'active') return attempt;
  const { subscriptionId, payerId } = state.terms;
  const data = { subscriptionId, payerId, at: now.toISOString() };
  return [{ type: 'SubscriptionResumed', data }, ...attempt];
}

function cancel(
  state: KnownSubscription,
  now: Date,
  why: { readonly code?: string; readonly reason?: string } = {},
): readonly SubscriptionEvent[] {
  if (state.status === 'canceled') return [];
  const { subscriptionId, payerId } = state.terms;
  return [
    ...dropUnclaimed(state, state.status === 'paused' ? 'paused' : 'canceled', now),
    { type: 'SubscriptionCanceled', data: { subscriptionId, payerId, ...why, at: now.toISOString() } },
  ];
}

/**
 * What is due and not under way ends here: an occurrence between two attempts, and due times that nobody has
 * claimed.
 */
function dropUnclaimed(state: KnownSubscription, why: SkipReason, now: Date): readonly OccurrenceEvent[] {
  const { open } = state;
  const waiting =
    open?.stage.kind === 'waiting' ? [skipOpen(occurrenceOf(state), open, why, now.toISOString())] : [];
  return [...waiting, ...skipThrough(state, now, why, now)];
}

/** Skips the unclaimed due times up to and including a moment. */
function skipThrough(
  state: KnownSubscription,
  through: Date,
  why: SkipReason,
  now: Date,
): readonly OccurrenceEvent[] {
  const { terms, firstDueAt, nextDueAt } = state;
  const anchor = new Date(firstDueAt);
  const first = lastDueNumber(anchor, terms.frequency, new Date(nextDueAt));
  const last = lastDueNumber(anchor, terms.frequency, through);
  if (last < first) return [];
  return [
    {
      type: 'OccurrencesSkipped',
      data: {
        scheduleKind: 'subscription',
        scheduleId: terms.subscriptionId,
        payerId: terms.payerId,
        firstDueAt: nextDueAt,
        lastDueAt: dueTime(anchor, terms.frequency, last).toISOString(),
        count: last - first + 1,
        why,
        nextDueAt: dueTime(anchor, terms.frequency, last + 1).toISOString(),
        at: now.toISOString(),
      },
    },
  ];
}

function claimDue(state: KnownSubscription, now: Date): readonly OccurrenceEvent[] {
  const { status, terms, firstDueAt, nextDueAt, open } = state;
  if (status !== 'active') return [];
  const isDue = Date.parse(nextDueAt) <= now.getTime();
  if (open && (open.stage.kind !== 'waiting' || !isDue)) return retry(occurrenceOf(state), open, now);
  if (!isDue) return [];
  // Of several overdue ones only the latest is collected, whether they were never claimed or wait for another
  // attempt.
  const anchor = new Date(firstDueAt);
  const latest = dueTime(anchor, terms.frequency, lastDueNumber(anchor, terms.frequency, now));
  const dueAt = latest.toISOString();
  const before = new Date(latest.getTime() - 1);
  const superseded = open ? [skipOpen(occurrenceOf(state), open, 'superseded', now.toISOString())] : [];
  return [
    ...superseded,
    ...skipThrough(state, before, 'superseded', now),
    {
      type: 'OccurrenceClaimed',
      data: {
        scheduleKind: 'subscription',
        scheduleId: terms.subscriptionId,
        payerId: terms.payerId,
        occurrenceId: occurrenceIdFrom(terms.subscriptionId, dueAt),
        dueAt,
        attempt: 1,
        nextDueAt: firstDueAfter(anchor, terms.frequency, latest).toISOString(),
        at: now.toISOString(),
      },
    },
  ];
}
