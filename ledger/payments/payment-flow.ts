/**
 * The way of a card payment between the journal and the provider: intent first, deterministic keys, and
 * credit only on the provider's word. Every step may be run again at any time, by anyone, and does nothing
 * more.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { ABANDONED_AFTER_MS } from '#contracts/api/internal';
import type { SavedCard } from '#contracts/events/journal';
import type { Position } from '#contracts/log';
import { CURRENCY } from '#contracts/plain/money';
import type { CreatePaymentIntent, PaymentIntentAnswer } from '#contracts/api/payments';
import type { Provenance } from '#log/record';
import { LOG } from '../parts.js';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import type { PaymentOutcome } from '../bus/payments.js';
import { OpenCardCustomer } from '../bus/saved-cards.js';
import { latest, ReadModels } from '../http/read-models.js';
import type { JournalCommand } from '../journal/commands.js';
import type { Receipt } from '../journal/receipt.js';
import { idFrom, isIdOf, userKey } from '../journal/keys.js';
import { Rejected, Unavailable } from '../rejection.js';
import { CardProvider } from '../stripe/card-provider.js';
import { ProviderRefused } from '../stripe/provider-payment.js';
import { Vault } from '#log/vault';
import { PaymentEntries, UnappliedCharges } from './payment-reads.js';
import { CARD_GONE, NEVER_SENT, outcomeOf, paymentRecord, type PaymentRecord } from './payment-record.js';
import { attemptsToBook, endingsToBook, unappliedRefundToBook } from './sync.js';

/** How long a repeat waits to learn how far its payment came. */
const CATCH_UP_MS = 5_000;
/**
 * A saved card is charged within this time of its payment's opening, or not at all: an hour before it is
 * given up as abandoned.
 */
const CHARGED_WITHIN_MS = ABANDONED_AFTER_MS - 3_600_000;
/** Payments read at the provider at a time, when many are. */
const AT_A_TIME = 4;

