/** After a payment: where to go, and whether it was already paid when the checkout is opened again. */
import type { PaymentIntent, Stripe } from '@stripe/stripe-js';
import { useCallback, useEffect, useState } from 'react';
import { useDispatch } from 'react-redux';
import { useNavigate } from 'react-router-dom';
import { useUser } from '../account/current-user.js';
import { api } from '../../shared/api/api.js';
import { paidPath, PATHS } from '../../shared/navigation/paths.js';
import { forgetKeyOf } from './stored-checkout.js';
import { justPaid } from './just-paid.js';
import type { RequestedPayment } from './payment-query.js';
import { useToast } from '../../shared/ui/toasts.js';

/** True once the money is on its way or has arrived. */
export const isPaid = ({ status }: Pick<PaymentIntent, 'status'>): boolean =>
  status === 'succeeded' || status === 'processing';

/** The page after a success, and the state that it gets. */
export interface NextPage {
  readonly path: string;
  readonly state?: { readonly confirmedPaymentId: string };
}
const HOME: NextPage = { path: PATHS.home };

export const PROCESSING = {
  title: 'Payment Processing',
  sentence: 'Your payment is on its way. Your history shows it as soon as it is made.',
} as const;

/**
 * Leaves the checkout for good. The history entry is replaced: going back there would open another payment.
 */
export function useAfterPayment(
  requested: RequestedPayment,
  next = HOME,
): (intent: Pick<PaymentIntent, 'status' | 'client_secret'>, isShown: boolean) => void {
  const toast = useToast();
  const navigate = useNavigate();
  const dispatch = useDispatch();
  const { id: userId } = useUser();
  return useCallback(
    (intent, isShown) => {
      forgetKeyOf(requested);
      dispatch(
        api.util.invalidateTags(['User', 'Transactions', 'SavedCard', 'Subscriptions', 'ScheduledPayments']),
      );
      if (intent.status === 'processing') {
        const secret = intent.client_secret;
        // Without a secret the provider's page of outcomes has nothing to ask for.
        if (!secret) toast(PROCESSING.title, PROCESSING.sentence);
        if (isShown) void navigate(secret ? paidPath(secret) : next.path, { replace: true });
        return;
      }
      toast.success('Payment Successful', 'Payment processed successfully!');
      if (isShown)
        void navigate(next.path, { replace: true, state: { ...next.state, ...justPaid(userId, requested) } });
    },
    [requested, next, toast, navigate, dispatch, userId],
  );
}

/** The intent, once the provider says that it is still unpaid; `unknown` if it could not be asked. */
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
    const ask = async () => {
      const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret);
      if (!isCurrent) return;
      if (paymentIntent && isPaid(paymentIntent)) paid(paymentIntent, true);
      else setUnpaid(paymentIntent ?? 'unknown');
    };
    // If this fails, the fields report it: they ask the provider themselves.
    ask().catch(() => isCurrent && setUnpaid('unknown'));
    return () => {
      isCurrent = false;
    };
  }, [stripe, clientSecret, paid]);
  return unpaid;
}
