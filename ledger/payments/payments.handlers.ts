/**
 * The way of a card payment between the journal and the provider, without its payer: intent first,
 * deterministic keys, and credit only on the provider's word. Every step may be run again at any time, by
 * anyone, and does nothing more.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { ABANDONED_AFTER_MS } from '#contracts/api/internal';
import type { SavedCard } from '#contracts/events/journal';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { InternalCommands } from '../bus/internal-commands.js';
import { ChargeSavedCard, GiveUpPayment, type PaymentOutcome } from '../bus/payments.js';
import { Journal } from '../journal/journal.js';
import { intentIdOf } from '../journal/payment-state.js';
import { disputedOf, heldOf, type FailureReason, type Payment } from '../journal/state.js';
import { Rejected, Unavailable } from '../rejection.js';
import { CARD_GONE as GONE, CardProvider } from '../stripe/card-provider.js';
import type { RefusedForGood } from '../stripe/provider-payment.js';
import { ProviderFigures, RefundCap } from '../stripe/provider-figures.js';
import { unappliedRefundToBook } from '../stripe/bookings.js';
import { PaymentOwnership } from './payment-ownership.js';
import { PaymentSync } from './payment-sync.js';

const HOUR_MS = 3_600_000;
/** Longer than any charge can still be under way: so old ones are ended that nobody may begin to charge. */
const UNDER_WAY_MS = HOUR_MS;
/** A schedule's payment is charged within this time of its opening, or not at all: it is then given up. */
const CHARGED_WITHIN_MS = ABANDONED_AFTER_MS - UNDER_WAY_MS;
/**
 * A tip by saved card: its payer waits for the answer, and was told that the provider did not take it.
 * Without them it is charged only while they are likely to be there yet, or to try again: two of the sweep's
 * looks. They themselves may try again for an hour.
 */
const TIP_RESUMED_WITHIN_MS = HOUR_MS / 4;
const TIP_CHARGED_WITHIN_MS = HOUR_MS;
/**
 * A click's call of the provider is given up within a minute, and a worker's, which begins much earlier,
 * within ten.
 */
const TIP_ENDED_AFTER_MS = TIP_CHARGED_WITHIN_MS + UNDER_WAY_MS / 6;
/** Why a payment without an intent was canceled: reasons of ours, in the log. */
const NEVER_SENT = 'abandoned before it reached the provider';
const CARD_GONE = 'saved card refused';
const CARD_DECLINED = 'saved card declined';
const AMOUNT_REFUSED = 'amount refused';
/** What the payer is told where the provider refused for good before it made an intent. */
const REFUSED: ReadonlyMap<string, FailureReason> = new Map([
  [CARD_GONE, { code: 'card_unusable', reason: 'Your saved card can no longer be charged.' }],
  [CARD_DECLINED, { code: 'card_declined', reason: 'Your saved card was declined.' }],
  [
    AMOUNT_REFUSED,
    { code: 'amount_refused', reason: 'The card provider does not take a payment of this amount.' },
  ],
]);

@Injectable()
export class PaymentProcess {
  /** Charges whose refund this process asked for, and when: one that is under way is no entry yet. */
  readonly #asked = new Map<string, number>();

  constructor(
    private readonly journal: Journal,
    private readonly provider: CardProvider,
    private readonly sync: PaymentSync,
    private readonly ownership: PaymentOwnership,
    private readonly figures: ProviderFigures,
    private readonly cap: RefundCap,
    commands: InternalCommands,
    @Inject(LOG) private readonly log: Logger,
  ) {
    commands
      .on('CancelAbandoned', ({ paymentId }, provenance) => this.cancelAbandoned(paymentId, provenance))
      .on('RefundUnapplied', ({ chargeId }, provenance) => this.refundUnapplied(chargeId, provenance))
      .on('ResumePayment', ({ paymentId }, provenance) => this.resume(paymentId, provenance));
  }

  /**
   * Ends a payment that nobody completed in a day by our own clock, if the provider agrees. Throws
   * Rejected('PaymentNotFound') and Unavailable.
   */
  async cancelAbandoned(paymentId: string, provenance: Provenance): Promise<void> {
    const payment = await this.found(paymentId);
    if (isResolved(payment)) return;
    const isAbandoned = ageOf(payment) >= ABANDONED_AFTER_MS;
    const intentId = await this.intentMade(payment, provenance);
    if (intentId !== undefined) {
      if (isAbandoned) await this.provider.cancel(intentId);
      await this.sync.payment(intentId, provenance);
    } else if (isAbandoned) await this.endUnsent(paymentId, NEVER_SENT, provenance);
  }

