/**
 * The card provider. Nothing that people wrote goes out, only ids and amounts; what comes back is put in our
 * words. A request whose outcome is unknown may be made again: each has a key of its own.
 */
import Stripe from 'stripe';
import { CURRENCY } from '#contracts/plain/money';
import type { SavedCard } from '#contracts/events/journal';
import type { Payment } from '../journal/state.js';
import { isSealed, oldestSealed, type OwnershipSeal, type PaymentBooking } from './ownership.js';
import {
  ProviderRefused,
  type RefusedForGood,
  type ProviderIntent,
  type ProviderPayment,
  type ProviderRefund,
  type ReadingDepth,
} from './provider-payment.js';
import { idIn, readable, UnreadableAnswer } from './answers.js';
import { chargeOf, disputeOf, refundOf } from './provider-charge.js';
import { wordsOf } from './provider-words.js';
import { isMissing, refusalOf } from './refusals.js';
import { hintOf, nameOf, subjectOf, type PaymentHint, type WebhookSubject } from './webhook-hints.js';
import {
  all,
  translatingRefusals,
  CLOCK_SKEW_MS,
  isoFrom,
  KEYS_LAST_MS,
  alarmUnreadable,
  madeOnce,
  openStripe,
  PAGE,
  readableOf,
  type StripeAccess,
} from './stripe-client.js';
import { signedEvent, type WebhookOptions } from './webhook-signature.js';

interface CardProviderOptions extends StripeAccess, WebhookOptions {
  readonly seal: OwnershipSeal;
  /** Where this app is, as browsers reach it. */
  readonly publicUrl: string;
}

/** A payment to be paid. One that was opened long ago is looked up before it is made. */
export interface IntentRequest extends PaymentBooking, Pick<Payment, 'amountMinor' | 'openedAt'> {
  /** The customer for whom the card that pays it is to be saved. */
  readonly savesFor?: string | undefined;
}

/** A saved card that pays an intent; the key is of one press of its owner's. */
interface SavedCardConfirmation {
  readonly intentId: string;
  readonly savedCard: SavedCard;
  readonly key: string;
}

/** What an intent is looked for by. */
type WantedIntent = Pick<IntentRequest, 'paymentId' | 'amountMinor' | 'openedAt'>;

const REFUSED = 'The card provider did not take this payment. Please try again.';
/** The app's page of outcomes. */
const RETURN_PATH = '/payment-success';
/** The provider's code where the payer did not show their bank who they are. */
const AUTHENTICATION_FAILED = 'payment_intent_authentication_failure';
/** Not the provider's code: it shows the card as detached, or shows none. */
export const CARD_GONE = 'card_gone';
/**
 * An intent is made within this time of its payment's opening: after a day the payment is canceled as
 * abandoned.
 */
const MADE_WITHIN_MS = 48 * 60 * 60_000;

/** Kinds of the provider's events that can concern a payment. */
const EVENT_TYPES = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.canceled',
  'charge.succeeded',
  'charge.failed',
  'charge.updated',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'refund.created',
  'refund.updated',
  'refund.failed',
] as const;

export class CardProvider {
  private readonly stripe: Stripe;
  /**
   * Where a bank's page would lead back to. The provider may refuse any confirmation without one, a card's
   * too, because of other methods that the account has active.
   */
  private readonly returnUrl: string;
  /** Alarms of an object in a list that cannot be read. */
  readonly #left = (error: UnreadableAnswer): void => alarmUnreadable(this.options, error);

  constructor(private readonly options: CardProviderOptions) {
    this.stripe = openStripe(options);
    this.returnUrl = new URL(RETURN_PATH, options.publicUrl).href;
  }

  /**
   * The one intent of a payment: found if it exists, else made. Throws Unavailable when the provider does not
   * answer, and {@link ProviderRefused}.
   */
  intentFor(request: IntentRequest): Promise<ProviderIntent> {
    return this.asked(async () => {
      if (Date.now() - request.openedAt.getTime() > KEYS_LAST_MS) {
        const found = await this.lookUp(request);
        if (found) return intentOf(found);
      }
      return intentOf(await this.makeOnce(request));
    });
  }

