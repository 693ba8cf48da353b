/** What a payer's browser needs: a payment that is opened, and the secret with which it is confirmed. */
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CreatePaymentIntent, OpenPaymentAnswer, PaymentIntentAnswer } from '#contracts/api/payments';
import type { Position } from '#contracts/log';
import { CURRENCY, decimalFromMinor } from '#contracts/plain/money';
import { Vault } from '#log/vault';
import { ExecuteJournalCommand } from '../bus/execute-journal-command.js';
import { OpenCardCustomer } from '../bus/saved-cards.js';
import { latest } from '../http/read-models.js';
import { Journal } from '../journal/journal.js';
import { idFrom, isIdOf, userKey } from '../journal/keys.js';
import { intentIdOf } from '../journal/payment-state.js';
import { Declines, tooManyDeclines } from '../limits/declines.js';
import { Rejected, Unavailable } from '../rejection.js';
import { ActiveMethods } from '../stripe/active-methods.js';
import { CardProvider, type IntentRequest } from '../stripe/card-provider.js';
import { ProviderRefused, withCustomer, type ProviderIntent } from '../stripe/provider-payment.js';
import { NO_METHOD } from '../stripe/refusals.js';
import { assertStays } from './staying-recipient.js';

/** What the log is asked for: anybody can write the address that it comes from. */
const INTENT_ID = /^pi_\w{1,100}$/;

@Injectable()
export class Checkout {
  constructor(
    private readonly bus: CommandBus,
    private readonly journal: Journal,
    private readonly provider: CardProvider,
    private readonly vault: Vault,
    private readonly methods: ActiveMethods,
    private readonly declines: Declines,
  ) {}

  /**
   * Opens a payment, and answers the secret with which the payer's browser confirms it. The same key and body
   * give the same payment and secret. Declines are counted for the network that it is started from. Throws
   * Rejected, Refusal, Unavailable and ProviderRefused.
   */
  async open(
    payerId: string,
    body: Omit<CreatePaymentIntent, 'insteadOf'> & { readonly guestName?: string | undefined },
    clientKey: string,
    { correlationId, network }: { readonly correlationId: string; readonly network: string },
  ): Promise<{ answer: PaymentIntentAnswer; position: Position | undefined }> {
    const key = userKey(payerId, clientKey);
    const paymentId = idFrom('pay', key);
    // Asked beside what is prepared meanwhile; nothing is opened before its answer.
    const stays = assertStays(body.toUserId, key, this.bus, this.journal);
    stays.catch(() => undefined);
    const judgement = await this.declines.judge(payerId, body.toUserId, network);
    // What was begun may have been paid by now: whoever is refused takes it that nobody was charged, and pays
    // anew later.
    if (judgement.kind === 'refuse' && !(await this.isBegun(paymentId))) {
      this.declines.refused(judgement.reached);
      throw tooManyDeclines(judgement.reached);
    }
    const { amount: amountMinor, toUserId: recipientId, paymentMethod: method, description, saveCard } = body;
    const [fingerprint, note, guestName] = await Promise.all([
      this.vault.fingerprint(payerId, body),
      description === undefined ? undefined : this.vault.seal(payerId, description),
      body.guestName === undefined ? undefined : this.vault.seal(payerId, body.guestName),
      stays,
      this.declines.opened(paymentId, network),
    ]);
    const provenance = { correlationId, actorId: payerId };
    const terms = {
      paymentId,
      payerId,
      recipientId,
      amountMinor,
      currency: CURRENCY,
      method,
      note,
      guestName,
    };
    const opened = await this.bus.execute(
      new ExecuteJournalCommand({ type: 'OpenPayment', ...terms }, { ...provenance, key, fingerprint }),
    );
    const known = opened.repeated
      ? await this.journal.look('payment', paymentId, opened.revision)
      : undefined;
    const knownIntent = known && intentIdOf(known);
    const booking = { paymentId, key, payerId, recipientId, amountMinor, method };
    const asked = { ...booking, openedAt: known?.openedAt ?? new Date() };
    // The customer first, so that the provider is asked once and for all.
    const intent =
      saveCard && method === 'card'
        ? await withCustomer(
            (refusedId) => this.bus.execute(new OpenCardCustomer(payerId, { correlationId }, refusedId)),
            (savesFor) => this.intentFor({ ...asked, savesFor }, knownIntent),
          )
        : await this.intentFor(asked, knownIntent);
    if (judgement.kind !== 'clear' && method === 'card')
      await this.provider.askForConfirmation(intent.intentId);
    // The provider says nothing of what it leaves out, as long as anything is left: what it allows is read
    // back.
    if (intent.methods && !intent.methods.includes(method)) throw this.leftOut(booking);
    if (knownIntent)
      return { answer: { clientSecret: intent.clientSecret, paymentId }, position: opened.position };
    const submitted = await this.bus.execute(
      new ExecuteJournalCommand({ type: 'SubmitPayment', paymentId, intentId: intent.intentId }, provenance),
    );
    const clientSecret = await this.secretTaken(paymentId, submitted.revision, intent);
    return { answer: { clientSecret, paymentId }, position: latest([opened.position, submitted.position]) };
  }