  /**
   * Takes an opened payment to the provider, where the answer was lost; a tip by saved card only soon after
   * its opening, and later it is looked for there, and ended where it was not made. Throws
   * Rejected('PaymentNotFound') and Unavailable.
   */
  async resume(paymentId: string, provenance: Provenance): Promise<void> {
    const payment = await this.found(paymentId);
    if (isResolved(payment)) return;
    if (payment.savedCard) {
      const withinMs = isTip(payment) ? TIP_RESUMED_WITHIN_MS : CHARGED_WITHIN_MS;
      await this.charge(paymentId, payment.last.revision, provenance, withinMs);
    } else {
      const intentId =
        intentIdOf(payment) ??
        (await this.recorded(payment, (await this.provider.intentFor(payment)).intentId, provenance));
      await this.sync.payment(intentId, provenance);
    }
  }

  /**
   * Charges a payment to the saved card that its entry names, or looks how far that came. `withinMs`: how
   * long after its opening it may be charged, where that is less than usual. Throws
   * Rejected('PaymentNotFound') and Unavailable.
   */
  async charge(
    paymentId: string,
    atLeast: number | undefined,
    provenance: Provenance,
    withinMs?: number,
  ): Promise<PaymentOutcome> {
    const payment = await this.found(paymentId, atLeast);
    const { savedCard } = payment;
    if (isResolved(payment) || savedCard === undefined) return outcomeOf(payment);
    const intentId =
      intentIdOf(payment) ?? (await this.chargeOnce({ ...payment, savedCard }, provenance, withinMs));
    return intentId === undefined
      ? outcomeOf(await this.found(paymentId, atLeast))
      : this.outcomeAtProvider(paymentId, intentId, provenance);
  }

  /**
   * Ends a payment that is not to be paid any more, if the provider agrees; its answer says what became of
   * it.
   */
  async giveUp(paymentId: string, provenance: Provenance): Promise<PaymentOutcome> {
    const payment = await this.found(paymentId);
    if (isResolved(payment)) return outcomeOf(payment);
    const intentId = await this.intentMade(payment, provenance);
    if (intentId !== undefined) {
      await this.provider.cancel(intentId);
      return this.outcomeAtProvider(paymentId, intentId, provenance);
    }
    // Somebody may be charging a saved card right now, unless the payment is too old for that. Any other is
    // paid with a secret, which is shown to nobody once it has ended.
    if (payment.savedCard && ageOf(payment) < ABANDONED_AFTER_MS) return outcomeOf(payment);
    return outcomeOf(await this.found(paymentId, await this.endUnsent(paymentId, NEVER_SENT, provenance)));
  }

  /**
   * Gives unapplied money back. Throws Rejected('UnappliedNotFound') for any charge that the journal does not
   * hold so.
   */
  async refundUnapplied(chargeId: string, provenance: Provenance): Promise<void> {
    const charge = await this.journal.look('unapplied', chargeId);
    if (!charge || heldOf(charge) <= 0) throw new Rejected('UnappliedNotFound', { chargeId });
    if (!(await this.ownership.isRecorded(charge))) {
      this.figures.refundWithheld('not-recorded');
      throw new Rejected('RefundNotOurs', { chargeId, intentId: charge.intentId });
    }
    // While a bank that took some of it decides, the provider refunds nothing of it: the next pass asks
    // again.
    if (charge.disputes.some(({ status, transactions }) => status === 'open' && transactions.length > 0))
      return;
    this.assertUnderCap(chargeId);
    const refunds = await this.provider.refundRest(chargeId, disputedOf(charge));
    this.figures.refunded();
    for (const command of refunds.flatMap(unappliedRefundToBook)) await this.sync.book(command, provenance);
    if (!refunds.some(({ status, isFinal }) => status === 'given' && isFinal))
      this.log.warn(
        { correlationId: provenance.correlationId, chargeId },
        'unapplied money is not back yet; to be tried again',
      );
  }