  /**
   * Charges a saved card, once: the intent that is there, or a new one. A schedule's payment is charged in
   * its owner's absence; any other's owner is there, and their browser does what the bank asks for. Done also
   * where the card was declined: {@link payment} tells what came of it. Never where the provider proves that
   * this card or amount cannot be charged. Throws Unavailable, and {@link ProviderRefused} for what proves
   * nothing of the card: it may be asked again.
   */
  chargeSaved(
    request: IntentRequest & { readonly savedCard: SavedCard },
  ): Promise<{ readonly kind: 'done'; readonly intentId: string } | RefusedForGood> {
    const { paymentId, amountMinor, savedCard, openedAt } = request;
    const make = async (idempotencyKey: string): Promise<string> => {
      this.options.assertMayMove?.();
      try {
        const intent = await this.stripe.paymentIntents.create(
          {
            amount: amountMinor,
            currency: CURRENCY,
            allowed_payment_method_types: ['card'],
            customer: savedCard.customerId,
            payment_method: savedCard.paymentMethodId,
            ...(request.occurrence ? { off_session: true } : { use_stripe_sdk: true }),
            confirm: true,
            return_url: this.returnUrl,
            metadata: this.metadataOf(request),
          },
          { idempotencyKey, maxNetworkRetries: 0 },
        );
        return intent.id;
      } catch (error) {
        const declined =
          error instanceof Stripe.errors.StripeCardError ? error.payment_intent?.id : undefined;
        if (declined === undefined) throw error;
        return declined;
      }
    };
    return this.asked(async () => {
      const lookUp = async (): Promise<string | undefined> => (await this.lookUp(request))?.id;
      const isOld = Date.now() - openedAt.getTime() > KEYS_LAST_MS;
      try {
        const found = isOld ? await lookUp() : undefined;
        return { kind: 'done', intentId: found ?? (await madeOnce(paymentId, make, lookUp)) };
      } catch (error) {
        const refused = await this.refusedForGood(error, savedCard);
        if (!refused) throw error;
        const made = await lookUp();
        return made === undefined ? refused : { kind: 'done', intentId: made };
      }
    });
  }

  /**
   * Confirms an intent with its saved card while its owner is there: their browser does what the bank asks
   * for. Done also where the card was declined: {@link payment} tells what came of it. An intent that waits
   * for the bank about this card, or is past confirming, stays as it is. The same key tries the card once.
   * Throws Unavailable, and {@link ProviderRefused} for what proves nothing of the card.
   */
  confirmSaved({
    intentId,
    savedCard,
    key,
  }: SavedCardConfirmation): Promise<{ readonly kind: 'done' } | RefusedForGood> {
    const done = { kind: 'done' } as const;
    const settled = async (): Promise<typeof done | undefined> => {
      const intent = readable('payment_intent', await this.stripe.paymentIntents.retrieve(intentId));
      const { status } = intent;
      // The bank may be asking about another card, which its owner entered and left.
      const isOpen =
        status === 'requires_action'
          ? idOf(intent.payment_method) !== savedCard.paymentMethodId
          : status === 'requires_payment_method' || status === 'requires_confirmation';
      return isOpen ? undefined : done;
    };
    const confirm = async (idempotencyKey: string): Promise<typeof done> => {
      this.options.assertMayMove?.();
      try {
        await this.stripe.paymentIntents.confirm(
          intentId,
          {
            payment_method: savedCard.paymentMethodId,
            off_session: false,
            use_stripe_sdk: true,
            return_url: this.returnUrl,
          },
          { idempotencyKey, maxNetworkRetries: 0 },
        );
      } catch (error) {
        const isDecline =
          error instanceof Stripe.errors.StripeCardError && error.payment_intent !== undefined;
        if (!isDecline && !isPastThat(error)) throw error;
      }
      return done;
    };
    return this.asked(async () => {
      try {
        return (await settled()) ?? (await madeOnce(key, confirm, settled));
      } catch (error) {
        const refused = await this.refusedForGood(error, savedCard);
        if (!refused) throw error;
        return (await settled()) ?? refused;
      }
    });
  }

