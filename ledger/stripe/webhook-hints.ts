/**
 * What an event of the card provider's hints at. Nothing of it is booked: it says which payment is to be read
 * again, and by what the log shows that it has been booked already, so that nothing needs to be read.
 */
import type Stripe from 'stripe';
import { isRecord } from '#contracts/plain/record';
import type { CallerAnswer } from '#contracts/api/error';
import { ofTable } from './refusals.js';

/** An event about a payment, as far as it says where to look. */
export interface PaymentHint {
  readonly intentId: string;
  /** The charge that it is about, where it is about one. */
  readonly chargeId: string | undefined;
  /**
   * What the log must hold if the event is true: that the payment was made, that the charge was paid or
   * declined, what the provider took for it, that the payment was canceled; or what the event's object alone
   * does not say.
   */
  readonly tells: 'made' | 'paid' | 'declined' | 'fee' | 'canceled' | 'anything';
  /** The provider sends another event for the same thing, on whose account the payment is read. */
  readonly isTwin: boolean;
  /**
   * Its object has metadata like those that a ledger writes; undefined where it would have none either way.
   */
  readonly isMarked: boolean | undefined;
}

/** What a webhook is about. */
export type WebhookSubject =
  | ({ readonly about: 'payment' } & PaymentHint)
  | { readonly about: 'cards'; readonly customerId: string }
  /** A card was declined as it was being saved. */
  | { readonly about: 'setup'; readonly setupId: string; readonly eventId: string }
  /** The platform's balance, beside all payments: a top-up, or a payout to the platform's own bank. */
  | { readonly about: 'balance'; readonly objectId: string };

/** Signed, and yet no event: the SDK checks the signature only. */
export class NoEvent extends Error {
  override readonly name = 'NoEvent';
  readonly answer: CallerAnswer = { status: 400, message: this.message };
}

/** The event, once it is known to be one. Throws {@link NoEvent} for one without a type or an object. */
export function assertedEvent(signed: unknown): Stripe.Event {
  const { type, data } = isRecord(signed) ? signed : {};
  if (typeof type !== 'string' || !isRecord(data) || !isRecord(data['object']))
    throw new NoEvent('This webhook is signed, and names no object that something happened to.');
  const { id } = data['object'];
  if (id !== undefined && typeof id !== 'string')
    throw new NoEvent('This webhook is signed, and its object has no usable id.');
  return signed as Stripe.Event;
}

/** Undefined for an event that the log has nothing to say of, whatever is true. */
export function subjectOf(event: Stripe.Event): WebhookSubject | undefined {
  const objectId = ownMoneyNamedBy(event);
  if (objectId !== undefined) return { about: 'balance', objectId };
  if (event.type === 'setup_intent.setup_failed')
    return { about: 'setup', setupId: event.data.object.id, eventId: String(event.id) };
  const customerId = customerNamedBy(event);
  if (customerId !== undefined) return { about: 'cards', customerId };
  const intentId = intentNamedBy(event);
  if (intentId === undefined || SAYS_NOTHING.has(event.type)) return undefined;
  const tells = ofTable(TELLS, event.type) ?? 'anything';
  const isTwin = TWINS.has(event.type);
  return {
    about: 'payment',
    intentId,
    chargeId: chargeNamedBy(event),
    tells,
    isTwin,
    isMarked: isMarked(event),
  };
}

/** The log hears of an intent from whoever made it, and of an attempt once it has come to something. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'payment_intent.created',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.amount_capturable_updated',
  'payment_intent.partially_funded',
  'charge.pending',
]);
const TELLS: Readonly<Record<string, PaymentHint['tells']>> = {
  'payment_intent.succeeded': 'paid',
  'payment_intent.payment_failed': 'declined',
  'payment_intent.canceled': 'canceled',
  'charge.succeeded': 'paid',
  'charge.failed': 'declined',
  'charge.updated': 'fee',
};
/**
 * A charge's own events come beside those of its intent; its fee often stands in the first reading already.
 */
const TWINS: ReadonlySet<string> = new Set(['charge.succeeded', 'charge.failed', 'charge.updated']);

/** Each of these has moved money of the platform's own; what comes after it moves none. */
const MOVES_OWN_MONEY: ReadonlySet<string> = new Set([
  'topup.succeeded',
  'topup.reversed',
  'payout.created',
  'payout.failed',
  'payout.canceled',
]);

/**
 * The object by which money of the platform's own moved; events of connected accounts have an endpoint apart.
 */
function ownMoneyNamedBy(event: Stripe.Event): string | undefined {
  if (!MOVES_OWN_MONEY.has(event.type) || event.account !== undefined) return undefined;
  return (event.data.object as { id?: string }).id;
}

/** An intent as a list shows it, its latest charge with it, as an event about it would. */
export function hintOf(intent: Stripe.PaymentIntent): PaymentHint {
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const isPaid = charge?.status === 'succeeded';
  const isMoved = charge?.disputed === true || (charge?.amount_refunded ?? 0) > 0;
  return {
    intentId: intent.id,
    chargeId: idOf(intent.latest_charge),
    tells: isMoved
      ? 'anything'
      : isPaid
        ? 'fee'
        : intent.status === 'canceled'
          ? 'canceled'
          : charge?.status === 'failed'
            ? 'declined'
            : 'made',
    isTwin: false,
    isMarked: intent.metadata?.['mac'] !== undefined || intent.metadata?.['paymentId'] !== undefined,
  };
}

/** The same for hints of which one look is enough. */
export const nameOf = ({ intentId, chargeId, tells }: PaymentHint): string =>
  `${intentId} ${chargeId ?? ''} ${tells}`;

/** Whose saved cards an event changed: a card was attached or detached, or another one is the default. */
function customerNamedBy(event: Stripe.Event): string | undefined {
  switch (event.type) {
    case 'payment_method.attached':
      return idOf(event.data.object.customer);
    case 'payment_method.detached':
      // The card is nobody's any more; whose it was is among what it was before.
      return idOf(event.data.previous_attributes?.customer);
    case 'customer.updated':
      return event.data.object.id;
    default:
      return undefined;
  }
}

/**
 * The intent that an event's object is or belongs to. The object itself is not believed: it is read again.
 */
function intentNamedBy(event: Stripe.Event): string | undefined {
  const object = event.data.object as {
    object?: string;
    id?: string;
    payment_intent?: string | { id: string } | null;
  };
  if (object.object === 'payment_intent') return object.id;
  if (object.object !== 'charge' && object.object !== 'refund' && object.object !== 'dispute')
    return undefined;
  return idOf(object.payment_intent);
}

function chargeNamedBy({ data }: Stripe.Event): string | undefined {
  const object = data.object as {
    object?: string;
    id?: string;
    charge?: string | { id: string } | null;
    latest_charge?: string | { id: string } | null;
  };
  if (object.object === 'charge') return object.id;
  return idOf(object.object === 'payment_intent' ? object.latest_charge : object.charge);
}

/** Refunds and disputes do not show their payment's metadata. */
function isMarked({ data }: Stripe.Event): boolean | undefined {
  const object = data.object as { object?: string; metadata?: Stripe.Metadata | null };
  if (object.object !== 'payment_intent' && object.object !== 'charge') return undefined;
  return object.metadata?.['mac'] !== undefined || object.metadata?.['paymentId'] !== undefined;
}

/** What comes from outside may be anything: only text is an id. */
function idOf(named: string | { id: string } | null | undefined): string | undefined {
  const id: unknown = typeof named === 'string' ? named : named?.id;
  return typeof id === 'string' ? id : undefined;
}
