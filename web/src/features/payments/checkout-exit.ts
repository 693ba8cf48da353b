/** From the form to the checkout, and back to a form that is filled in as it was. */
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { useLater } from '../../shared/navigation/leaving.js';
import { checkoutPath } from '../../shared/navigation/paths.js';
import { useToast } from '../../shared/ui/toasts.js';
import { writtenAmount, type PaymentFields } from './form-rules.js';

/** Time for the button to say Processing. */
const BEFORE_CHECKOUT_MS = 300;

/** Some of the form's fields: what a link says of a payment, or what the form held before the checkout. */
export type PaymentDraft = Partial<PaymentFields>;

/** The state of the form's entry in the history. */
interface FormState {
  readonly left: PaymentDraft;
}
const isFormState = (state: unknown): state is FormState =>
  typeof state === 'object' && state !== null && 'left' in state;

export interface CheckoutExit {
  /** What the form held when its checkout was opened. */
  readonly left: PaymentDraft | undefined;
  readonly isLeaving: boolean;
  readonly leave: (fields: PaymentFields) => void;
}

export function useCheckoutExit(): CheckoutExit {
  const here = useLocation();
  const navigate = useNavigate();
  const later = useLater();
  const toast = useToast();
  const [isLeaving, setLeaving] = useState(false);

  const goToCheckout = async ({ recipientId, amount, description, method }: PaymentFields) => {
    const state: FormState = { left: { recipientId, amount, description, method } };
    try {
      await navigate(here, { replace: true, state });
      await navigate(
        checkoutPath(recipientId, {
          amount: writtenAmount(amount),
          description: description.trim(),
          paymentMethod: method,
        }),
      );
    } catch {
      toast.error('Navigation Error', 'The checkout could not be opened. Please try again.');
    }
    // Also where the checkout's code is still loading: who turns back before it is there can send the form.
    setLeaving(false);
  };
  const leave = (fields: PaymentFields) => {
    setLeaving(true);
    later(() => void goToCheckout(fields), BEFORE_CHECKOUT_MS);
  };
  return { left: isFormState(here.state) ? here.state.left : undefined, isLeaving, leave };
}