  /**
   * What a refusal of a saved card proves, if anything; a code that does not say it is followed by a look.
   */
  private async refusedForGood(error: unknown, card: SavedCard): Promise<RefusedForGood | undefined> {
    const refusal = refusalOf(error);
    if (refusal?.kind === 'never' && (refusal.about === 'card' || refusal.about === 'amount')) {
      const { about, code } = refusal;
      if (about === 'amount') return { kind: 'never', about, code };
      return { kind: 'never', about, code: isMissing(error) ? CARD_GONE : code };
    }
    if (refusal?.kind !== 'our-fault' || !(await this.isGone(card))) return undefined;
    return { kind: 'never', about: 'card', code: CARD_GONE };
  }

  /** Whether the provider shows that a customer does not have this card any more. */
  private async isGone({ customerId, paymentMethodId }: SavedCard): Promise<boolean> {
    try {
      const { customer } = await this.stripe.paymentMethods.retrieve(paymentMethodId);
      return idOf(customer) !== customerId;
    } catch (error) {
      if (isMissing(error)) return true;
      throw error;
    }
  }

  /**
   * Has the card that pays this intent saved for its payer. One that is past choosing a card stays as it is.
   */
  keepCard(intentId: string, customerId: string): Promise<void> {
    return this.asked(async () => {
      try {
        await this.stripe.paymentIntents.update(intentId, {
          customer: customerId,
          setup_future_usage: 'off_session',
        });
      } catch (error) {
        if (!isPastThat(error)) throw error;
      }
    });
  }

  /**
   * Has the payer's bank confirm who pays, where the card can be asked. One that is past choosing a card
   * stays as it is. Throws Unavailable and {@link ProviderRefused}.
   */
  askForConfirmation(intentId: string): Promise<void> {
    return this.asked(async () => {
      try {
        await this.stripe.paymentIntents.update(intentId, {
          payment_method_options: { card: { request_three_d_secure: 'any' } },
        });
      } catch (error) {
        if (!isPastThat(error)) throw error;
      }
    });
  }

  /**
   * An intent by its id, with the secret that is never stored. Throws Unavailable and {@link
   * ProviderRefused}.
   */
  intent(intentId: string): Promise<ProviderIntent> {
    return this.asked(async () => intentOf(await this.stripe.paymentIntents.retrieve(intentId)));
  }

  /** The payment's intent if it has been made, without making one. */
  find(request: WantedIntent): Promise<string | undefined> {
    return this.asked(async () => (await this.lookUp(request))?.id);
  }

  /**
   * What the provider knows about a payment now: of its latest charge in one call, which is all there is to a
   * payment that simply went through, or of all its charges. Throws Unavailable and {@link ProviderRefused}.
   */
  payment(intentId: string, depth: ReadingDepth): Promise<ProviderPayment> {
    return this.asked(async () => {
      const shown = await this.stripe.paymentIntents.retrieve(intentId, {
        expand: ['latest_charge.balance_transaction', 'latest_charge.refunds'],
      });
      const intent = readable('payment_intent', shown);
      const latest = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
      const isPaid = intent.status === 'succeeded';
      const hasCharges = intent.latest_charge !== null || isPaid;
      const charges =
        hasCharges && (depth === 'all-charges' || latest === null)
          ? await all(
              this.stripe.charges.list({
                payment_intent: intentId,
                limit: PAGE,
                expand: ['data.balance_transaction', 'data.refunds'],
              }),
            )
          : latest === null
            ? []
            : [latest];
      // The provider may show the status before the charge: ask again, or the money would be missed.
      if (isPaid && this.isOurs(intent) && !charges.some(({ status }) => status === 'succeeded'))
        throw new UnreadableAnswer('payment_intent', 'latest_charge', intent.id);
      // An expanded charge has its ten newest refunds; most have none.
      const refunds = charges.some(({ refunds }) => refunds?.has_more !== false)
        ? await all(this.stripe.refunds.list({ payment_intent: intentId, limit: PAGE }))
        : charges.flatMap(({ refunds }) => refunds?.data ?? []);
      const disputes = charges.some(({ disputed }) => disputed)
        ? await all(this.stripe.disputes.list({ payment_intent: intentId, limit: PAGE }))
        : [];
      return this.paymentOf(intent, charges, refunds, disputes);
    });
  }

