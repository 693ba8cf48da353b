/**
 * What the browser was paying when it left for the payer's bank or Cash App: the page it comes back to knows
 * then whom the payment was for, and which key it may forget.
 */
import { forgetPaymentKey } from '../../shared/api/idempotency.js';
import { methodOf } from '../payments/MethodChoice.js';
import type { AskedPayment } from './payment-query.js';

const PLACE = 'encore.checkout';

interface Kept {
  readonly clientSecret: string;
  readonly asked: AskedPayment;
}

/** Before the payment is confirmed. */
export function keepCheckout(clientSecret: string, asked: AskedPayment): void {
  const kept: Kept = { clientSecret, asked };
  sessionStorage.setItem(PLACE, JSON.stringify(kept));
}

const textOf = (from: object, name: string): string => {
  const value: unknown = Object.entries(from).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
};

/** What was paid under a client secret; nothing if this tab did not begin it. */
export function keptCheckout(clientSecret: string): AskedPayment | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null');
    if (typeof kept !== 'object' || kept === null || textOf(kept, 'clientSecret') !== clientSecret)
      return undefined;
    if (!('asked' in kept) || typeof kept.asked !== 'object' || kept.asked === null) return undefined;
    const { asked } = kept;
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

/** The payment's key is spent. One that was there before the checkout has none here. */
export function forgetAsked(asked: AskedPayment): void {
  if (asked.paymentId === undefined) forgetPaymentKey(asked);
}

/** The payment is made: the same one again is another one. */
export function endCheckout(clientSecret: string): void {
  const asked = keptCheckout(clientSecret);
  if (asked === undefined) return;
  forgetAsked(asked);
  sessionStorage.removeItem(PLACE);
}
