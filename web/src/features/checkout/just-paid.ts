/** The payment that was just made, for the page that comes after it: kept in that page's entry of the history. */
import { methodOf } from '../payments/MethodChoice.js';
import type { RequestedPayment } from './payment-query.js';

interface JustPaid {
  readonly justPaid: RequestedPayment;
}

export const justPaid = (payment: RequestedPayment): JustPaid => ({ justPaid: payment });

/** The payment in the state of a page, or undefined. */
export function justPaidIn(state: unknown): RequestedPayment | undefined {
  if (typeof state !== 'object' || state === null || !('justPaid' in state)) return undefined;
  const { justPaid: paid } = state;
  if (typeof paid !== 'object' || paid === null) return undefined;
  const { recipientId, amount, description, method }: Partial<Record<keyof RequestedPayment, unknown>> = paid;
  return typeof recipientId === 'string' && typeof amount === 'string'
    ? {
        recipientId,
        amount,
        description: typeof description === 'string' ? description : '',
        method: methodOf(typeof method === 'string' ? method : null),
      }
    : undefined;
}
