/**
 * What becomes of schedules after a recovery of the log. A due time whose payment the provider proves is told
 * to its schedule as it came out; apart from that nothing of the lost time is collected, and nothing after
 * it, until its owner says so.
 */
import type { Occurrence } from '#contracts/events/journal';
import { scheduledPaymentStream } from '#contracts/events/schedule';
import type { Journal } from '#ledger/journal/journal';
import type { Payment, Route } from '#ledger/journal/state';
import { endOfUnsent } from '#ledger/recovery/provider-recovery';
import { Rejected, StreamParked } from '#ledger/rejection';
import {
  isUnderWay,
  NO_OCCURRENCES,
  type Occurrences,
  type OpenOccurrence,
  type OutcomeCommand,
} from '#ledger/schedules/occurrence';
import { scheduledPayment } from '#ledger/schedules/scheduled-payment.decider';
import { subscription } from '#ledger/schedules/subscription.decider';
import type { StreamRunner } from '#ledger/streams/runner';
import type { EventLog } from '#log/event-log';
import { storedEvent } from '#log/stored-event';

export interface PausedSchedule {
  readonly id: string;
  readonly kind: 'subscription' | 'scheduled-payment';
}

/** A payment at the provider, and what of a schedule it collects. */
export interface ProvenOccurrence extends Occurrence {
  readonly paymentId: string;
}

const BY = { correlationId: 'recovery', recovered: true } as const;
/** Of an attempt that no source knows: a later one is proven, so it had failed. */
const UNKNOWN_FAILURE = { code: 'log_recovery', reason: 'The record of this attempt was lost.' };

interface ScheduleParts {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly streams: StreamRunner;
  readonly journal: Pick<Journal, 'look' | 'execute'>;
  /** When the recovery is run. */
  readonly now: Date;
}

/**
 * May be run again. Answers the schedules whose stream is parked: they stand still, and no event of theirs
 * can be taken out before the recovery has ended.
 */
export async function pauseSchedules(
  parts: ScheduleParts,
  paused: readonly PausedSchedule[],
  proven: readonly ProvenOccurrence[],
): Promise<readonly string[]> {
  const parked = new Set<string>();
  const byOccurrence = new Map<string, ProvenOccurrence[]>();
  for (const one of proven)
    byOccurrence.set(one.occurrenceId, [...(byOccurrence.get(one.occurrenceId) ?? []), one]);
  const inOrder = [...byOccurrence.values()].sort(([a], [b]) => (a!.dueAt < b!.dueAt ? -1 : 1));
  for (const attempts of inOrder)
    try {
      await tellOutcome(parts, attempts);
    } catch (error) {
      if (error instanceof StreamParked) parked.add(attempts[0]!.scheduleId);
      // The schedule itself is lost; it is among what is listed.
      else if (!(error instanceof Rejected)) throw error;
    }
  const { streams, now } = parts;
  const claimed = new Set(proven.map(({ scheduleId }) => scheduleId));
  const collected = proven.map(({ scheduleId: id, kind }): PausedSchedule => ({ id, kind }));
  const all = new Map([...collected, ...paused].map((one) => [one.id, one]));
  for (const { id, kind } of all.values())
    try {
      if (kind === 'subscription') {
        if ((await streams.read(subscription, id)).status !== 'none')
          await streams.execute(subscription, id, { type: 'PauseAfterRecovery', now }, BY);
      } else if (!claimed.has(id)) {
        const command = { type: 'EndScheduledPayment', why: 'log_recovery', now } as const;
        await streams.execute(scheduledPayment, id, command, BY);
      }
    } catch (error) {
      if (!(error instanceof StreamParked)) throw error;
      parked.add(id);
    }
  return [...parked];
}

/** Takes one occurrence as far as its proven payments go, attempt by attempt. */
async function tellOutcome(parts: ScheduleParts, attempts: readonly ProvenOccurrence[]): Promise<void> {
  const { kind, scheduleId, occurrenceId, dueAt } = attempts[0]!;
  const last = Math.max(...attempts.map(({ attempt }) => attempt));
  const say = (command: StepCommand) => execute(parts.streams, kind, scheduleId, command);
  if (kind === 'subscription') await resumeAsItWas(parts.streams, scheduleId, dueAt);
  else await moveAsItWas(parts, attempts[0]!);
  const claim = () => say({ type: 'ClaimDue', now: new Date(dueAt) });
  let { open, failed, payerId } = await claim();
  if (open && Date.parse(open.dueAt) > Date.parse(dueAt)) return;
  if (open && open.occurrenceId !== occurrenceId) {
    // An earlier one was under way where the log ends. It had come to an end before this one began.
    const ended = (await endingOf(parts.journal, open)) ?? (await endingOfUnsent(parts.journal, open, dueAt));
    if (ended === undefined) return;
    await say({
      occurrenceId: open.occurrenceId,
      attempt: open.attempt,
      now: new Date(open.dueAt),
      ...ended,
    });
    if (kind === 'subscription') await resumeAsItWas(parts.streams, scheduleId, dueAt);
    else await moveAsItWas(parts, attempts[0]!);
    ({ open, failed, payerId } = await claim());
  }
  // Each turn tells an outcome or begins the next attempt: twice as many as there are attempts at most.
  for (let turns = 2 * last + 2; turns > 0; turns--) {
    if (open?.occurrenceId !== occurrenceId) {
      // Of an attempt after it was given up: its payer had asked for that.
      if (failed?.occurrenceId !== occurrenceId || failed.attempt >= last) return;
      ({ open, failed } = await say({ type: 'PayNow', by: payerId, dueAt, now: new Date(dueAt) }));
    } else if (open.stage.kind === 'waiting') {
      if (open.attempt >= last) return;
      ({ open, failed } = await say({ type: 'ClaimDue', now: new Date(open.stage.retryAt) }));
    } else {
      const { attempt } = open;
      const about = { occurrenceId, attempt, now: new Date(dueAt) };
      const ended = await endingOf(parts.journal, open);
      if (ended?.type === 'RecordCollected') ({ open, failed } = await say({ ...about, ...ended }));
      else if (attempt < last)
        ({ open, failed } = await say({ ...about, ...(ended ?? failedFor()), isFinal: false }));
      else return;
    }
  }
}

