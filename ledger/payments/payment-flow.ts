/**
 * The way of a card payment between the journal and the provider: intent first, deterministic keys, and credit only on
 * the provider's word. Every step may be run again at any time, by anyone, and does nothing more.
 */
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { ABANDONED_AFTER_MS } from '#contracts/api/internal';
import type { Position } from '#contracts/log';
import { CURRENCY } from '#contracts/money';
import type { CreatePaymentIntent, PaymentIntentAnswer } from '#contracts/api/payments';
import { LOG } from '../bus/handled.js';
import { AskJournal } from '../bus/journal-door.js';
import { latest, ReadModels } from '../http/read-models.js';
import type { JournalCommand } from '../journal/commands.js';
import type { Receipt } from '../journal/journal.js';
import { idFrom, userKey } from '../journal/keys.js';
import { Rejected, Unavailable } from '../rejection.js';
import { CardProvider } from '../stripe/card-provider.js';
import { Vault } from '../vault/vault.js';
import { PaymentEntries, UnappliedCharges } from './payment-reads.js';
import { paymentRecord, type PaymentRecord } from './payment-record.js';
import { attemptsToBook, endingsToBook, givenBack } from './sync.js';

/** Who or what made us look, for the log: a person, a webhook's event, a worker. */
export interface Cause {
  readonly correlationId: string;
  readonly causationId?: string | undefined;
  readonly actorId?: string | undefined;
}

