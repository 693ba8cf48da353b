/**
 * Idempotency keys of payments, made before anything is sent and stored until the tab closes: the tip page,
 * the checkout, a reload and a second click all mean the same payment and open one intent.
 */
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import { newKey } from '../../shared/api/idempotency.js';
import { tabMemory } from './tab-memory.js';

/** What makes two payments the same one. */
export interface PaymentIntention {
  readonly recipientId: string;
  /** As typed: `20` and `20.00` are one amount. */
  readonly amount: string;
  readonly description: string;
  readonly method: string;
  /** Whether the card is saved. It is sent with the payment, so it is part of what the key stands for. */
  readonly saveCard?: boolean;
}

function placeOf({ recipientId, amount, description, method }: PaymentIntention, what = 'payment'): string {
  const read = minorFromDecimal(amount.trim());
  const written = 'minor' in read ? decimalFromMinor(read.minor) : amount;
  return `encore.${what} ${JSON.stringify([recipientId.trim(), written, description.trim(), method])}`;
}
const keyPlaceOf = (intention: PaymentIntention): string =>
  placeOf(intention, intention.saveCard === true ? 'payment-saving-card' : 'payment');

/** The stored key of this payment, or a new one that is stored from now on. */
export function paymentKey(intention: PaymentIntention): string {
  const place = keyPlaceOf(intention);
  const kept = tabMemory.get(place);
  if (kept !== null) return kept;
  const key = newKey();
  tabMemory.set(place, key);
  return key;
}

/**
 * The same payment by the other method: what was left there, at Cash App or at a bank, could still be paid.
 */
function placesOfOther(intention: PaymentIntention): string[] {
  const method = intention.method === 'card' ? 'cashapp' : 'card';
  return [false, true].map((saveCard) => keyPlaceOf({ ...intention, method, saveCard }));
}

const openByOther = (intention: PaymentIntention): string[] =>
  placesOfOther(intention).flatMap((place) => tabMemory.get(place) ?? []);

/** Whether something by the other method is to be ended before this payment can be made. */
export const isInsteadOfAnother = (intention: PaymentIntention): boolean => openByOther(intention).length > 0;

const insteadPlaceOf = (intention: PaymentIntention): string => `${keyPlaceOf(intention)} instead of`;

/** The keys of what this payment takes the place of, stored beside its own: repeated, it is the same call. */
export function earlierKeys(intention: PaymentIntention): readonly string[] {
  const place = insteadPlaceOf(intention);
  const known = (tabMemory.get(place) ?? '').split(' ').filter(Boolean);
  const all = [...new Set([...known, ...openByOther(intention)])];
  if (all.length > known.length) tabMemory.set(place, all.join(' '));
  return all;
}

/**
 * Once `ended` have ended, or were paid: each of them again is a new payment. What was begun by the other
 * method meanwhile is open still.
 */
export function forgetEarlierKeys(intention: PaymentIntention, ended: readonly string[]): void {
  for (const place of placesOfOther(intention))
    if (ended.includes(tabMemory.get(place) ?? '')) tabMemory.remove(place);
}

/** After a success or a final refusal: the same payment again is a new one. */
export function forgetPaymentKey(intention: PaymentIntention): void {
  for (const saveCard of [false, true])
    for (const placeOfIt of [keyPlaceOf, insteadPlaceOf])
      tabMemory.remove(placeOfIt({ ...intention, saveCard }));
  tabMemory.remove(placeOf(intention, 'save-card'));
}

/** Whether the payer chose to save the card. After a reload it must mean the same payment. */
export function savesCard(intention: PaymentIntention): boolean {
  return tabMemory.get(placeOf(intention, 'save-card')) !== null;
}

/** Stores the choice, for as long as the payment's key. */
export function keepSavesCard(intention: PaymentIntention, saves: boolean): void {
  const place = placeOf(intention, 'save-card');
  if (saves) tabMemory.set(place, 'yes');
  else tabMemory.remove(place);
}