/** How an attempt ended by what the journal says of it; undefined where its payment is open still. */
async function endingOf(
  journal: ScheduleParts['journal'],
  open: OpenOccurrence,
): Promise<Ending | undefined> {
  const route = await routeOf(journal, open);
  // Where no entry says how: by no money that is known.
  if (route === undefined || 'refused' in route) return failedFor();
  if ('transferId' in route)
    return { type: 'RecordCollected', paidBy: 'balance', transactionId: route.transferId };
  const payment = await journal.look('payment', route.paymentId);
  if (payment?.status === 'settled')
    return { type: 'RecordCollected', paidBy: 'card', transactionId: route.paymentId };
  return payment?.status === 'opened' || payment?.status === 'submitted' ? undefined : failedFor(payment);
}

/**
 * As {@link endingOf}, of a payment that never came to the provider: that ends here, since a later time is
 * proven.
 */
async function endingOfUnsent(
  journal: ScheduleParts['journal'],
  open: OpenOccurrence,
  provenAt: string,
): Promise<Ending | undefined> {
  const route = await routeOf(journal, open);
  if (route === undefined || !('paymentId' in route)) return undefined;
  const payment = await journal.look('payment', route.paymentId);
  if (payment?.status !== 'opened') return undefined;
  await journal.execute(endOfUnsent(route.paymentId, provenAt), BY);
  return failedFor(payment);
}

const routeOf = async (
  journal: ScheduleParts['journal'],
  { occurrenceId, attempt }: OpenOccurrence,
): Promise<Route | undefined> =>
  (await journal.look('occurrence', occurrenceId))?.routes.find((one) => one.attempt === attempt);

/** An attempt that failed, as far as anybody knows why. */
const failedFor = (payment?: Payment): Failure => ({
  type: 'RecordFailure',
  isFinal: true,
  isOurs: false,
  ...(payment?.failure ?? UNKNOWN_FAILURE),
  paymentId: payment?.paymentId,
});

/** One that is paused in the log and collected later had been resumed in between. */
async function resumeAsItWas(streams: StreamRunner, id: string, dueAt: string): Promise<void> {
  const state = await streams.read(subscription, id);
  if (state.status !== 'paused' || state.nextDueAt > dueAt) return;
  const { payerId: by } = state.terms;
  const now = new Date(Date.parse(dueAt) - 1);
  await streams.execute(subscription, id, { type: 'ResumeSubscription', by, now }, BY);
}

/** One that is due at another time in the log, and was collected at this one, had been moved to it. */
async function moveAsItWas({ log, streams }: ScheduleParts, collected: ProvenOccurrence): Promise<void> {
  const { scheduleId: id, occurrenceId, dueAt } = collected;
  const state = await streams.read(scheduledPayment, id);
  if (state.status === 'none' || isUnderWay(state.open)) return;
  // Of a time that the log has seen come, it knows also to which other time it was moved.
  for await (const raw of log.readStream(scheduledPaymentStream(id), 0)) {
    const { event } = storedEvent(raw);
    if (event?.type === 'OccurrenceClaimed' && event.data.occurrenceId === occurrenceId) return;
  }
  const { payerId: by } = state.terms;
  const now = new Date(Date.parse(dueAt) - 1);
  await streams.execute(scheduledPayment, id, { type: 'ChangeScheduledPayment', by, dueAt, now }, BY);
}

type Outcome = WithoutEach<OutcomeCommand, 'occurrenceId' | 'attempt' | 'now'>;
type Ending = Exclude<Outcome, { type: 'RecordConfirmationNeeded' }>;
type Failure = Extract<Ending, { type: 'RecordFailure' }>;
type WithoutEach<T, K extends string> = T extends unknown ? Omit<T, K> : never;
type StepCommand =
  | OutcomeCommand
  | { readonly type: 'ClaimDue'; readonly now: Date }
  | { readonly type: 'PayNow'; readonly by: string; readonly dueAt: string; readonly now: Date };

async function execute(
  streams: StreamRunner,
  kind: PausedSchedule['kind'],
  id: string,
  command: StepCommand,
): Promise<Occurrences & { readonly payerId: string }> {
  const { state } =
    kind === 'subscription'
      ? await streams.execute(subscription, id, command, BY)
      : await streams.execute(scheduledPayment, id, command, BY);
  return state.status === 'none'
    ? { ...NO_OCCURRENCES, payerId: '' }
    : { ...state, payerId: state.terms.payerId };
}
