/**
 * One claimed due time on its way to its end, alike for subscriptions and scheduled payments. Pure. An
 * attempt is collecting until its route is resolved; then it is collected, or failed and waiting for the next
 * attempt, or given up. What the payer's bank wants confirmed waits for the payer, for a while.
 */
import type { Charged, OccurrenceEvent, ScheduleKind, SkipReason } from '#contracts/events/occurrence';
import type { PaymentSource } from '#contracts/events/payment-source';
import { idFrom } from '../journal/keys.js';
import { Rejected } from '../rejection.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long after a failed attempt the next one is made, by the number of the attempt that failed. */
export const RETRY_AFTER_MS: readonly number[] = [HOUR_MS, DAY_MS, 3 * DAY_MS];
/** How long a payment waits for the payer to confirm it, unless the next due time is sooner. */
const CONFIRM_WITHIN_MS = DAY_MS;

/**
 * How often one due time is tried at most, so that nobody wears out a card: four attempts are made by
 * themselves.
 */
const MOST_ATTEMPTS = 12;

/** Why a schedule ends without its payer's doing. */
export type EndedFor = 'payer_forgotten' | 'recipient_forgotten' | 'log_recovery';

/** What the payer is told; a payer who is gone is told nothing, and the log says so. */
export const ENDED_BECAUSE: Readonly<Record<EndedFor, string>> = {
  payer_forgotten: 'The payer has closed their account.',
  recipient_forgotten: 'The recipient has closed their account.',
  log_recovery:
    'An outage lost the record of this time, so it is not certain whether this was paid. Please check, and start it again if it is wanted.',
};

/** What an attempt collects: as it was when the attempt began, whatever its payer changes meanwhile. */
interface AttemptTerms {
  readonly amountMinor: number;
  readonly source: PaymentSource;
}

/** An occurrence of which no further attempt is made by itself. */
export interface FailedOccurrence {
  readonly occurrenceId: string;
  readonly dueAt: string;
  readonly attempt: number;
  /** How many of the attempts the payer asked for. */
  readonly asked: number;
}

/** An occurrence that has been claimed and has not ended. */
export interface OpenOccurrence extends FailedOccurrence {
  readonly terms: AttemptTerms;
  readonly stage:
    | { readonly kind: 'collecting' }
    | { readonly kind: 'confirming'; readonly paymentId: string; readonly confirmBy: string }
    | { readonly kind: 'waiting'; readonly retryAt: string };
}

/**
 * What became of an attempt, told to the schedule's stream. A repeat, or word of an attempt that has ended,
 * is quiet.
 */
export type OutcomeCommand = {
  readonly occurrenceId: string;
  readonly attempt: number;
  readonly now: Date;
} & (
  | { readonly type: 'RecordCollected'; readonly paidBy: 'balance' | 'card'; readonly transactionId: string }
  | {
      readonly type: 'RecordConfirmationNeeded';
      readonly paymentId: string;
      readonly reason: string;
      readonly charged?: Charged | undefined;
      /** How long the payment can still be confirmed, if known: a late charge has used up part of its day. */
      readonly openForMs?: number | undefined;
    }
  | {
      readonly type: 'RecordFailure';
      readonly code: string;
      readonly reason: string;
      readonly paymentId?: string | undefined;
      readonly charged?: Charged | undefined;
      /** No further attempt can help. */
      readonly isFinal: boolean;
      /** We did not get to it in time; the payer has nothing to do with it. */
      readonly isOurs: boolean;
    }
);

/** The schedule that an occurrence belongs to, as far as its rules need it. */
export interface OccurrenceOf {
  readonly scheduleKind: ScheduleKind;
  readonly scheduleId: string;
  readonly payerId: string;
  /** Whether the payer still wants it: neither paused nor canceled. */
  readonly isActive: boolean;
  /** When the next occurrence is due: no attempt is made from then on. */
  readonly nextDueAt: string | undefined;
}

/** The same schedule and due time are the same occurrence, whoever finds it due and however often. */
export const occurrenceIdFrom = (scheduleId: string, dueAt: string): string =>
  idFrom('occ', `${scheduleId}\0${dueAt}`);

/** Whether an attempt is under way, so that neither a pause nor a cancel stops it. */
export const isUnderWay = (open: OpenOccurrence | undefined): boolean =>
  open !== undefined && open.stage.kind !== 'waiting';

