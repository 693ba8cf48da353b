/**
 * A scheduled payment: one payer pays one recipient once, at a time to come. Pure; time arrives in the
 * command.
 */
import { recordedFingerprint, sameFingerprint } from '#contracts/plain/fingerprint';
import type { Sealed } from '#contracts/events/journal';
import { isOccurrenceEvent, type OccurrenceEvent } from '#contracts/events/occurrence';
import { type ScheduledPaymentEvent, scheduledPaymentStream } from '#contracts/events/schedule';
import { Rejected } from '../rejection.js';
import type { Decider } from '../streams/runner.js';
import {
  decideOutcome,
  ENDED_BECAUSE,
  evolveOccurrence,
  occurrenceIdFrom,
  isUnderWay,
  retry,
  type EndedFor,
  type OccurrenceOf,
  type OpenOccurrence,
  type OutcomeCommand,
} from './occurrence.js';

export interface ScheduledTerms {
  readonly scheduleId: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly dueAt: string;
  readonly description: Sealed | undefined;
}

export interface KnownScheduledPayment {
  /**
   * `pending` until it ends; one that was called off while an attempt was under way ends with that attempt.
   */
  readonly status: 'pending' | 'completed' | 'failed' | 'canceled';
  readonly terms: ScheduledTerms;
  readonly fingerprint: string;
  readonly isCalledOff: boolean;
  readonly open: OpenOccurrence | undefined;
}
export type ScheduledPayment = { readonly status: 'none' } | KnownScheduledPayment;

export type ScheduledPaymentCommand =
  | ({ readonly type: 'SchedulePayment'; readonly fingerprint: string; readonly now: Date } & ScheduledTerms)
  | { readonly type: 'CancelScheduledPayment'; readonly by: string; readonly now: Date }
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
    if (state.status === 'none') throw new Rejected('ScheduledPaymentNotFound');
    switch (command.type) {
      case 'CancelScheduledPayment':
        // Somebody else's is not told apart from none.
        if (command.by !== state.terms.payerId) throw new Rejected('ScheduledPaymentNotFound');
        return cancel(state, command.now);
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
        open: undefined,
      };
    }
    if (state.status === 'none') return state;
    if (isOccurrenceEvent(event)) {
      const open = evolveOccurrence(state.open, event);
      if (event.type === 'OccurrenceCollected') return { ...state, status: 'completed', open };
      // Called off while its last attempt was under way: to the payer it is canceled, and so it was.
      if (event.type === 'OccurrenceFailed')
        return { ...state, status: state.isCalledOff ? 'canceled' : 'failed', open };
      return { ...state, open };
    }
    return { ...state, status: isUnderWay(state.open) ? 'pending' : 'canceled', isCalledOff: true };
  },
};

type Schedule = Extract<ScheduledPaymentCommand, { type: 'SchedulePayment' }>;

function schedule(
  { type: _, now, ...terms }: Schedule,
  state: ScheduledPayment,
): readonly ScheduledPaymentEvent[] {
  if (state.status !== 'none') {
    if (!sameFingerprint(state.fingerprint, terms.fingerprint)) throw new Rejected('KeyReused');
    return [];
  }
  if (terms.payerId === terms.recipientId) throw new Rejected('SamePerson');
  if (Date.parse(terms.dueAt) <= now.getTime()) throw new Rejected('DueInThePast', { dueAt: terms.dueAt });
  return [
    {
      type: 'PaymentScheduled',
      data: { ...terms, fingerprint: recordedFingerprint(terms.fingerprint), at: now.toISOString() },
    },
  ];
}

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
  const skipped: OccurrenceEvent = {
    type: 'OccurrencesSkipped',
    data: {
      scheduleKind: 'scheduled-payment',
      scheduleId,
      payerId,
      firstDueAt: dueAt,
      lastDueAt: dueAt,
      count: 1,
      why: 'canceled',
      at,
    },
  };
  return [skipped, canceled];
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
