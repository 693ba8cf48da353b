/**
 * Pays a payment that waits for its payer with its saved card. The ledger confirms it at the provider, which
 * card it is stays there; the browser only does what the payer's bank asks for.
 */
import type { PaymentIntent, Stripe, StripeError } from '@stripe/stripe-js';
import { useRef } from 'react';
import type { SavedCardPaymentAnswer } from '#contracts/api/payments';
import { api } from '../../shared/api/api.js';
import { isCallError, sentenceFor } from '../../shared/api/call.js';
import { idempotent, newKey } from '../../shared/api/idempotency.js';

const payments = api.injectEndpoints({
  endpoints: (build) => ({
    confirmSavedCard: build.mutation<
      SavedCardPaymentAnswer,
      { readonly paymentId: string; readonly key: string }
    >({
      query: ({ paymentId, key }) => ({
        path: `/api/payments/${encodeURIComponent(paymentId)}/confirm`,
        method: 'POST',
        headers: idempotent(key),
      }),
    }),
  }),
});

/** What an attempt to pay came to: how the intent stands, or why not. */
export interface PaymentAttempt {
  readonly paymentIntent?: Pick<PaymentIntent, 'status' | 'client_secret'> | undefined;
  readonly error?: Partial<Pick<StripeError, 'message' | 'type' | 'payment_intent'>>;
  /** The ledger's answer was lost: it may be paying it now. */
  readonly isUnanswered?: boolean;
}

const NOT_COMPLETED = 'The payment was not completed. Please try again.';

/**
 * The attempt with the saved card; a press after a lost answer is the same attempt. Throws what is no
 * refusal.
 */
export function useSavedCardConfirmation(): (
  stripe: Stripe,
  paymentId: string,
  clientSecret: string,
) => Promise<PaymentAttempt> {
  const [confirm] = payments.useConfirmSavedCardMutation();
  const key = useRef<string>(undefined);
  return async (stripe, paymentId, clientSecret) => {
    key.current ??= newKey();
    let answer: SavedCardPaymentAnswer;
    try {
      answer = await confirm({ paymentId, key: key.current }).unwrap();
    } catch (error) {
      if (!isCallError(error)) throw error;
      // Whatever broke may have broken after the money moved.
      const isUnanswered = error.status === 0 || error.status >= 500;
      if (!isUnanswered) key.current = undefined;
      return { error: { message: sentenceFor(error, NOT_COMPLETED) }, isUnanswered };
    }
    key.current = undefined;
    switch (answer.status) {
      case 'completed':
        return { paymentIntent: { status: 'succeeded', client_secret: clientSecret } };
      case 'processing':
        return { paymentIntent: { status: 'processing', client_secret: clientSecret } };
      case 'action_required': {
        const { paymentIntent, error } = await stripe.handleNextAction({ clientSecret });
        return error === undefined ? { paymentIntent } : { error };
      }
      case 'failed':
        return { error: { message: answer.failureReason ?? NOT_COMPLETED } };
    }
  };
}
