/**
 * What takes more than a schedule's own stream: collecting what is due, and ending what a forgotten user had.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { ABANDONED_AFTER_MS, type InternalCommand } from '#contracts/api/internal';
import type { Charged, ScheduleKind } from '#contracts/events/occurrence';
import { shownCardId } from '../stripe/card-id.js';
import type { CollectionRefusal, SavedCard, Sealed } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { ExecuteStreamCommand } from '../bus/execute-stream-command.js';
import { EndSchedulesOf } from '../bus/forget-user.js';
import { RequireStaying } from '../bus/known-user.js';
import { ChargeSavedCard, GiveUpPayment, type PaymentOutcome } from '../bus/payments.js';
import { FindCard, FindDefaultCard } from '../bus/saved-cards.js';
import type { Receipt } from '../journal/receipt.js';
import { Rejected, REJECTIONS, StreamParked } from '../rejection.js';
import { StreamRunner } from '../streams/runner.js';
import { isUnderWay, type EndedFor, type OpenOccurrence, type OutcomeCommand } from './occurrence.js';
import { ScheduleClock } from './schedule-clock.js';
import { scheduledPayment } from './scheduled-payment.decider.js';
import { subscription } from './subscription.decider.js';

/** A schedule of either kind, as far as collecting needs it. */
interface Schedule {
  readonly kind: ScheduleKind;
  readonly id: string;
  readonly payerId: string;
  readonly recipientId: string;
  readonly currency: string;
  readonly description: Sealed | undefined;
  /** The payer has neither paused nor canceled it. */
  readonly isWanted: boolean;
  readonly open: OpenOccurrence | undefined;
  /** Of the last event of its stream. */
  readonly position: Position;
}

/** What of a schedule says whether something may be begun. */
type Standing = Pick<Schedule, 'recipientId' | 'open'>;

/** An outcome without what every one has. */
type AttemptOutcome = OutcomeCommand extends infer C
  ? C extends OutcomeCommand
    ? Omit<C, 'occurrenceId' | 'attempt' | 'now'>
    : never
  : never;

/** The provider's code for a card whose bank wants its owner to be there. */
const AUTHENTICATION_REQUIRED = 'authentication_required';
/**
 * If a payment ends sooner than this, nobody is asked to confirm it: the attempt has failed, and the next
 * one, another payment, has a whole day.
 */
const LEAST_TO_CONFIRM_MS = 6 * 3_600_000;
const NOT_CONFIRMED = 'The payment was not confirmed in time.';
const CARD_GONE = 'The card that you chose for this payment is no longer saved.';
const BALANCE_SHORT = 'Your available balance does not cover this payment.';
const NOT_WANTED = 'It was paused or canceled before the payment was confirmed.';
/** What the payer is told of a refusal; final is what a later attempt would not find otherwise. */
const REFUSALS: Readonly<Record<CollectionRefusal, { readonly reason: string; readonly isFinal: boolean }>> =
  {
    no_funding: {
      reason: 'Your available balance does not cover this payment, and no card is saved.',
      isFinal: false,
    },
    recipient_not_found: { reason: REJECTIONS.RecipientNotFound.message, isFinal: true },
    payer_not_found: { reason: REJECTIONS.PayerNotFound.message, isFinal: true },
    same_person: { reason: REJECTIONS.SamePerson.message, isFinal: true },
  };
/** Ends one occurrence, claims the next, and ends that: more cannot be due at once. */
const STEPS = 6;

/**
 * Collects what is due: claim, one journal command, the saved card where the journal chose it, and the
 * outcome back into the schedule's own stream. Whoever asks says only which schedule; each step looks where
 * the log stands and goes on from there, so it may be run again at any time, by anyone, after any death, and
 * does nothing twice.
 */
@Injectable()
export class CollectDueHandler {
  constructor(
    private readonly bus: CommandBus,
    private readonly streams: StreamRunner,
    private readonly clock: ScheduleClock,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands.on(
      'CollectDue',
      async (
        { scheduleKind, scheduleId, dueAt, attempt }: Extract<InternalCommand, { type: 'CollectDue' }>,
        provenance,
      ) => {
        const causationId = `due:${scheduleId}:${dueAt}:${attempt}`;
        await this.collect(scheduleKind, scheduleId, { ...provenance, causationId });
      },
    );
  }