  /**
   * Asks for a payment to be canceled. One that is past canceling stays as it is: `payment` tells what became
   * of it.
   */
  cancel(intentId: string): Promise<void> {
    return this.asked(async () => {
      try {
        // Without a key of ours: what it answered once, a failure too, would be its answer for a day.
        await this.stripe.paymentIntents.cancel(intentId, { cancellation_reason: 'abandoned' });
      } catch (error) {
        if (!isPastThat(error)) throw error;
      }
    });
  }

  /**
   * Gives back what is left of a charge, once, and answers all its refunds. One that is under way or was
   * refused is not final; asking again later goes on from there. `disputedMinor`: what disputes took of it,
   * which is gone, and of which the provider's own sum of refunds knows nothing.
   */
  refundRest(chargeId: string, disputedMinor: number): Promise<ProviderRefund[]> {
    return this.asked(async () => {
      const refunds = async (): Promise<ProviderRefund[]> =>
        (await all(this.stripe.refunds.list({ charge: chargeId, limit: PAGE }))).flatMap(
          (refund) => refundOf(refund) ?? [],
        );
      this.options.assertMayMove?.();
      const before = await refunds();
      const charge = readable('charge', await this.stripe.charges.retrieve(chargeId));
      const { amount_captured: captured, amount_refunded: refunded, currency } = charge;
      const amount = captured - refunded - disputedMinor;
      if (amount <= 0) return before;
      // A refund that failed has made room for another one: how many there were names the next.
      const attempt = `${chargeId}-${before.length}`;
      const metadata = this.options.seal.of(
        'refund',
        { chargeId, attempt },
        { amountMinor: amount, currency },
      );
      await madeOnce<unknown>(
        `unapplied-${attempt}`,
        (idempotencyKey) =>
          this.stripe.refunds.create(
            { charge: chargeId, amount, metadata },
            { idempotencyKey, maxNetworkRetries: 0 },
          ),
        async () =>
          (await all(this.stripe.refunds.list({ charge: chargeId, limit: PAGE }))).find(
            (refund) => refund.metadata?.['attempt'] === attempt,
          ),
      );
      return refunds();
    });
  }

