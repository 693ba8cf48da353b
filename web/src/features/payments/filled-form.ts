/**
 * The payment's form as a page leaves it filled in: kept in the form's entry of the browser's history, for
 * its user and for a while, so that the address of the form stays its own.
 */
import { ownEntry, ownEntryOf } from '../account/own-entry.js';
import type { PaymentFields } from './form-rules.js';

/** Some of the form's fields: what a link says of a payment, or what the form held before the checkout. */
export type PaymentDraft = Partial<PaymentFields>;

interface FormState {
  readonly left: PaymentDraft;
}
const isFormState = (state: object | undefined): state is FormState => state !== undefined && 'left' in state;

/** The state of the form's entry. */
export const filledForm = (userId: string, left: PaymentDraft): object =>
  ownEntry(userId, { left } satisfies FormState);

/** What the form held in this entry, if this user left it there a moment ago. */
export function filledFormIn(userId: string, state: unknown): PaymentDraft | undefined {
  const own = ownEntryOf(userId, state);
  return isFormState(own) ? own.left : undefined;
}
