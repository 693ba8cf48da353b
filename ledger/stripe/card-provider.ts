/**
 * The card provider. Nothing that people wrote goes out, only ids and amounts; what
 * comes back is put in our words. A request whose outcome is unknown may be made again: each has a key of its own.
 */
import Stripe from 'stripe';
import { CURRENCY } from '#contracts/money';
import type { PaymentMethod, SavedCard } from '#contracts/events/journal';
import {
  ProviderRefused,
  type ProviderCharge,
  type ProviderIntent,
  type ProviderPayment,
  type ProviderRefund,
} from './provider-payment.js';
import {
  all,
  asked,
  CLOCK_SKEW_MS,
  isoFrom,
  KEYS_LAST_MS,
  madeOnce,
  openStripe,
  PAGE,
  type StripeAccess,
} from './stripe-client.js';

/** Not Stripe's words, or too old: whoever sent it is not the provider. */
export class ForgedWebhook extends Error {
  override readonly name = 'ForgedWebhook';
}

export interface CardProviderOptions extends StripeAccess {
  readonly webhookSecret: string;
}

export interface IntentRequest {
  readonly paymentId: string;
  readonly amountMinor: number;
  readonly method: PaymentMethod;
  /** When the payment was opened: an old one is looked up before it is made. */
  readonly openedAt: Date;
}

const REFUSED = 'The card provider did not take this payment. Please try again.';
/** An intent is made within this time of its payment's opening: after a day the payment is canceled as abandoned. */
const MADE_WITHIN_MS = 48 * 60 * 60_000;

/** Kinds of the provider's events that can concern a payment. */
const EVENT_TYPES = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.canceled',
  'charge.succeeded',
  'charge.failed',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
] as const;

export class CardProvider {
  private readonly stripe: Stripe;

  constructor(
    private readonly options: CardProviderOptions,
    private readonly clock: () => Date = () => new Date(),
  ) {
    this.stripe = openStripe(options);
  }

  /**
   * The one intent of a payment: found if it exists, else made. Throws Unavailable when the provider does not answer, and
   * {@link ProviderRefused}.
   */
  intentFor(request: IntentRequest): Promise<ProviderIntent> {
    return this.asked(async () => {
      if (this.clock().getTime() - request.openedAt.getTime() > KEYS_LAST_MS) {
        const found = await this.lookUp(request);
        if (found) return intentOf(found);
      }
      return intentOf(await this.makeOnce(request));
    });
  }

  /**
   * Charges a saved card in its owner's absence, once: the intent that is there, or a new one. Answers its id also where the
   * card was declined: {@link payment} tells what came of it. Throws Unavailable and {@link ProviderRefused}.
   */
  chargeSaved(request: IntentRequest & { readonly savedCard: SavedCard }): Promise<string> {
    const { paymentId, amountMinor, savedCard, openedAt } = request;
    const make = async (idempotencyKey: string): Promise<string> => {
      try {
        const intent = await this.stripe.paymentIntents.create(
          {
            amount: amountMinor,
            currency: CURRENCY,
            allowed_payment_method_types: ['card'],
            customer: savedCard.customerId,
            payment_method: savedCard.paymentMethodId,
            off_session: true,
            confirm: true,
            metadata: { paymentId },
          },
          { idempotencyKey, maxNetworkRetries: 0 },
        );
        return intent.id;
      } catch (error) {
        const declined = error instanceof Stripe.errors.StripeCardError ? error.payment_intent?.id : undefined;
        if (declined === undefined) throw error;
        return declined;
      }
    };
    return this.asked(async () => {
      const lookUp = async (): Promise<string | undefined> => (await this.lookUp(request))?.id;
      const isOld = this.clock().getTime() - openedAt.getTime() > KEYS_LAST_MS;
      return (isOld ? await lookUp() : undefined) ?? (await madeOnce(paymentId, make, lookUp));
    });
  }

