/** What comes of a payment, and whether it was made already: nobody pays twice for having come back. */
import type { PaymentIntent, Stripe } from '@stripe/stripe-js';
import { useCallback, useEffect, useState } from 'react';
import { useDispatch } from 'react-redux';
import { useNavigate } from 'react-router-dom';
import { api } from '../../shared/api/api.js';
import { paidPath, PATHS } from '../../shared/navigation/paths.js';
import { forgetKeyOf } from './stored-checkout.js';
import type { RequestedPayment } from './payment-query.js';
import { useToast } from '../../shared/ui/toasts.js';

/** Money is on its way, or has arrived: there is nothing more to pay. */
export const isPaid = ({ status }: PaymentIntent): boolean =>
  status === 'succeeded' || status === 'processing';

/** The card that a payment was tried with; the provider names it in what it says of the attempt. */
export function cardOf({
  payment_method: current,
  last_payment_error: refused,
}: PaymentIntent): string | undefined {
  return (typeof current === 'string' ? current : current?.id) ?? refused?.payment_method?.id;
}

/** Where a payment that succeeded leads, and what the page there is told. */
export interface NextPage {
  readonly path: string;
  readonly state?: { readonly confirmedPaymentId: string };
}
const HOME: NextPage = { path: PATHS.home };

/**
 * Leaves the checkout for good. It is not a page to go back to: there the same payment would be another one.
 */
export function useAfterPayment(
  requested: RequestedPayment,
  next = HOME,
): (intent: PaymentIntent, isShown: boolean) => void {
  const toast = useToast();
  const navigate = useNavigate();
  const dispatch = useDispatch();
  return useCallback(
    (intent, isShown) => {
      forgetKeyOf(requested);
      dispatch(
        api.util.invalidateTags(['User', 'Transactions', 'SavedCard', 'Subscriptions', 'ScheduledPayments']),
      );
      if (intent.status === 'processing') {
        if (isShown) void navigate(paidPath(intent.client_secret ?? ''), { replace: true });
        return;
      }
      toast.success('Payment Successful', 'Payment processed successfully!');
      if (isShown) void navigate(next.path, { replace: true, state: next.state });
    },
    [requested, next, toast, navigate, dispatch],
  );
}

/**
 * The payment, once the provider has said that it is still to be made; `unknown` where it could not be asked.
 */
export function useUnpaidIntent(
  stripe: Stripe | undefined,
  clientSecret: string,
  requested: RequestedPayment,
  next?: NextPage,
): PaymentIntent | 'unknown' | undefined {
  const [unpaid, setUnpaid] = useState<PaymentIntent | 'unknown'>();
  const paid = useAfterPayment(requested, next);
  useEffect(() => {
    if (stripe === undefined) return;
    let isCurrent = true;
    void stripe.retrievePaymentIntent(clientSecret).then(({ paymentIntent }) => {
      if (!isCurrent) return;
      // Where this look-up fails the fields say why: they ask the provider themselves.
      if (paymentIntent && isPaid(paymentIntent)) paid(paymentIntent, true);
      else setUnpaid(paymentIntent ?? 'unknown');
    });
    return () => {
      isCurrent = false;
    };
  }, [stripe, clientSecret, paid]);
  return unpaid;
}
