/**
 * The payment that was just made, for the page that comes after it: kept in that page's entry of the history.
 */
import { ownEntry, ownEntryOf } from '../account/own-entry.js';
import { methodOf } from '../payments/MethodChoice.js';
import type { RequestedPayment } from './payment-query.js';

export const justPaid = (userId: string, payment: RequestedPayment): object =>
  ownEntry(userId, { justPaid: payment });

/** The payment in the state of a page, if this user made it a moment ago. */
export function justPaidIn(userId: string, state: unknown): RequestedPayment | undefined {
  const paid = ownEntryOf(userId, state)?.justPaid;
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