/** The events that an attempt's outcome causes. */
export function decideOutcome(
  command: OutcomeCommand,
  of: OccurrenceOf,
  open: OpenOccurrence | undefined,
): readonly OccurrenceEvent[] {
  if (open === undefined || open.occurrenceId !== command.occurrenceId) return [];
  const { scheduleKind, scheduleId, payerId } = of;
  const at = command.now.toISOString();
  const about = {
    scheduleKind,
    scheduleId,
    payerId,
    occurrenceId: open.occurrenceId,
    dueAt: open.dueAt,
    attempt: command.attempt,
    at,
  };
  if (command.type === 'RecordCollected') {
    const { paidBy, transactionId } = command;
    // Also of an attempt before this one: where the journal says that money moved, nothing more is collected
    // for it.
    return command.attempt <= open.attempt
      ? [{ type: 'OccurrenceCollected', data: { ...about, paidBy, transactionId } }]
      : [];
  }
  if (command.attempt !== open.attempt) return [];
  const attempted = { amountMinor: open.terms.amountMinor };
  if (command.type === 'RecordConfirmationNeeded') {
    if (open.stage.kind !== 'collecting') return [];
    const { paymentId, reason, charged, openForMs = CONFIRM_WITHIN_MS } = command;
    const latest = command.now.getTime() + Math.min(openForMs, CONFIRM_WITHIN_MS);
    const confirmBy = new Date(
      Math.min(latest, of.nextDueAt === undefined ? latest : Date.parse(of.nextDueAt)),
    ).toISOString();
    return [
      {
        type: 'OccurrenceConfirmationNeeded',
        data: { ...about, ...attempted, paymentId, reason, charged, confirmBy },
      },
    ];
  }
  if (open.stage.kind === 'waiting') return [];
  const { code, reason, paymentId, charged, isFinal, isOurs } = command;
  const nextDueMs = of.nextDueAt === undefined ? Infinity : Date.parse(of.nextDueAt);
  if (isOurs && of.isActive && command.now.getTime() >= nextDueMs)
    return [skipOpen(of, open, 'superseded', at)];
  // What was no doing of the payer's ends nothing for them: it is tried again, however often it was.
  // An attempt that the payer asked for uses up none of those that are made by themselves.
  const after = RETRY_AFTER_MS[open.attempt - open.asked - 1] ?? (isOurs ? RETRY_AFTER_MS.at(-1) : undefined);
  const againMs = after === undefined ? Infinity : command.now.getTime() + after;
  const retryMs = isOurs ? Math.min(againMs, nextDueMs) : againMs;
  const isInTime = isOurs || retryMs < nextDueMs;
  return of.isActive && !isFinal && isInTime && Number.isFinite(retryMs)
    ? [
        {
          type: 'OccurrenceAttemptFailed',
          data: {
            ...about,
            ...attempted,
            code,
            reason,
            paymentId,
            charged,
            retryAt: new Date(retryMs).toISOString(),
          },
        },
      ]
    : [{ type: 'OccurrenceFailed', data: { ...about, ...attempted, code, reason, paymentId, charged } }];
}

/** Gives up a claimed occurrence between two attempts, without a failure. */
export const skipOpen = (
  { scheduleKind, scheduleId, payerId, nextDueAt }: OccurrenceOf,
  { dueAt }: Pick<OpenOccurrence, 'dueAt'>,
  why: SkipReason,
  at: string,
): OccurrenceEvent => ({
  type: 'OccurrencesSkipped',
  data: {
    scheduleKind,
    scheduleId,
    payerId,
    firstDueAt: dueAt,
    lastDueAt: dueAt,
    count: 1,
    why,
    nextDueAt,
    at,
  },
});

/** The next attempt at an occurrence that waits, if its time has come. */
export function retry(of: OccurrenceOf, open: OpenOccurrence, now: Date): readonly OccurrenceEvent[] {
  if (open.stage.kind !== 'waiting' || Date.parse(open.stage.retryAt) > now.getTime()) return [];
  return [{ type: 'OccurrenceRetried', data: nextAttempt(of, open, now) }];
}

const nextAttempt = (
  { scheduleKind, scheduleId, payerId }: OccurrenceOf,
  { occurrenceId, dueAt, attempt }: FailedOccurrence,
  now: Date,
) => ({
  scheduleKind,
  scheduleId,
  payerId,
  occurrenceId,
  dueAt,
  attempt: attempt + 1,
  at: now.toISOString(),
});

/** What has become of the latest due times of a schedule. */
export interface Occurrences {
  readonly open: OpenOccurrence | undefined;
  /** Given up, and nothing else has begun since. */
  readonly failed: FailedOccurrence | undefined;
  /** The due time that was paid last. */
  readonly paidDueAt: string | undefined;
  /** Why the last attempt failed, until one succeeds. */
  readonly lastFailure: LastFailure | undefined;
}

