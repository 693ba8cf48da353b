/**
 * A scheduled payment: one payer pays one recipient once, at a time to come. Pure; time arrives in the
 * command.
 */
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import type { Sealed } from '#contracts/events/journal';
import { BALANCE_THEN_CARD, isSameSource, type PaymentSource } from '#contracts/events/payment-source';
import { isOccurrenceEvent, type OccurrenceEvent } from '#contracts/events/occurrence';
import { type ScheduledPaymentEvent, scheduledPaymentStream } from '#contracts/events/schedule';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';
import {
  decideOutcome,
  ENDED_BECAUSE,
  evolveOccurrences,
  NO_OCCURRENCES,
  occurrenceIdFrom,
  isUnderWay,
  payNow,
  retry,
  skipOpen,
  type EndedFor,
  type OccurrenceOf,
  type Occurrences,
  type OutcomeCommand,
} from './occurrence.js';

interface ScheduledTerms {
  readonly scheduleId: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly dueAt: string;
  readonly description: Sealed | undefined;
}

export interface KnownScheduledPayment extends Occurrences {
  /**
   * `pending` until it ends; one that was called off while an attempt was under way ends with that attempt.
   */
  readonly status: 'pending' | 'completed' | 'failed' | 'canceled';
  /** As they are now; what is under way has those of when it began. */
  readonly terms: ScheduledTerms;
  readonly source: PaymentSource;
  readonly fingerprint: string;
  readonly isCalledOff: boolean;
}
export type ScheduledPayment = { readonly status: 'none' } | KnownScheduledPayment;

export type ScheduledPaymentCommand =
  | ({
      readonly type: 'SchedulePayment';
      /** Unless it is the usual one, `BALANCE_THEN_CARD`. */
      readonly source?: PaymentSource | undefined;
      readonly fingerprint: string;
      readonly now: Date;
    } & ScheduledTerms)
  | { readonly type: 'CancelScheduledPayment'; readonly by: string; readonly now: Date }
  /**
   * From the next attempt on; at another time also where it has failed. Throws Rejected('OccurrenceUnderWay')
   * for another time or amount while an attempt is under way.
   */
  | {
      readonly type: 'ChangeScheduledPayment';
      readonly by: string;
      readonly amountMinor?: number | undefined;
      readonly source?: PaymentSource | undefined;
      readonly dueAt?: string | undefined;
      readonly now: Date;
    }
  /** Tries it again now, where it has failed. */
  | { readonly type: 'PayNow'; readonly by: string; readonly dueAt: string; readonly now: Date }
  /** Ends it without its payer's doing. One that has ended stays as it ended. */
  | { readonly type: 'EndScheduledPayment'; readonly why: EndedFor; readonly now: Date }
  /** Claims the payment when it is due, or its next attempt. Nothing when nothing is due. */
  | { readonly type: 'ClaimDue'; readonly now: Date }
  | OutcomeCommand;

export const scheduledPayment: Decider<ScheduledPayment, ScheduledPaymentCommand, ScheduledPaymentEvent> = {
  streamOf: scheduledPaymentStream,
  initial: { status: 'none' },

  decide(command, state) {
    if (command.type === 'SchedulePayment') return schedule(command, state);
    // Somebody else's is not told apart from none.
    if (state.status === 'none' || ('by' in command && command.by !== state.terms.payerId))
      throw new Rejected('ScheduledPaymentNotFound');
    switch (command.type) {
      case 'CancelScheduledPayment':
        return cancel(state, command.now);
      case 'ChangeScheduledPayment':
        return changeTerms(command, state);
      case 'PayNow':
        if (state.isCalledOff) throw new Rejected('ScheduledPaymentEnded');
        return payNow(occurrenceOf(state), state, command.dueAt, command.now);
      case 'EndScheduledPayment':
        return state.status === 'pending'
          ? cancel(state, command.now, { code: command.why, reason: ENDED_BECAUSE[command.why] })
          : [];
      case 'ClaimDue':
        return claimDue(state, command.now);
      case 'RecordCollected':
      case 'RecordConfirmationNeeded':
      case 'RecordFailure':
        return decideOutcome(command, occurrenceOf(state), state.open);
    }
  },

  evolve(state, event) {
    if (event.type === 'PaymentScheduled') {
      const { fingerprint, at: _, description, ...terms } = event.data;
      return {
        status: 'pending',
        terms: { ...terms, description },
        fingerprint,
        isCalledOff: false,
        source: BALANCE_THEN_CARD,
        ...NO_OCCURRENCES,
      };
    }
    if (state.status === 'none') return state;
    if (isOccurrenceEvent(event)) {
      const terms = { amountMinor: state.terms.amountMinor, source: state.source };
      const next = { ...state, ...evolveOccurrences(state, event, terms) };
      if (event.type === 'OccurrenceCollected') return { ...next, status: 'completed' };
      if (event.type === 'OccurrenceRetried') return { ...next, status: 'pending' };
      // Called off while its last attempt was under way: to the payer it is canceled, and so it was.
      if (event.type === 'OccurrenceFailed')
        return { ...next, status: state.isCalledOff ? 'canceled' : 'failed' };
      return next;
    }
    switch (event.type) {
      case 'ScheduledPaymentAmountChanged':
        return { ...state, terms: { ...state.terms, amountMinor: event.data.amountMinor } };
      case 'ScheduledPaymentSourceChosen':
        return { ...state, source: event.data.source };
      case 'ScheduledPaymentMoved':
        return {
          ...state,
          ...NO_OCCURRENCES,
          status: 'pending',
          terms: { ...state.terms, dueAt: event.data.dueAt },
        };
      case 'ScheduledPaymentCanceled':
        return { ...state, status: isUnderWay(state.open) ? 'pending' : 'canceled', isCalledOff: true };
    }
  },
};