/** How long a repeat waits to learn how far its payment came. */
const CATCH_UP_MS = 5_000;
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
   * Opens a payment and answers the secret with which the payer's browser confirms it. The same key and body give the same
   * payment and secret. Throws Rejected, Unavailable and ProviderRefused.
   */
  async open(
    payerId: string,
    body: CreatePaymentIntent,
    clientKey: string | undefined,
    correlationId: string,
  ): Promise<{ answer: PaymentIntentAnswer; position: Position | undefined }> {
    const key = userKey(payerId, clientKey ?? uuidv7());
    const paymentId = idFrom('pay', key);
    const { amount: amountMinor, toUserId: recipientId, paymentMethod: method, description } = body;
    const [fingerprint, note] = await Promise.all([
      this.vault.fingerprint(payerId, body),
      description === undefined ? undefined : this.vault.seal(payerId, description),
    ]);
    const cause = { correlationId, actorId: payerId };
    const opened = await this.bus.execute(
      new AskJournal(
        { type: 'OpenPayment', paymentId, payerId, recipientId, amountMinor, currency: CURRENCY, method, note },
        { ...cause, key, fingerprint },
      ),
    );
    const known = opened.repeated ? await this.recordAfter(paymentId, opened) : undefined;
    const intent = known?.intentId
      ? await this.provider.intent(known.intentId)
      : await this.provider.intentFor({ paymentId, amountMinor, method, openedAt: known?.openedAt ?? new Date() });
    if (intent.isCanceled) throw new Rejected('PaymentCanceled', { paymentId });
    if (known?.intentId) return { answer: { clientSecret: intent.clientSecret, paymentId }, position: opened.position };
    const submitted = await this.tell({ type: 'SubmitPayment', paymentId, intentId: intent.intentId }, cause);
    // Two requests under one key may each have made an intent, after failures of the provider: the payer is shown the one
    // that the journal took.
    const taken = submitted.repeated ? (await this.recordAfter(paymentId, submitted)).intentId : intent.intentId;
    const { clientSecret } = taken === undefined || taken === intent.intentId ? intent : await this.provider.intent(taken);
    return { answer: { clientSecret, paymentId }, position: latest([opened.position, submitted.position]) };
  }

  /**
   * Reads a payment at the provider and books, in order, what the log lacks. Throws Unavailable: look again later. A no of
   * the journal to one entry does not keep the others out.
   */
  async sync(intentId: string, cause: Cause): Promise<void> {
    const seen = await this.provider.payment(intentId);
    const unapplied = new Set<string>();
    for (const command of attemptsToBook(seen)) {
      const receipt = await this.book(command, cause);
      // The entry's key says how the journal took the money: for the payment, or as money that no payment explains.
      if (command.type === 'SettlePayment' && receipt?.key.startsWith('unapplied:')) unapplied.add(command.chargeId);
    }
    for (const command of endingsToBook(seen, unapplied)) await this.book(command, cause);
  }

  /** Syncs everything that changed at the provider in a time. Answers how many were looked at, and which must be again. */
  async reconcile(since: Date, until: Date, cause: Cause): Promise<{ looked: number; failed: string[] }> {
    const intents = await this.provider.changedBetween(since, until);
    const failed: string[] = [];
    const waiting = [...intents];
    const work = async (): Promise<void> => {
      for (let intentId = waiting.shift(); intentId !== undefined; intentId = waiting.shift()) {
        try {
          await this.sync(intentId, cause);
        } catch (error) {
          failed.push(intentId);
          this.log.warn({ correlationId: cause.correlationId, intentId, err: error }, 'a payment could not be booked now');
        }
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return { looked: intents.length, failed };
  }

  /** Ends a payment that nobody completed in a day by our own clock, if the provider agrees. Throws Rejected('PaymentNotFound') and Unavailable. */
  async cancelAbandoned(paymentId: string, cause: Cause): Promise<void> {
    const record = await this.record(paymentId);
    if (record.isResolved) return;
    const isAbandoned = Date.now() - record.openedAt.getTime() >= ABANDONED_AFTER_MS;
    const intentId = record.intentId ?? (await this.provider.find(record));
    if (intentId !== undefined) {
      if (isAbandoned) await this.provider.cancel(intentId);
      return this.sync(intentId, cause);
    }
    if (!isAbandoned) return;
    const occurredAt = new Date().toISOString();
    await this.book({ type: 'CancelPayment', paymentId, reason: 'abandoned before it reached the provider', occurredAt }, cause);
  }

  /** Takes an opened payment to the provider, where the answer was lost. Throws Rejected('PaymentNotFound') and Unavailable. */
  async resume(paymentId: string, cause: Cause): Promise<void> {
    const record = await this.record(paymentId);
    if (record.isResolved) return;
    const intentId = record.intentId ?? (await this.provider.intentFor(record)).intentId;
    await this.sync(intentId, cause);
  }

  /** Gives unapplied money back. Throws Rejected('UnappliedNotFound') for any charge that the journal does not hold so. */
  async refundUnapplied(chargeId: string, cause: Cause): Promise<void> {
    if (!(await this.unapplied.isHeld(chargeId))) throw new Rejected('UnappliedNotFound', { chargeId });
    const refund = await this.provider.refundCharge(chargeId);
    if (refund) await this.tell(givenBack(refund), cause);
    else this.log.warn({ correlationId: cause.correlationId, chargeId }, 'unapplied money is not back yet; to be tried again');
  }

  private tell(command: JournalCommand, cause: Cause): Promise<Receipt> {
    return this.bus.execute(new AskJournal(command, cause));
  }

  /** Tells the journal what the provider shows. Its no is final, noted, and no reason to stop. */
  private async book(command: JournalCommand, cause: Cause): Promise<Receipt | undefined> {
    try {
      return await this.tell(command, cause);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const { reason, details } = error;
      this.log.warn({ correlationId: cause.correlationId, command: command.type, reason, details }, 'the journal declined it');
      return undefined;
    }
  }

  private async record(paymentId: string): Promise<PaymentRecord> {
    const record = paymentRecord(await this.entries.about(paymentId));
    if (!record) throw new Rejected('PaymentNotFound', { paymentId });
    return record;
  }

  /** The record of a payment that was opened before, as of its opening or later. */
  private async recordAfter(paymentId: string, { position }: Receipt): Promise<PaymentRecord> {
    if (!(await this.readModels.waitFor(position, CATCH_UP_MS)))
      throw new Unavailable('This payment is still being set up. Please try again in a moment.');
    return this.record(paymentId);
  }
}
