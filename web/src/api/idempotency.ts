/**
 * The keys of payments, made before anything is sent and kept for as long as the tab lives: the tip page, the checkout, a
 * reload and a second click all mean the same payment and open one intent.
 */
import { v7 as uuidv7 } from 'uuid';
import { decimalFromMinor, minorFromDecimal } from '#contracts/decimal';
import { IDEMPOTENCY_KEY_HEADER } from '#contracts/api/headers';

/** What makes two payments the same one. */
export interface PaymentIntention {
  readonly recipientId: string;
  /** As it was written: `20` and `20.00` are one amount. */
  readonly amount: string;
  readonly description: string;
  readonly method: string;
}

function placeOf({ recipientId, amount, description, method }: PaymentIntention): string {
  const read = minorFromDecimal(amount.trim());
  const written = 'minor' in read ? decimalFromMinor(read.minor) : amount;
  return `encore.payment ${JSON.stringify([recipientId.trim(), written, description.trim(), method])}`;
}

/** The key of this payment: the one that is kept, or a new one that is kept from now on. */
export function paymentKey(intention: PaymentIntention): string {
  const place = placeOf(intention);
  const kept = sessionStorage.getItem(place);
  if (kept !== null) return kept;
  const key = uuidv7();
  sessionStorage.setItem(place, key);
  return key;
}

/** After a success, or a refusal for good: the same payment again is another one. */
export function forgetPaymentKey(intention: PaymentIntention): void {
  sessionStorage.removeItem(placeOf(intention));
}

/** The header for a call's `headers`. */
export function idempotent(key: string): Record<string, string> {
  return { [IDEMPOTENCY_KEY_HEADER]: key };
}

/** A key for a command that no page outlives. Make it when the form opens, and again after it was taken. */
export const newKey = (): string => uuidv7();