  /**
   * Sees to whatever of a schedule is due or has stopped half way. Answers the position of the last event of
   * its stream, undefined where nothing was looked for. Throws Rejected for one that is not there, and
   * Unavailable.
   */
  async collect(kind: ScheduleKind, id: string, provenance: Provenance): Promise<Position | undefined> {
    let known: Standing | undefined = await this.standingOf(kind, id);
    let position: Position | undefined;
    for (let step = 0; ; step++) {
      if (known && (await this.isHeld(known))) return position;
      const schedule = await this.ask(kind, id, { type: 'ClaimDue', now: this.clock.now() }, provenance);
      const { open } = schedule;
      ({ position } = schedule);
      if (open === undefined || step === STEPS) return position;
      const outcome = await this.outcomeOf(schedule, open, provenance);
      if (outcome === undefined) return position;
      const { attempt = open.attempt, ...told } = outcome;
      const after = await this.ask(
        kind,
        id,
        { ...told, occurrenceId: open.occurrenceId, attempt, now: this.clock.now() },
        provenance,
      );
      known = after;
      ({ position } = after);
      if (told.type === 'RecordConfirmationNeeded') return position;
    }
  }

  /**
   * Whether nothing is begun for now: what falls due to somebody who has asked to be forgotten waits until
   * they are, or stay. Money that comes in would end their request. What is under way goes on.
   */
  private async isHeld({ open, recipientId }: Standing): Promise<boolean> {
    if (isUnderWay(open)) return false;
    try {
      await this.bus.execute(new RequireStaying(recipientId));
      return false;
    } catch (error) {
      if (error instanceof Rejected && error.reason === 'RecipientLeaves') return true;
      throw error;
    }
  }

  /** How a schedule stands before anything is claimed; undefined for one that is not there. */
  private async standingOf(kind: ScheduleKind, id: string): Promise<Standing | undefined> {
    const state =
      kind === 'subscription'
        ? await this.streams.read(subscription, id)
        : await this.streams.read(scheduledPayment, id);
    return state.status === 'none' ? undefined : { recipientId: state.terms.recipientId, open: state.open };
  }

  /**
   * What has become of the open occurrence, taking it as far as it goes now; undefined while it is under way
   * or waits.
   */
  private async outcomeOf(
    schedule: Schedule,
    open: OpenOccurrence,
    provenance: Provenance,
  ): Promise<(AttemptOutcome & { readonly attempt?: number }) | undefined> {
    const { stage } = open;
    switch (stage.kind) {
      case 'waiting':
        return undefined;
      case 'confirming': {
        const { paymentId, confirmBy } = stage;
        const seen = await this.bus.execute(new ChargeSavedCard(paymentId, provenance));
        const isOver = !schedule.isWanted || Date.parse(confirmBy) <= this.clock.now().getTime();
        const ended =
          seen.status === 'open' && isOver
            ? await this.bus.execute(new GiveUpPayment(paymentId, provenance))
            : seen;
        if (ended.status === 'settled') return collectedByCard(paymentId);
        if (ended.status === 'open') return undefined;
        return failedByCard(paymentId, { ...ended, failure: unconfirmed(ended, schedule) });
      }
      case 'collecting':
        return this.collectNow(schedule, open, provenance);
    }
  }

  private async collectNow(
    schedule: Schedule,
    open: OpenOccurrence,
    provenance: Provenance,
  ): Promise<(AttemptOutcome & { readonly attempt?: number }) | undefined> {
    let receipt: Receipt;
    try {
      receipt = await this.route(schedule, open, provenance);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      // Somebody else has gone on with it meanwhile.
      if (error.reason === 'AttemptSuperseded') return undefined;
      // It waits until an operator has looked at the payer's accounts.
      if (error.reason === 'DebitsSuspended') return undefined;
      throw error;
    }
    const { route, revision } = receipt;
    if (route === undefined) throw new Error(`The journal took ${open.occurrenceId} and does not say how.`);
    const { attempt } = route;
    if ('refused' in route)
      return {
        type: 'RecordFailure',
        code: route.refused,
        ...refusalOf(route.refused, open),
        isOurs: false,
        attempt,
      };
    if ('transferId' in route)
      return { type: 'RecordCollected', paidBy: 'balance', transactionId: route.transferId, attempt };
    const { paymentId } = route;
    const told = await this.byCard(schedule, paymentId, revision, provenance);
    return told && { ...told, attempt };
  }