  /** Has the card that pays this intent saved for its payer. One that is past choosing a card stays as it is. */
  keepCard(intentId: string, customerId: string): Promise<void> {
    return this.asked(async () => {
      try {
        await this.stripe.paymentIntents.update(intentId, { customer: customerId, setup_future_usage: 'off_session' });
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'payment_intent_unexpected_state') throw error;
      }
    });
  }

  /** An intent by its id, with the secret that is never stored. Throws Unavailable and {@link ProviderRefused}. */
  intent(intentId: string): Promise<ProviderIntent> {
    return this.asked(async () => intentOf(await this.stripe.paymentIntents.retrieve(intentId)));
  }

  /** The payment's intent if it has been made, without making one. */
  find(request: Pick<IntentRequest, 'paymentId' | 'openedAt'>): Promise<string | undefined> {
    return this.asked(async () => (await this.lookUp(request))?.id);
  }

  /** Everything the provider knows about a payment now. Throws Unavailable and {@link ProviderRefused}. */
  payment(intentId: string): Promise<ProviderPayment> {
    return this.asked(async () => {
      const [intent, charges, refunds] = await Promise.all([
        this.stripe.paymentIntents.retrieve(intentId),
        all(this.stripe.charges.list({ payment_intent: intentId, limit: PAGE })),
        all(this.stripe.refunds.list({ payment_intent: intentId, limit: PAGE })),
      ]);
      return {
        intentId: intent.id,
        paymentId: intent.metadata?.['paymentId'] || undefined,
        canceled:
          intent.status === 'canceled'
            ? { reason: intent.cancellation_reason ?? 'canceled', at: isoFrom(intent.canceled_at ?? intent.created) }
            : undefined,
        charges: charges.map(chargeOf),
        refunds: refunds.flatMap((refund) => refundOf(refund) ?? []),
      };
    });
  }

  /** Asks for a payment to be canceled. One that is past canceling stays as it is: `payment` tells what became of it. */
  cancel(intentId: string): Promise<void> {
    return this.asked(async () => {
      try {
        await this.stripe.paymentIntents.cancel(
          intentId,
          { cancellation_reason: 'abandoned' },
          { idempotencyKey: `cancel-${intentId}` },
        );
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'payment_intent_unexpected_state') throw error;
      }
    });
  }

  /**
   * Gives a whole charge back, once: the refund that is there, or a new one. Undefined while it is under way or when it was
   * refused; asking again later goes on from there.
   */
  refundCharge(chargeId: string): Promise<ProviderRefund | undefined> {
    return this.asked(async () => {
      const before = (await all(this.stripe.refunds.list({ charge: chargeId, limit: PAGE }))).flatMap(
        (refund) => refundOf(refund) ?? [],
      );
      const living = before.find((refund) => refund.status === 'given');
      const refund =
        living ??
        refundOf(
          await this.stripe.refunds.create({ charge: chargeId }, { idempotencyKey: `unapplied-${chargeId}-${before.length}` }),
        );
      return refund?.status === 'given' && refund.isFinal ? refund : undefined;
    });
  }

  /** The intents that anything happened to in a time, each once. `until` is exclusive. */
  changedBetween(since: Date, until: Date): Promise<string[]> {
    return this.asked(async () => {
      const created = { gte: Math.floor(since.getTime() / 1000), lt: Math.ceil(until.getTime() / 1000) };
      const ids = new Set<string>();
      for await (const event of this.stripe.events.list({ created, types: [...EVENT_TYPES], limit: PAGE })) {
        const id = intentNamedBy(event);
        if (id !== undefined) ids.add(id);
      }
      // Events are kept for 30 days only and may be missing from a stand-in; the objects themselves are not.
      for await (const intent of this.stripe.paymentIntents.list({ created, limit: PAGE })) ids.add(intent.id);
      return [...ids];
    });
  }

  /**
   * The intent that a webhook is about, or undefined where it concerns none. `body` is the request's bytes as they came.
   * Throws {@link ForgedWebhook} when the signature is not the provider's or is older than five minutes.
   */
  webhookSubject(body: Buffer, signature: string): string | undefined {
    let event: Stripe.Event;
    try {
      event = this.stripe.webhooks.constructEvent(body, signature, this.options.webhookSecret);
    } catch (error) {
      throw new ForgedWebhook('This webhook is not signed by the card provider, or its signature is too old.', { cause: error });
    }
    return intentNamedBy(event);
  }

  private makeOnce(request: IntentRequest): Promise<Stripe.PaymentIntent> {
    const { paymentId, amountMinor, method } = request;
    return madeOnce(
      paymentId,
      (idempotencyKey) =>
        this.stripe.paymentIntents.create(
          { amount: amountMinor, currency: CURRENCY, allowed_payment_method_types: [method], metadata: { paymentId } },
          { idempotencyKey, maxNetworkRetries: 0 },
        ),
      () => this.lookUp(request),
    );
  }

  private async lookUp({ paymentId, openedAt }: Pick<IntentRequest, 'paymentId' | 'openedAt'>) {
    const from = openedAt.getTime() - CLOCK_SKEW_MS;
    const created = { gte: Math.floor(from / 1000), lte: Math.ceil((from + MADE_WITHIN_MS) / 1000) };
    // A list and not a search: a search may not know yet what was made a minute ago.
    for await (const intent of this.stripe.paymentIntents.list({ created, limit: PAGE }))
      if (intent.metadata?.['paymentId'] === paymentId) return intent;
    return undefined;
  }

  private asked<T>(work: () => Promise<T>): Promise<T> {
    return asked(work, REFUSED);
  }
}

function intentOf(intent: Stripe.PaymentIntent): ProviderIntent {
  if (intent.client_secret === null) throw new ProviderRefused(REFUSED);
  return { intentId: intent.id, clientSecret: intent.client_secret, isCanceled: intent.status === 'canceled' };
}

const chargeOf = (charge: Stripe.Charge): ProviderCharge => ({
  chargeId: charge.id,
  status: charge.status === 'succeeded' ? 'succeeded' : charge.status === 'failed' ? 'failed' : 'pending',
  amountMinor: charge.amount_captured || charge.amount,
  currency: charge.currency,
  createdAt: isoFrom(charge.created),
  failure:
    charge.status === 'failed'
      ? {
          code: charge.outcome?.reason ?? charge.failure_code ?? 'declined',
          reason: charge.failure_message ?? 'The payment was declined.',
        }
      : undefined,
});

function refundOf(refund: Stripe.Refund): ProviderRefund | undefined {
  const charge = typeof refund.charge === 'string' ? refund.charge : refund.charge?.id;
  if (charge === undefined) return undefined;
  const isFailed = refund.status === 'failed' || refund.status === 'canceled';
  return {
    refundId: refund.id,
    chargeId: charge,
    status: isFailed ? 'failed' : 'given',
    isFinal: refund.status === 'succeeded',
    amountMinor: refund.amount,
    createdAt: isoFrom(refund.created),
    failureReason: isFailed ? (refund.failure_reason ?? refund.status ?? 'failed') : undefined,
  };
}

/** The intent that an event's object is or belongs to. The object itself is not believed: it is read again. */
function intentNamedBy(event: Stripe.Event): string | undefined {
  const object = event.data.object as { object?: string; id?: string; payment_intent?: string | { id: string } | null };
  if (object.object === 'payment_intent') return object.id;
  if (object.object !== 'charge' && object.object !== 'refund') return undefined;
  return typeof object.payment_intent === 'string' ? object.payment_intent : object.payment_intent?.id;
}
