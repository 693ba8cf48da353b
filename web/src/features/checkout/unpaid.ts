/** What comes of a payment, and whether it was made already: nobody pays twice for having come back. */
import type { PaymentIntent, Stripe } from '@stripe/stripe-js';
import { useCallback, useEffect, useState } from 'react';
import { useDispatch } from 'react-redux';
import { useNavigate } from 'react-router-dom';
import { api } from '../../api/api.js';
import { forgetPaymentKey } from '../../api/idempotency.js';
import { paidPath, PATHS } from '../../navigation/paths.js';
import type { AskedPayment } from '../../paying/payment-query.js';
import { useToast } from '../../toasts/toasts.js';

/** Money is on its way, or has arrived: there is nothing more to pay. */
export const isPaid = ({ status }: PaymentIntent): boolean => status === 'succeeded' || status === 'processing';

/** Leaves the checkout for good. It is not a page to go back to: there the same payment would be another one. */
export function usePaid(asked: AskedPayment): (intent: PaymentIntent, isShown: boolean) => void {
  const toast = useToast();
  const navigate = useNavigate();
  const dispatch = useDispatch();
  return useCallback(
    (intent, isShown) => {
      forgetPaymentKey(asked);
      dispatch(api.util.invalidateTags(['User', 'Transactions', 'SavedCard']));
      if (intent.status === 'processing') {
        if (isShown) void navigate(paidPath(intent.client_secret ?? ''), { replace: true });
        return;
      }
      toast.success('Payment Successful', 'Payment processed successfully!');
      if (isShown) void navigate(PATHS.home, { replace: true });
    },
    [asked, toast, navigate, dispatch],
  );
}

/** True once the provider has said that this payment is still to be made. */
export function useUnpaid(stripe: Stripe | undefined, clientSecret: string, asked: AskedPayment): boolean {
  const [isUnpaid, setUnpaid] = useState(false);
  const paid = usePaid(asked);
  useEffect(() => {
    if (stripe === undefined) return;
    let isCurrent = true;
    void stripe.retrievePaymentIntent(clientSecret).then(({ paymentIntent }) => {
      if (!isCurrent) return;
      // Where this look-up fails the fields say why: they ask the provider themselves.
      if (paymentIntent && isPaid(paymentIntent)) paid(paymentIntent, true);
      else setUnpaid(true);
    });
    return () => {
      isCurrent = false;
    };
  }, [stripe, clientSecret, paid]);
  return isUnpaid;
}