  /**
   * One journal command decides how it is paid. The card is looked up only where its payer chose it, or where
   * the balance does not do.
   */
  private async route(schedule: Schedule, open: OpenOccurrence, provenance: Provenance): Promise<Receipt> {
    const { amountMinor, source } = open.terms;
    const collect = (savedCard: SavedCard | 'none' | undefined): Promise<Receipt> =>
      this.bus.execute(
        new ExecuteJournalCommand(
          {
            type: 'CollectOccurrence',
            occurrenceId: open.occurrenceId,
            attempt: open.attempt,
            scheduleKind: schedule.kind,
            scheduleId: schedule.id,
            dueAt: open.dueAt,
            payerId: schedule.payerId,
            recipientId: schedule.recipientId,
            amountMinor,
            currency: schedule.currency,
            note: schedule.description,
            savedCard,
            byCardOnly: source.from === 'card',
          },
          provenance,
        ),
      );
    if (source.from === 'balance') return collect('none');
    if (source.from === 'card') return collect(await this.cardOf(schedule.payerId, source.card));
    try {
      return await collect(undefined);
    } catch (error) {
      if (!(error instanceof Rejected) || error.reason !== 'NoFunding') throw error;
      return collect((await this.bus.execute(new FindDefaultCard(schedule.payerId))) ?? 'none');
    }
  }

  /** The card that a payer chose, unless it was removed since. */
  private async cardOf(payerId: string, { paymentMethodId }: SavedCard): Promise<SavedCard | 'none'> {
    try {
      return await this.bus.execute(new FindCard(payerId, paymentMethodId));
    } catch (error) {
      if (error instanceof Rejected && error.reason === 'CardNotFound') return 'none';
      throw error;
    }
  }

  private async byCard(
    schedule: Schedule,
    paymentId: string,
    atLeast: number,
    provenance: Provenance,
  ): Promise<AttemptOutcome | undefined> {
    const charged = await this.bus.execute(new ChargeSavedCard(paymentId, provenance, atLeast));
    if (charged.status === 'settled') return collectedByCard(paymentId);
    if (charged.status === 'canceled') return failedByCard(paymentId, charged);
    const { failure, openedAt, openForMs } = charged;
    const canBeConfirmed = schedule.isWanted && (openForMs ?? Infinity) >= LEAST_TO_CONFIRM_MS;
    if (failure?.code === AUTHENTICATION_REQUIRED && canBeConfirmed)
      return {
        type: 'RecordConfirmationNeeded',
        paymentId,
        reason: failure.reason,
        charged: cardCharged(charged),
        openForMs,
      };
    // Under way at the provider, or not there yet: its word comes by webhook, or is looked for again.
    if (failure === undefined && Date.now() - openedAt.getTime() < ABANDONED_AFTER_MS) return undefined;
    const ended = await this.bus.execute(new GiveUpPayment(paymentId, provenance));
    if (ended.status === 'settled') return collectedByCard(paymentId);
    return ended.status === 'canceled' ? failedByCard(paymentId, ended) : undefined;
  }

  private async ask(
    kind: ScheduleKind,
    id: string,
    command: OutcomeCommand | { readonly type: 'ClaimDue'; readonly now: Date },
    provenance: Provenance,
  ): Promise<Schedule> {
    if (kind === 'subscription') {
      const { state, events, position } = await this.bus.execute(
        new ExecuteStreamCommand(subscription, id, command, provenance),
      );
      this.note(id, events, provenance);
      if (state.status === 'none') throw new Rejected('SubscriptionNotFound');
      return { kind, id, ...state.terms, isWanted: state.status === 'active', open: state.open, position };
    }
    const { state, events, position } = await this.bus.execute(
      new ExecuteStreamCommand(scheduledPayment, id, command, provenance),
    );
    this.note(id, events, provenance);
    if (state.status === 'none') throw new Rejected('ScheduledPaymentNotFound');
    return { kind, id, ...state.terms, isWanted: !state.isCalledOff, open: state.open, position };
  }

