/**
 * The payment in the checkout, stored before the browser leaves for a bank or Cash App: the page that it
 * returns to knows the recipient and which key to delete.
 */
import { forgetPaymentKey } from './payment-key.js';
import { methodOf } from '../payments/MethodChoice.js';
import type { RequestedPayment } from './payment-query.js';
import { tabMemory } from './tab-memory.js';

const PLACE = 'encore.checkout';

/** Called before the payment is confirmed. */
export function storeCheckout(clientSecret: string, requested: RequestedPayment): void {
  tabMemory.set(PLACE, JSON.stringify({ clientSecret, asked: requested }));
}

const textOf = (from: object, name: string): string => {
  const value: unknown = Object.entries(from).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
};

/** The payment of a client secret; undefined if this tab did not start it. */
export function storedCheckout(clientSecret: string): RequestedPayment | undefined {
  try {
    const stored: unknown = JSON.parse(tabMemory.get(PLACE) ?? 'null');
    if (typeof stored !== 'object' || stored === null || textOf(stored, 'clientSecret') !== clientSecret)
      return undefined;
    if (!('asked' in stored) || typeof stored.asked !== 'object' || stored.asked === null) return undefined;
    const { asked } = stored;
    const paymentId = textOf(asked, 'paymentId');
    return {
      recipientId: textOf(asked, 'recipientId'),
      amount: textOf(asked, 'amount'),
      description: textOf(asked, 'description'),
      method: methodOf(textOf(asked, 'method')),
      ...(paymentId !== '' && { paymentId }),
    };
  } catch {
    return undefined;
  }
}

/** Deletes the payment's key. A payment that existed before the checkout has none. */
export function forgetKeyOf(requested: RequestedPayment): void {
  if (requested.paymentId === undefined) forgetPaymentKey(requested);
}

/** Called once the payment is made: the same payment again is a new one. */
export function endCheckout(clientSecret: string): void {
  const requested = storedCheckout(clientSecret);
  if (requested === undefined) return;
  forgetKeyOf(requested);
  tabMemory.remove(PLACE);
}