  /** Throws Unavailable when so many others were given back within the hour that this one has to wait. */
  private assertUnderCap(chargeId: string): void {
    const now = Date.now();
    for (const [id, atMs] of this.#asked) if (atMs < now - HOUR_MS) this.#asked.delete(id);
    const others = new Set([...this.journal.refundedWithin(HOUR_MS), ...this.#asked.keys()]);
    others.delete(chargeId);
    if (others.size >= this.cap.perHour) {
      this.figures.refundWithheld('cap');
      throw new Unavailable(
        'So much unapplied money was given back within the hour that the rest has to wait.',
      );
    }
    this.#asked.set(chargeId, now);
  }

  /**
   * The provider's intent of a saved card's charge; undefined where it has none and is to have none.
   * A card or an amount that is refused for good ends the payment. Throws Unavailable, and ProviderRefused
   * where the refusal proves nothing: the payment stays open, and is charged again later.
   */
  private async chargeOnce(
    payment: Payment & { readonly savedCard: SavedCard },
    provenance: Provenance,
    withinMs = isTip(payment) ? TIP_CHARGED_WITHIN_MS : CHARGED_WITHIN_MS,
  ): Promise<string | undefined> {
    const { paymentId } = payment;
    // An old one is not charged any more: its time has passed, and nobody may do it while somebody else gives
    // it up.
    const ageMs = ageOf(payment);
    if (ageMs >= withinMs) {
      const made = await this.intentMade(payment, provenance);
      if (made === undefined && isTip(payment) && ageMs >= TIP_ENDED_AFTER_MS)
        await this.endUnsent(paymentId, NEVER_SENT, provenance);
      return made;
    }
    const charged = await this.provider.chargeSaved(payment);
    if (charged.kind === 'done') return this.recorded(payment, charged.intentId, provenance);
    const { about, code } = charged;
    this.log.warn(
      { correlationId: provenance.correlationId, paymentId, about, code },
      'a saved card is refused',
    );
    await this.endUnsent(paymentId, cancelReasonOf(charged), provenance);
    return undefined;
  }

  /** The intent that the journal names, or one that was made and whose word was lost. */
  private async intentMade(payment: Payment, provenance: Provenance): Promise<string | undefined> {
    const known = intentIdOf(payment);
    if (known !== undefined) return known;
    const found = await this.provider.find(payment);
    return found === undefined ? undefined : this.recorded(payment, found, provenance);
  }

  /** Every intent that we made is in the journal before anything is booked of it: by that it is ours. */
  private async recorded({ paymentId }: Payment, intentId: string, provenance: Provenance): Promise<string> {
    await this.sync.book({ type: 'SubmitPayment', paymentId, intentId }, provenance);
    return intentId;
  }

  /** Answers the revision of the journal that says so. */
  private async endUnsent(paymentId: string, reason: string, provenance: Provenance): Promise<number> {
    const occurredAt = new Date().toISOString();
    const command = { type: 'CancelPayment', paymentId, reason, occurredAt } as const;
    return (await this.sync.book(command, provenance))?.revision ?? -1;
  }

  private async outcomeAtProvider(
    paymentId: string,
    intentId: string,
    provenance: Provenance,
  ): Promise<PaymentOutcome> {
    const revision = await this.sync.payment(intentId, provenance);
    return outcomeOf(await this.found(paymentId, revision));
  }

  private async found(paymentId: string, atLeast?: number): Promise<Payment> {
    const payment = await this.journal.look('payment', paymentId, atLeast);
    if (!payment) throw new Rejected('PaymentNotFound', { paymentId });
    return payment;
  }
}

@CommandHandler(ChargeSavedCard)
export class ChargeSavedCardHandler implements ICommandHandler<ChargeSavedCard> {
  constructor(private readonly process: PaymentProcess) {}

  execute({ paymentId, atLeast, provenance }: ChargeSavedCard): Promise<PaymentOutcome> {
    return this.process.charge(paymentId, atLeast, provenance);
  }
}

@CommandHandler(GiveUpPayment)
export class GiveUpPaymentHandler implements ICommandHandler<GiveUpPayment> {
  constructor(private readonly process: PaymentProcess) {}

  execute({ paymentId, provenance }: GiveUpPayment): Promise<PaymentOutcome> {
    return this.process.giveUp(paymentId, provenance);
  }
}

const isResolved = ({ status }: Payment): boolean => status === 'settled' || status === 'canceled';
/** Its payer is there, as they are not for what a schedule collects. */
const isTip = ({ savedCard, occurrence }: Payment): boolean =>
  savedCard !== undefined && occurrence === undefined;
const ageOf = ({ openedAt }: Payment): number => Date.now() - openedAt.getTime();

/** What became of it, for whoever wants it paid. */
function outcomeOf(payment: Payment): PaymentOutcome {
  const { failure, openedAt, savedCard } = payment;
  if (payment.status === 'settled') return { status: 'settled', failure, openedAt, savedCard };
  if (payment.status !== 'canceled') {
    const openForMs = ABANDONED_AFTER_MS - ageOf(payment);
    return { status: 'open', failure, openedAt, openForMs, savedCard };
  }
  const unmade = { code: 'not_made', reason: 'The payment could not be made in time.' };
  const refused = REFUSED.get(payment.cancelReason);
  return {
    status: 'canceled',
    failure: failure ?? refused ?? unmade,
    openedAt,
    savedCard,
    isOurs: payment.intentId === undefined && refused === undefined,
  };
}

function cancelReasonOf({ about, code }: RefusedForGood): string {
  if (about === 'amount') return AMOUNT_REFUSED;
  return code === GONE ? CARD_GONE : CARD_DECLINED;
}