  private note(
    scheduleId: string,
    events: readonly { readonly type: string }[],
    { correlationId }: Provenance,
  ): void {
    for (const { type } of events) this.log.info({ correlationId, scheduleId, type }, 'a schedule went on');
  }
}

const collectedByCard = (paymentId: string): AttemptOutcome => ({
  type: 'RecordCollected',
  paidBy: 'card',
  transactionId: paymentId,
});

function failedByCard(paymentId: string, ended: PaymentOutcome): AttemptOutcome {
  const { code, reason } = ended.failure ?? { code: 'declined', reason: 'The payment was declined.' };
  return {
    type: 'RecordFailure',
    code,
    reason,
    paymentId,
    charged: cardCharged(ended),
    isFinal: false,
    isOurs: ended.isOurs ?? false,
  };
}

/** Why a payment that waited for its payer was not paid: they may have confirmed it, and the bank said no. */
function unconfirmed(
  { failure }: PaymentOutcome,
  { isWanted }: Pick<Schedule, 'isWanted'>,
): NonNullable<PaymentOutcome['failure']> {
  if (!isWanted) return { code: AUTHENTICATION_REQUIRED, reason: NOT_WANTED };
  const isDeclined = failure !== undefined && failure.code !== AUTHENTICATION_REQUIRED;
  return isDeclined ? failure : { code: AUTHENTICATION_REQUIRED, reason: NOT_CONFIRMED };
}

const cardCharged = ({ savedCard }: PaymentOutcome): Charged => ({
  from: 'card',
  cardId: savedCard && shownCardId(savedCard.paymentMethodId),
});

/** A refusal of the journal's in words, and what it was to be paid from. */
function refusalOf(
  refused: CollectionRefusal,
  { terms: { source } }: OpenOccurrence,
): { readonly reason: string; readonly isFinal: boolean; readonly charged?: Charged } {
  const { reason, isFinal } = REFUSALS[refused];
  if (refused !== 'no_funding') return { reason, isFinal };
  if (source.from === 'card')
    return { reason: CARD_GONE, isFinal, charged: { from: 'card', cardId: source.cardId } };
  return {
    reason: source.from === 'balance' ? BALANCE_SHORT : reason,
    isFinal,
    charged: { from: 'balance' },
  };
}

/** What the ending reads; filled in processes/ledger/reads.ts. */
export abstract class LivingSchedules {
  /** Those of either kind that still go on and that a user pays or is paid by. */
  abstract of(userId: string): Promise<readonly { id: string; kind: ScheduleKind; payerId: string }[]>;
}

/**
 * Ends what a forgotten user was to pay or to be paid later. Found in the read model, which may not show the
 * latest yet: whoever asks asks again. What is ended already is passed over, and so is one whose stream is
 * parked: it collects nothing, its row goes on, and a worker asks again for whom a schedule goes on.
 */
@CommandHandler(EndSchedulesOf)
export class EndSchedulesOfHandler implements ICommandHandler<EndSchedulesOf> {
  constructor(
    private readonly bus: CommandBus,
    private readonly living: LivingSchedules,
    private readonly clock: ScheduleClock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws Unavailable. */
  async execute({ userId, provenance }: EndSchedulesOf): Promise<void> {
    for (const { id, kind, payerId } of await this.living.of(userId)) {
      const why: EndedFor = payerId === userId ? 'payer_forgotten' : 'recipient_forgotten';
      try {
        await this.end(kind, id, why, provenance);
      } catch (error) {
        if (!(error instanceof StreamParked)) throw error;
        const { correlationId } = provenance;
        this.log.warn(
          { correlationId, scheduleId: id, ...error.logged },
          'a parked schedule of somebody who is forgotten is ended later',
        );
      }
    }
  }

  private async end(kind: ScheduleKind, id: string, why: EndedFor, provenance: Provenance): Promise<void> {
    const now = this.clock.now();
    if (kind === 'subscription')
      await this.bus.execute(
        new ExecuteStreamCommand(subscription, id, { type: 'EndSubscription', why, now }, provenance),
      );
    else
      await this.bus.execute(
        new ExecuteStreamCommand(scheduledPayment, id, { type: 'EndScheduledPayment', why, now }, provenance),
      );
  }
}
