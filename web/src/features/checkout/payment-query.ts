/** What /tip and /checkout read from their query. */
import { decimalFromMinor, minorFromDecimal } from '#contracts/plain/money';
import type { PaymentIntention } from './payment-key.js';
import { checkoutPath, paymentsPath, waitingPath } from '../../shared/navigation/paths.js';
import { methodOf, type Method } from '../payments/MethodChoice.js';

/** A payment as a link describes it. */
export interface RequestedPayment extends PaymentIntention {
  readonly method: Method;
  /** The id of an existing payment that waits for its payer: the checkout confirms it and opens no other. */
  readonly paymentId?: string;
}

/** `20` and `20.0` become `20.00`. Invalid text stays as it is; the server says what is wrong with it. */
function written(amount: string): string {
  const read = minorFromDecimal(amount.trim());
  return 'minor' in read ? decimalFromMinor(read.minor) : amount.trim();
}

/** Undefined without a recipient or an amount. */
export function requestedPayment(
  recipientId: string | null | undefined,
  query: URLSearchParams,
): RequestedPayment | undefined {
  const [id, amount] = [recipientId?.trim() ?? '', query.get('amount')?.trim() ?? ''];
  if (id === '' || amount === '') return undefined;
  return {
    recipientId: id,
    amount: written(amount),
    description: query.get('description')?.trim() ?? '',
    method: methodOf(query.get('paymentMethod')),
  };
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