type Schedule = Extract<ScheduledPaymentCommand, { type: 'SchedulePayment' }>;

function schedule(
  { type: _, now, source, ...terms }: Schedule,
  state: ScheduledPayment,
): readonly ScheduledPaymentEvent[] {
  if (state.status !== 'none') {
    if (!sameFingerprint(state.fingerprint, terms.fingerprint)) throw new Rejected('KeyReused');
    return [];
  }
  if (terms.payerId === terms.recipientId) throw new Rejected('SamePerson');
  if (Date.parse(terms.dueAt) <= now.getTime()) throw new Rejected('DueInThePast', { dueAt: terms.dueAt });
  const { scheduleId, payerId } = terms;
  const at = now.toISOString();
  return [
    {
      type: 'PaymentScheduled',
      data: { ...terms, fingerprint: recordedFingerprint(terms.fingerprint), at },
    },
    ...chosen({ scheduleId, payerId, at }, source, BALANCE_THEN_CARD),
  ];
}

type SourceChosen = Extract<ScheduledPaymentEvent, { type: 'ScheduledPaymentSourceChosen' }>;

/** The event of a choice, where it differs from the source before. */
const chosen = (
  own: Omit<SourceChosen['data'], 'source'>,
  source: PaymentSource | undefined,
  before: PaymentSource,
): readonly SourceChosen[] =>
  source === undefined || isSameSource(source, before)
    ? []
    : [{ type: 'ScheduledPaymentSourceChosen', data: { ...own, source } }];

const occurrenceOf = ({ terms, isCalledOff }: KnownScheduledPayment): OccurrenceOf => ({
  scheduleKind: 'scheduled-payment',
  scheduleId: terms.scheduleId,
  payerId: terms.payerId,
  isActive: !isCalledOff,
  nextDueAt: undefined,
});

function cancel(
  state: KnownScheduledPayment,
  now: Date,
  why: { readonly code?: string; readonly reason?: string } = {},
): readonly ScheduledPaymentEvent[] {
  const { status, terms, isCalledOff, open } = state;
  if (isCalledOff) return [];
  if (status === 'completed') throw new Rejected('ScheduledPaymentCompleted');
  if (status === 'failed') throw new Rejected('ScheduledPaymentFailed');
  const at = now.toISOString();
  const { scheduleId, payerId, dueAt } = terms;
  const canceled: ScheduledPaymentEvent = {
    type: 'ScheduledPaymentCanceled',
    data: { scheduleId, payerId, ...why, at },
  };
  if (isUnderWay(open) || Date.parse(dueAt) > now.getTime()) return [canceled];
  return [skipOpen(occurrenceOf(state), { dueAt }, 'canceled', at), canceled];
}

function changeTerms(
  command: Extract<ScheduledPaymentCommand, { type: 'ChangeScheduledPayment' }>,
  state: KnownScheduledPayment,
): readonly ScheduledPaymentEvent[] {
  const { amountMinor, source, dueAt, now } = command;
  const { status, terms, isCalledOff, open } = state;
  if (isCalledOff || (status !== 'pending' && status !== 'failed'))
    throw new Rejected('ScheduledPaymentEnded');
  const { scheduleId, payerId } = terms;
  const own = { scheduleId, payerId, at: now.toISOString() };
  const events: ScheduledPaymentEvent[] = [];
  if (amountMinor !== undefined && amountMinor !== terms.amountMinor) {
    // It is paid once: changed now, it would be told as paid with an amount that was not charged.
    if (isUnderWay(open)) throw new Rejected('OccurrenceUnderWay', { scheduleId });
    events.push({ type: 'ScheduledPaymentAmountChanged', data: { ...own, amountMinor } });
  }
  events.push(...chosen(own, source, state.source));
  if (dueAt !== undefined && Date.parse(dueAt) !== Date.parse(terms.dueAt))
    events.push(...move(dueAt, state, now));
  return events;
}

function move(dueAt: string, state: KnownScheduledPayment, now: Date): readonly ScheduledPaymentEvent[] {
  const { status, terms, open } = state;
  if (isUnderWay(open)) throw new Rejected('OccurrenceUnderWay', { scheduleId: terms.scheduleId });
  if (Date.parse(dueAt) <= now.getTime()) throw new Rejected('DueInThePast', { dueAt });
  const { scheduleId, payerId } = terms;
  const at = now.toISOString();
  // What fell due before, and has not failed for good, gives way to the new time.
  const isDue = status === 'pending' && Date.parse(terms.dueAt) <= now.getTime();
  const skipped = isDue ? [skipOpen(occurrenceOf(state), { dueAt: terms.dueAt }, 'superseded', at)] : [];
  return [...skipped, { type: 'ScheduledPaymentMoved', data: { scheduleId, payerId, dueAt, at } }];
}

function claimDue(state: KnownScheduledPayment, now: Date): readonly OccurrenceEvent[] {
  const { status, terms, isCalledOff, open } = state;
  if (status !== 'pending' || isCalledOff) return [];
  if (open) return retry(occurrenceOf(state), open, now);
  const { scheduleId, payerId, dueAt } = terms;
  if (Date.parse(dueAt) > now.getTime()) return [];
  const id = occurrenceIdFrom(scheduleId, dueAt);
  const about = {
    scheduleKind: 'scheduled-payment',
    scheduleId,
    payerId,
    occurrenceId: id,
    dueAt,
    attempt: 1,
  } as const;
  return [{ type: 'OccurrenceClaimed', data: { ...about, at: now.toISOString() } }];
}
