/** What /tip and /checkout read from their query. */
import { cardAmount } from '#contracts/plain/card-amount';
import { decimalFromMinor } from '#contracts/plain/money';
import { withoutTurns } from '#contracts/plain/note';
import type { PaymentIntention } from './payment-key.js';
import { checkoutPath, paymentsPath, waitingPath } from '../../shared/navigation/paths.js';
import type { PaymentDraft } from '../payments/filled-form.js';
import { methodOf, type Method } from '../payments/MethodChoice.js';

/** A payment as a link describes it. */
export interface RequestedPayment extends PaymentIntention {
  readonly method: Method;
  /** The id of an existing payment that waits for its payer: the checkout confirms it and opens no other. */
  readonly paymentId?: string;
}

/**
 * Undefined without a recipient or without an amount that can be paid: no page shows what it would not
 * charge.
 */
export function requestedPayment(
  recipientId: string | null | undefined,
  query: URLSearchParams,
): RequestedPayment | undefined {
  const id = recipientId?.trim() ?? '';
  const amount = cardAmount(query.get('amount') ?? '');
  if (id === '' || 'sentence' in amount) return undefined;
  return {
    recipientId: id,
    amount: decimalFromMinor(amount.minor),
    description: withoutTurns(query.get('description') ?? '').trim(),
    method: methodOf(query.get('paymentMethod')),
  };
}

/** What the form holds of this payment. */
export const draftOf = ({ recipientId, amount, description, method }: RequestedPayment): PaymentDraft => ({
  recipientId,
  amount,
  description,
  method,
});

/** What the form holds of what an address says of a payment, as it is written there. */
export function draftOfQuery(recipientId: string, query: URLSearchParams): PaymentDraft {
  const written = (name: string): string => query.get(name)?.trim() ?? '';
  return {
    recipientId,
    amount: written('amount'),
    description: written('description'),
    method: methodOf(query.get('paymentMethod')),
  };
}

/** The form with what an address says of a payment, as it is written there. */
export function formOfQuery(recipientId: string, query: URLSearchParams): string {
  const written = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  return paymentsPath(recipientId, {
    amount: written('amount'),
    description: written('description'),
    paymentMethod: written('paymentMethod'),
  });
}

/** The checkout of this payment. */
export function checkoutOf({
  paymentId,
  recipientId,
  amount,
  description,
  method,
}: RequestedPayment): string {
  if (paymentId !== undefined) return waitingPath(paymentId);
  return checkoutPath(recipientId, { amount, description, paymentMethod: method });
}

/** The form with this payment filled in, for a payment that could not be opened. */
export function formOf({ recipientId, amount, description, method }: RequestedPayment): string {
  return paymentsPath(recipientId, { amount, description, paymentMethod: method });
}
