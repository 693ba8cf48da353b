/** From the form to the checkout, and back to a form that is filled in as it was. */
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { goToLogin, REDIRECT_MS, useLater } from '../../shared/navigation/leaving.js';
import { checkoutPath, paymentsPath } from '../../shared/navigation/paths.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useSessionCheck } from '../account/current-user.js';
import { filledForm, filledFormIn, type PaymentDraft } from './filled-form.js';
import { AUTHENTICATION_REQUIRED, writtenAmount, type PaymentFields } from './form-rules.js';

/** Time for the button to say Processing. */
const BEFORE_CHECKOUT_MS = 300;

interface CheckoutExit {
  /** What the form held when its checkout was opened, by this user and a moment ago. */
  readonly left: PaymentDraft | undefined;
  readonly isLeaving: boolean;
  readonly leave: (fields: PaymentFields) => void;
}

const queryOf = ({ amount, description, method }: PaymentFields) => ({
  amount: writtenAmount(amount),
  description: description.trim(),
  paymentMethod: method,
});

export function useCheckoutExit(userId: string | undefined): CheckoutExit {
  const here = useLocation();
  const navigate = useNavigate();
  const later = useLater();
  const toast = useToast();
  const checkSession = useSessionCheck();
  const [isLeaving, setLeaving] = useState(false);

  const goToCheckout = async (fields: PaymentFields) => {
    const { recipientId, amount, description, method } = fields;
    const left = { recipientId, amount, description, method };
    const state = userId === undefined ? undefined : filledForm(userId, left);
    try {
      await navigate(here, { replace: true, state });
      await navigate(checkoutPath(recipientId, queryOf(fields)));
    } catch {
      toast.error('Navigation Error', 'The checkout could not be opened. Please try again.');
    }
    // Also where the checkout's code is still loading: who turns back before it is there can send the form.
    setLeaving(false);
  };
  const goToSignIn = (fields: PaymentFields) => {
    setLeaving(false);
    toast.error(AUTHENTICATION_REQUIRED.title, AUTHENTICATION_REQUIRED.description);
    goToLogin(REDIRECT_MS.loginOnForm, paymentsPath(fields.recipientId, queryOf(fields)));
  };
  const leave = (fields: PaymentFields) => {
    setLeaving(true);
    // A session may have ended while the form was open. An answer that comes too late is the checkout's to
    // say.
    let hasEnded = false;
    void checkSession().then((session) => {
      hasEnded = session === 'ended';
    });
    later(() => (hasEnded ? goToSignIn(fields) : void goToCheckout(fields)), BEFORE_CHECKOUT_MS);
  };
  const left = userId === undefined ? undefined : filledFormIn(userId, here.state);
  return { left, isLeaving, leave };
}