interface LastFailure {
  readonly reason: string;
  readonly charged: Charged | undefined;
}

export const NO_OCCURRENCES: Occurrences = {
  open: undefined,
  failed: undefined,
  paidDueAt: undefined,
  lastFailure: undefined,
};

/**
 * The payer asks for another attempt at the failed payment of a due time, now. It is the next attempt at the
 * same occurrence, as a retry by itself would be: of two who begin it at once one is told by the stream that
 * the other has, so a due time is never paid twice. Nothing where that is under way, or paid. Throws
 * Rejected('NothingToPayNow') where no payment of that time has failed or the next one is due already, and
 * Rejected('TriedTooOften').
 */
export function payNow(
  of: OccurrenceOf,
  { open, failed, paidDueAt }: Occurrences,
  dueAt: string,
  now: Date,
): readonly OccurrenceEvent[] {
  const isAsked = (time: string | undefined): boolean =>
    time !== undefined && Date.parse(time) === Date.parse(dueAt);
  if (isAsked(paidDueAt)) return [];
  const last = open ?? failed;
  if (last === undefined || !isAsked(last.dueAt)) throw new Rejected('NothingToPayNow', { dueAt });
  if (isUnderWay(open)) return [];
  if (of.nextDueAt !== undefined && Date.parse(of.nextDueAt) <= now.getTime())
    throw new Rejected('NothingToPayNow', { dueAt });
  if (last.attempt >= MOST_ATTEMPTS) throw new Rejected('TriedTooOften', { most: MOST_ATTEMPTS });
  return [{ type: 'OccurrenceRetried', data: { ...nextAttempt(of, last, now), asked: true } }];
}

/** The occurrences after an event; `terms` are the schedule's, at that event. */
export const evolveOccurrences = (
  before: Occurrences,
  event: OccurrenceEvent,
  terms: AttemptTerms,
): Occurrences => ({
  ...stagesAfter(before, event, terms),
  lastFailure: lastFailureAfter(before.lastFailure, event),
});

function lastFailureAfter(before: LastFailure | undefined, event: OccurrenceEvent): LastFailure | undefined {
  switch (event.type) {
    case 'OccurrenceAttemptFailed':
    case 'OccurrenceConfirmationNeeded':
    case 'OccurrenceFailed':
      return { reason: event.data.reason, charged: event.data.charged };
    case 'OccurrenceCollected':
      return undefined;
    default:
      return before;
  }
}

function stagesAfter(
  { open, failed, paidDueAt }: Occurrences,
  event: OccurrenceEvent,
  terms: AttemptTerms,
): Omit<Occurrences, 'lastFailure'> {
  switch (event.type) {
    case 'OccurrenceClaimed':
    case 'OccurrenceRetried': {
      const { occurrenceId, dueAt, attempt } = event.data;
      const isAsked = event.type === 'OccurrenceRetried' && event.data.asked === true;
      const before = event.type === 'OccurrenceClaimed' ? 0 : ((open ?? failed)?.asked ?? 0);
      const asked = before + (isAsked ? 1 : 0);
      const { amountMinor, source } = terms;
      return {
        open: {
          occurrenceId,
          dueAt,
          attempt,
          asked,
          terms: { amountMinor, source },
          stage: { kind: 'collecting' },
        },
        failed: undefined,
        paidDueAt,
      };
    }
    case 'OccurrenceAttemptFailed': {
      const { retryAt } = event.data;
      return { open: open && { ...open, stage: { kind: 'waiting', retryAt } }, failed, paidDueAt };
    }
    case 'OccurrenceConfirmationNeeded': {
      const { paymentId, confirmBy } = event.data;
      const stage = { kind: 'confirming', paymentId, confirmBy } as const;
      return { open: open && { ...open, stage }, failed, paidDueAt };
    }
    case 'OccurrenceCollected':
      return { open: undefined, failed: undefined, paidDueAt: event.data.dueAt };
    case 'OccurrenceFailed': {
      const { occurrenceId, dueAt, attempt } = event.data;
      return {
        open: undefined,
        failed: { occurrenceId, dueAt, attempt, asked: open?.asked ?? 0 },
        paidDueAt,
      };
    }
    case 'OccurrencesSkipped':
      // Skipped by itself between two attempts, or others before it was claimed. What failed before is passed
      // then.
      return {
        open: open?.dueAt === event.data.lastDueAt ? undefined : open,
        failed: undefined,
        paidDueAt,
      };
  }
}