  /**
   * What happened to payments in a time, by lists alone; undefined where that is more than `most`, unless the
   * time is as short as can be asked for. `until` is exclusive.
   */
  changedBetween(since: Date, until: Date, most: number): Promise<readonly PaymentHint[] | undefined> {
    return this.asked(async () => {
      const created = { gte: Math.floor(since.getTime() / 1000), lt: Math.ceil(until.getTime() / 1000) };
      const isShortest = created.lt - created.gte <= 1;
      const hints = new Map<string, PaymentHint>();
      let listed = 0;
      const events = this.stripe.events.list({ created, types: [...EVENT_TYPES], limit: PAGE });
      for await (const event of readableOf('event', events, this.#left)) {
        if (++listed > most && !isShortest) return undefined;
        const subject = subjectOf(event);
        if (subject?.about === 'payment') hints.set(nameOf(subject), subject);
      }
      // Events are kept for 30 days only and may be missing from a stand-in; the objects themselves are not.
      const list = { created, limit: PAGE, expand: ['data.latest_charge'] };
      for await (const intent of readableOf('made', this.stripe.paymentIntents.list(list), this.#left)) {
        if (++listed > most && !isShortest) return undefined;
        const hint = hintOf(intent);
        hints.set(nameOf(hint), hint);
      }
      return [...hints.values()];
    });
  }

  /**
   * The intent that a webhook is about, or the customer whose saved cards it is about; undefined where it
   * concerns neither. Throws what {@link signedEvent} does.
   */
  webhookSubject(body: Buffer, signature: string): WebhookSubject | undefined {
    return subjectOf(signedEvent(this.stripe, body, signature, this.options, 'card provider'));
  }

  private makeOnce(request: IntentRequest): Promise<Stripe.PaymentIntent> {
    const { paymentId, amountMinor, method, savesFor } = request;
    return madeOnce(
      paymentId,
      (idempotencyKey) =>
        this.stripe.paymentIntents.create(
          {
            amount: amountMinor,
            currency: CURRENCY,
            allowed_payment_method_types: [method],
            ...(savesFor !== undefined && { customer: savesFor, setup_future_usage: 'off_session' as const }),
            metadata: this.metadataOf(request),
          },
          { idempotencyKey, maxNetworkRetries: 0 },
        ),
      () => this.lookUp(request),
    );
  }

  private async lookUp({ paymentId, amountMinor, openedAt }: WantedIntent) {
    const from = openedAt.getTime() - CLOCK_SKEW_MS;
    const created = { gte: Math.floor(from / 1000), lte: Math.ceil((from + MADE_WITHIN_MS) / 1000) };
    // A list and not a search: a search may not know yet what was made a minute ago.
    const found: Stripe.PaymentIntent[] = [];
    const list = this.stripe.paymentIntents.list({ created, limit: PAGE });
    for await (const intent of readableOf('payment_intent', list, this.#left)) {
      if (intent.metadata?.['paymentId'] !== paymentId) continue;
      // Before objects were sealed, an intent of this sum was all there was to go by.
      const isOlder = !isSealed(intent);
      if (this.isOurs(intent) || (isOlder && intent.amount === amountMinor && intent.currency === CURRENCY))
        found.push(intent);
    }
    return oldestSealed(found);
  }

  private metadataOf(request: IntentRequest): Record<string, string> {
    const { amountMinor } = request;
    const { paymentId, key, payerId, recipientId, method, occurrence } = request;
    const booking = { paymentId, key, payerId, recipientId, method, occurrence };
    return this.options.seal.ofPayment(booking, { amountMinor, currency: CURRENCY });
  }

  private paymentOf(
    intent: Stripe.PaymentIntent,
    charges: readonly Stripe.Charge[],
    refunds: readonly Stripe.Refund[],
    disputes: readonly Stripe.Dispute[],
  ): ProviderPayment {
    return {
      intentId: intent.id,
      paymentId: idIn(intent.metadata, 'paymentId'),
      isSealed: this.isOurs(intent),
      canceled:
        intent.status === 'canceled'
          ? {
              reason: wordsOf(intent.cancellation_reason ?? 'canceled'),
              at: isoFrom(intent.canceled_at ?? intent.created),
            }
          : undefined,
      attemptWithoutCharge: this.attemptWithoutChargeOf(intent),
      charges: charges.map(chargeOf),
      refunds: refunds.flatMap((refund) => refundOf(refund) ?? []),
      disputes: disputes.map(disputeOf),
    };
  }

  /**
   * A schedule's attempt that the provider refused without making a charge, as when it knows by itself that
   * the payer is needed. Not for payments whose payer is there: their browser tells them.
   */
  private attemptWithoutChargeOf(intent: Stripe.PaymentIntent): ProviderPayment['attemptWithoutCharge'] {
    const { id, status, last_payment_error: error, metadata } = intent;
    const isOfSchedule = metadata?.['occurrenceId'] !== undefined;
    if (status !== 'requires_payment_method' || !error || error.charge || !isOfSchedule) return undefined;
    const code = wordsOf(error.decline_code || error.code || 'declined');
    // The payer was there, and may try again.
    if (code === AUTHENTICATION_FAILED) return undefined;
    return {
      attemptId: `${id}-${code}`,
      code,
      reason: wordsOf(error.message || 'The payment was declined.'),
      at: new Date().toISOString(),
    };
  }

  private isOurs({ metadata, amount: amountMinor, currency }: Stripe.PaymentIntent): boolean {
    return this.options.seal.isOurs('payment', metadata, { amountMinor, currency });
  }

  private asked<T>(work: () => Promise<T>): Promise<T> {
    return translatingRefusals(work, REFUSED, this.options);
  }
}

/** The intent is in a state that allows the call no more. */
const isPastThat = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.code === 'payment_intent_unexpected_state';

function intentOf(given: Stripe.PaymentIntent): ProviderIntent {
  const intent = readable('payment_intent', given);
  if (!intent.client_secret) throw new ProviderRefused(REFUSED);
  return {
    intentId: intent.id,
    clientSecret: intent.client_secret,
    isCanceled: intent.status === 'canceled',
    needsAction: intent.status === 'requires_action',
    isUnderWay: intent.status === 'processing' || intent.status === 'succeeded',
    methods: intent.payment_method_types ?? undefined,
    savesFor: intent.setup_future_usage === 'off_session' ? idOf(intent.customer) : undefined,
  };
}

export const idOf = (named: string | { id: string } | null | undefined): string | undefined =>
  typeof named === 'string' ? named : named?.id;
