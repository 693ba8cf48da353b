/**
 * The keys of payments, made before anything is sent and kept for as long as the tab lives: the tip page, the
 * checkout, a reload and a second click all mean the same payment and open one intent.
 */
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { newKey } from '../../shared/api/idempotency.js';

/** What makes two payments the same one. */
export interface PaymentIntention {
  readonly recipientId: string;
  /** As it was written: `20` and `20.00` are one amount. */
  readonly amount: string;
  readonly description: string;
  readonly method: string;
  /**
   * Whether the card that pays it is kept: asked for with the payment, so it belongs to what its key stands
   * for.
   */
  readonly saveCard?: boolean;
}

function placeOf({ recipientId, amount, description, method }: PaymentIntention, what = 'payment'): string {
  const read = minorFromDecimal(amount.trim());
  const written = 'minor' in read ? decimalFromMinor(read.minor) : amount;
  return `encore.${what} ${JSON.stringify([recipientId.trim(), written, description.trim(), method])}`;
}
const keyPlaceOf = (intention: PaymentIntention): string =>
  placeOf(intention, intention.saveCard === true ? 'payment-saving-card' : 'payment');

/** The key of this payment: the one that is kept, or a new one that is kept from now on. */
export function paymentKey(intention: PaymentIntention): string {
  const place = keyPlaceOf(intention);
  const kept = sessionStorage.getItem(place);
  if (kept !== null) return kept;
  const key = newKey();
  sessionStorage.setItem(place, key);
  return key;
}

/** After a success, or a refusal for good: the same payment again is another one. */
export function forgetPaymentKey(intention: PaymentIntention): void {
  for (const saveCard of [false, true]) sessionStorage.removeItem(keyPlaceOf({ ...intention, saveCard }));
  sessionStorage.removeItem(placeOf(intention, 'save-card'));
}

/**
 * Whether the payer ticked that this payment's card is kept. A reload must mean the payment that was being
 * made before it.
 */
export function savesCard(intention: PaymentIntention): boolean {
  return sessionStorage.getItem(placeOf(intention, 'save-card')) !== null;
}

/** Keeps the tick, for as long as the payment's key. */
export function keepSavesCard(intention: PaymentIntention, saves: boolean): void {
  const place = placeOf(intention, 'save-card');
  if (saves) sessionStorage.setItem(place, 'yes');
  else sessionStorage.removeItem(place);
}