  /** The intent that the log names, or else one that is made. */
  private async intentFor(asked: IntentRequest, known: string | undefined): Promise<ProviderIntent> {
    const { paymentId, savesFor } = asked;
    const intent = await (known === undefined
      ? this.provider.intentFor(asked).catch((error: unknown) => {
          const isLeftOut = error instanceof ProviderRefused && error.refusal.code === NO_METHOD;
          throw isLeftOut ? this.leftOut(asked) : error;
        })
      : this.provider.intent(known));
    if (intent.isCanceled) throw new Rejected('PaymentCanceled', { paymentId });
    // Whoever made it, the card that pays it is then saved.
    if (savesFor !== undefined && intent.savesFor !== savesFor)
      await this.provider.keepCard(intent.intentId, savesFor);
    return intent;
  }

  private leftOut({
    paymentId,
    method,
    amountMinor,
  }: Pick<IntentRequest, 'paymentId' | 'method' | 'amountMinor'>): Rejected {
    this.methods.noteLeftOut(method, amountMinor);
    return new Rejected('MethodInactive', { paymentId, method });
  }

  private async isBegun(paymentId: string): Promise<boolean> {
    return (await this.journal.look('payment', paymentId)) !== undefined;
  }

  /**
   * What the payer's browser confirms an open payment of theirs with, and what it charges. Throws Rejected
   * for anybody else's and for one that has ended.
   */
  async secretOf(payerId: string, paymentId: string): Promise<OpenPaymentAnswer> {
    const payment = isIdOf('pay', paymentId) ? await this.journal.look('payment', paymentId) : undefined;
    if (payment?.payerId !== payerId) throw new Rejected('PaymentNotFound', { paymentId });
    if (payment.status === 'settled') throw new Rejected('PaymentAlreadySettled', { paymentId });
    if (payment.status === 'canceled') throw new Rejected('PaymentCanceled', { paymentId });
    if (payment.status === 'opened')
      throw new Unavailable('This payment is still being set up. Please try again in a moment.');
    const { clientSecret, isCanceled } = await this.provider.intent(payment.intentId);
    if (isCanceled) throw new Rejected('PaymentCanceled', { paymentId });
    return { clientSecret, paymentId, amount: decimalFromMinor(payment.amountMinor) };
  }

  /** The payment that the provider's intent is for. Throws Rejected for anybody else's, and Unavailable. */
  async ofIntent(payerId: string, intentId: string): Promise<string> {
    const paymentId = INTENT_ID.test(intentId) ? await this.journal.paymentOfIntent(intentId) : undefined;
    const payment = paymentId === undefined ? undefined : await this.journal.look('payment', paymentId);
    if (paymentId === undefined || payment?.payerId !== payerId)
      throw new Rejected('PaymentOfIntentNotFound', { intentId });
    return paymentId;
  }

  /**
   * Two requests under one key may each have made an intent, after failures of the provider: the payer is
   * shown the one that the journal recorded first.
   */
  private async secretTaken(
    paymentId: string,
    revision: number,
    made: { readonly intentId: string; readonly clientSecret: string },
  ): Promise<string> {
    const payment = await this.journal.look('payment', paymentId, revision);
    if (payment?.status === 'canceled') throw new Rejected('PaymentCanceled', { paymentId });
    const taken = payment && intentIdOf(payment);
    if (taken === undefined || taken === made.intentId) return made.clientSecret;
    return (await this.provider.intent(taken)).clientSecret;
  }
}