@Injectable()
export class PaymentFlow {
  constructor(
    private readonly bus: CommandBus,
    private readonly provider: CardProvider,
    private readonly vault: Vault,
    private readonly readModels: ReadModels,
    private readonly entries: PaymentEntries,
    private readonly unapplied: UnappliedCharges,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Opens a payment and answers the secret with which the payer's browser confirms it. The same key and body
   * give the same payment and secret. Throws Rejected, Unavailable and ProviderRefused.
   */
  async open(
    payerId: string,
    body: CreatePaymentIntent,
    clientKey: string | undefined,
    correlationId: string,
  ): Promise<{ answer: PaymentIntentAnswer; position: Position | undefined }> {
    const key = userKey(payerId, clientKey ?? uuidv7());
    const paymentId = idFrom('pay', key);
    const { amount: amountMinor, toUserId: recipientId, paymentMethod: method, description, saveCard } = body;
    const [fingerprint, note] = await Promise.all([
      this.vault.fingerprint(payerId, body),
      description === undefined ? undefined : this.vault.seal(payerId, description),
    ]);
    const cause = { correlationId, actorId: payerId };
    const opened = await this.bus.execute(
      new ExecuteJournalCommand(
        {
          type: 'OpenPayment',
          paymentId,
          payerId,
          recipientId,
          amountMinor,
          currency: CURRENCY,
          method,
          note,
        },
        { ...cause, key, fingerprint },
      ),
    );
    const known = opened.repeated ? await this.recordAfter(paymentId, opened) : undefined;
    const intent = known?.intentId
      ? await this.provider.intent(known.intentId)
      : await this.provider.intentFor({
          paymentId,
          amountMinor,
          method,
          openedAt: known?.openedAt ?? new Date(),
        });
    if (intent.isCanceled) throw new Rejected('PaymentCanceled', { paymentId });
    // On the intent only, and each time: whoever made it, the card that pays it is then saved.
    if (saveCard && method === 'card')
      await this.provider.keepCard(
        intent.intentId,
        await this.bus.execute(new OpenCardCustomer(payerId, { correlationId })),
      );
    if (known?.intentId)
      return { answer: { clientSecret: intent.clientSecret, paymentId }, position: opened.position };
    const submitted = await this.tell({ type: 'SubmitPayment', paymentId, intentId: intent.intentId }, cause);
    // Two requests under one key may each have made an intent, after failures of the provider: the payer is
    // shown the one that the journal took.
    const taken = submitted.repeated
      ? (await this.recordAfter(paymentId, submitted)).intentId
      : intent.intentId;
    const { clientSecret } =
      taken === undefined || taken === intent.intentId ? intent : await this.provider.intent(taken);
    return { answer: { clientSecret, paymentId }, position: latest([opened.position, submitted.position]) };
  }

  /**
   * Reads a payment at the provider and books, in order, what the log lacks. Throws Unavailable: look again
   * later. A no of the journal to one entry does not keep the others out.
   */
  async sync(intentId: string, cause: Provenance): Promise<Position | undefined> {
    const seen = await this.provider.payment(intentId);
    const unapplied = new Set<string>();
    const positions: (Position | undefined)[] = [];
    for (const command of attemptsToBook(seen)) {
      const receipt = await this.book(command, cause);
      positions.push(receipt?.position);
      // The entry's key says how the journal took the money: for the payment, or as money that no payment
      // explains.
      if (command.type === 'SettlePayment' && receipt?.key.startsWith('unapplied:'))
        unapplied.add(command.chargeId);
    }
    for (const command of endingsToBook(seen, unapplied))
      positions.push((await this.book(command, cause))?.position);
    return latest(positions);
  }

  /**
   * Syncs everything that changed at the provider in a time. Answers how many were looked at, and which must
   * be again.
   */
  async reconcile(
    since: Date,
    until: Date,
    cause: Provenance,
  ): Promise<{ looked: number; failed: string[] }> {
    const intents = await this.provider.changedBetween(since, until);
    const failed: string[] = [];
    const waiting = [...intents];
    const work = async (): Promise<void> => {
      for (let intentId = waiting.shift(); intentId !== undefined; intentId = waiting.shift()) {
        try {
          await this.sync(intentId, cause);
        } catch (error) {
          failed.push(intentId);
          this.log.warn(
            { correlationId: cause.correlationId, intentId, err: error },
            'a payment could not be booked now',
          );
        }
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return { looked: intents.length, failed };
  }

  /**
   * Ends a payment that nobody completed in a day by our own clock, if the provider agrees. Throws
   * Rejected('PaymentNotFound') and Unavailable.
   */
  async cancelAbandoned(paymentId: string, cause: Provenance): Promise<void> {
    const record = await this.record(paymentId);
    if (record.isResolved) return;
    const isAbandoned = Date.now() - record.openedAt.getTime() >= ABANDONED_AFTER_MS;
    const intentId = record.intentId ?? (await this.provider.find(record));
    if (intentId !== undefined) {
      if (isAbandoned) await this.provider.cancel(intentId);
      await this.sync(intentId, cause);
      return;
    }
    if (!isAbandoned) return;
    const occurredAt = new Date().toISOString();
    await this.book({ type: 'CancelPayment', paymentId, reason: NEVER_SENT, occurredAt }, cause);
  }

  /**
   * Takes an opened payment to the provider, where the answer was lost. Throws Rejected('PaymentNotFound')
   * and Unavailable.
   */
  async resume(paymentId: string, cause: Provenance): Promise<void> {
    const record = await this.record(paymentId);
    if (record.isResolved) return;
    if (record.savedCard) await this.charge(paymentId, undefined, cause);
    else await this.sync(record.intentId ?? (await this.provider.intentFor(record)).intentId, cause);
  }

  /**
   * Charges a payment to the saved card that its entry names, in its payer's absence, or looks how far that
   * came. `after` is where the read models must stand to know it. Throws Rejected('PaymentNotFound') and
   * Unavailable.
   */
  async charge(paymentId: string, after: Position | undefined, cause: Provenance): Promise<PaymentOutcome> {
    const record = await this.recordAt(paymentId, after);
    const { savedCard, intentId: known } = record;
    if (record.isResolved || savedCard === undefined) return outcomeOf(record);
    if (known !== undefined) return this.lookAgain(paymentId, await this.sync(known, cause));
    // An old one is not charged any more: its day has passed, and nobody may do it while somebody else gives
    // it up.
    const isOld = Date.now() - record.openedAt.getTime() >= CHARGED_WITHIN_MS;
    const intentId = isOld
      ? await this.provider.find(record)
      : await this.chargeOnce({ ...record, savedCard }, cause);
    return intentId === undefined
      ? this.lookAgain(paymentId, after)
      : this.lookAgain(paymentId, await this.sync(intentId, cause));
  }

  /**
   * Ends a payment that is not to be paid any more, if the provider agrees; its answer says what became of
   * it.
   */
  async giveUp(paymentId: string, cause: Provenance): Promise<PaymentOutcome> {
    const record = await this.record(paymentId);
    if (record.isResolved) return outcomeOf(record);
    const intentId = record.intentId ?? (await this.provider.find(record));
    if (intentId !== undefined) {
      await this.provider.cancel(intentId);
      return this.lookAgain(paymentId, await this.sync(intentId, cause));
    }
    // Somebody may be charging it right now, unless it is too old for that.
    if (Date.now() - record.openedAt.getTime() < ABANDONED_AFTER_MS) return outcomeOf(record);
    return this.endUnsent(paymentId, NEVER_SENT, cause);
  }

  /**
   * What the payer's browser confirms an open payment of theirs with. Throws Rejected for anybody else's and
   * for one that has ended.
   */
  async secretOf(payerId: string, paymentId: string): Promise<PaymentIntentAnswer> {
    if (!isIdOf('pay', paymentId)) throw new Rejected('PaymentNotFound');
    const record = await this.record(paymentId);
    if (record.payerId !== payerId) throw new Rejected('PaymentNotFound', { paymentId });
    if (record.status === 'settled') throw new Rejected('PaymentAlreadySettled', { paymentId });
    if (record.status === 'canceled') throw new Rejected('PaymentCanceled', { paymentId });
    if (record.intentId === undefined)
      throw new Unavailable('This payment is still being set up. Please try again in a moment.');
    const { clientSecret, isCanceled } = await this.provider.intent(record.intentId);
    if (isCanceled) throw new Rejected('PaymentCanceled', { paymentId });
    return { clientSecret, paymentId };
  }

  /**
   * The provider's intent of a charge in the payer's absence; undefined where it would have none, which ends
   * the payment.
   */
  private async chargeOnce(
    request: PaymentRecord & { savedCard: SavedCard },
    cause: Provenance,
  ): Promise<string | undefined> {
    try {
      return await this.provider.chargeSaved(request);
    } catch (error) {
      if (!(error instanceof ProviderRefused)) throw error;
      this.log.warn(
        { correlationId: cause.correlationId, paymentId: request.paymentId, err: error },
        'a saved card is refused',
      );
      const made = await this.provider.find(request);
      if (made !== undefined) return made;
      await this.endUnsent(request.paymentId, CARD_GONE, cause);
      return undefined;
    }
  }

  private async endUnsent(paymentId: string, reason: string, cause: Provenance): Promise<PaymentOutcome> {
    const occurredAt = new Date().toISOString();
    const receipt = await this.book({ type: 'CancelPayment', paymentId, reason, occurredAt }, cause);
    return this.lookAgain(paymentId, receipt?.position);
  }

  private async lookAgain(paymentId: string, after: Position | undefined): Promise<PaymentOutcome> {
    return outcomeOf(await this.recordAt(paymentId, after));
  }

  /**
   * Gives unapplied money back. Throws Rejected('UnappliedNotFound') for any charge that the journal does not
   * hold so.
   */
  async refundUnapplied(chargeId: string, cause: Provenance): Promise<void> {
    if (!(await this.unapplied.isHeld(chargeId))) throw new Rejected('UnappliedNotFound', { chargeId });
    const refunds = await this.provider.refundRest(chargeId);
    for (const command of refunds.flatMap(unappliedRefundToBook)) await this.book(command, cause);
    if (!refunds.some(({ status, isFinal }) => status === 'given' && isFinal))
      this.log.warn(
        { correlationId: cause.correlationId, chargeId },
        'unapplied money is not back yet; to be tried again',
      );
  }

  private tell(command: JournalCommand, cause: Provenance): Promise<Receipt> {
    return this.bus.execute(new ExecuteJournalCommand(command, cause));
  }

  /** Tells the journal what the provider shows. Its no is final, noted, and no reason to stop. */
  private async book(command: JournalCommand, cause: Provenance): Promise<Receipt | undefined> {
    try {
      return await this.tell(command, cause);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const { reason, details } = error;
      this.log.warn(
        { correlationId: cause.correlationId, command: command.type, reason, details },
        'the journal declined it',
      );
      return undefined;
    }
  }

  private async record(paymentId: string): Promise<PaymentRecord> {
    const record = paymentRecord(await this.entries.about(paymentId));
    if (!record) throw new Rejected('PaymentNotFound', { paymentId });
    return record;
  }

  /** The record of a payment that was opened before, as of its opening or later. */
  private recordAfter(paymentId: string, { position }: Receipt): Promise<PaymentRecord> {
    return this.recordAt(paymentId, position);
  }

  private async recordAt(paymentId: string, position: Position | undefined): Promise<PaymentRecord> {
    if (position && !(await this.readModels.waitFor(position, CATCH_UP_MS)))
      throw new Unavailable('This payment is still being set up. Please try again in a moment.');
    return this.record(paymentId);
  }
}
