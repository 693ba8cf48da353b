/**
 * The payment behind /tip and /checkout, opened once however often a screen asks. Its key is stored before
 * anything is sent, so the tip page, the checkout, a reload and React's second effect run all mean the same
 * payment.
 */
import { useEffect, useState } from 'react';
import type { PaymentIntentAnswer, PaymentOfIntent } from '#contracts/api/payments';
import { EARLIER_STANDS } from '#contracts/plain/earlier-payment';
import { api } from '../../shared/api/api.js';
import { isCallError, isNotConfirmed, isRefused } from '../../shared/api/call.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { useNow } from '../../shared/ui/use-now.js';
import { idempotent } from '../../shared/api/idempotency.js';
import { filledForm } from '../payments/filled-form.js';
import { draftOf, type RequestedPayment } from './payment-query.js';
import {
  earlierKeys,
  forgetEarlierKeys,
  forgetPaymentKey,
  isInsteadOfAnother,
  paymentKey,
  type PaymentIntention,
} from './payment-key.js';

interface OpenPaymentCall {
  readonly intention: PaymentIntention;
  readonly key: string;
  readonly insteadOf: readonly string[];
}

const payments = api.injectEndpoints({
  endpoints: (build) => ({
    openPayment: build.mutation<PaymentIntentAnswer, OpenPaymentCall>({
      query: ({ intention: { recipientId, amount, description, method, saveCard }, key, insteadOf }) => ({
        path: '/api/create-payment-intent',
        method: 'POST',
        headers: idempotent(key),
        // A JSON number of dollars, as the API has it. The server reads its digits and does no arithmetic
        // with it.
        body: {
          amount: Number(amount),
          toUserId: recipientId,
          description: description || null,
          paymentMethod: method,
          ...(saveCard === true && { saveCard }),
          ...(insteadOf.length > 0 && { insteadOf }),
        },
      }),
    }),
    paymentOfIntent: build.query<PaymentOfIntent | null, string>({
      query: (intentId) => `/api/payments/of-intent/${encodeURIComponent(intentId)}`,
    }),
  }),
});

export const { useOpenPaymentMutation, usePaymentOfIntentQuery } = payments;

export type OpenedPayment =
  | { readonly status: 'setting-up'; readonly isReplacing: boolean }
  | { readonly status: 'ready'; readonly clientSecret: string }
  | { readonly status: 'refused'; readonly error: unknown };

/** Whether what this payment was to take the place of was paid, or is being paid. */
const wasPaidBefore = (error: unknown): boolean => isCallError(error) && error.code === EARLIER_STANDS;

/** Why a payment could not be opened, and that nobody was charged, where that is so. */
export const refusalText = (sentence: string, error: unknown): string =>
  wasPaidBefore(error) ? sentence : `${sentence} You have not been charged.`;

/** Where its payer goes on: to the form, filled in as it was, or to see what was paid. */
export const placeAfterRefusal = (
  error: unknown,
  requested: RequestedPayment,
  userId: string,
): { readonly path: string; readonly state?: object } =>
  wasPaidBefore(error)
    ? { path: PATHS.history }
    : { path: PATHS.payments, state: filledForm(userId, draftOf(requested)) };

/**
 * The state with which the form is opened as this payment has it. Made anew each minute: the form is kept for
 * a while from when a page is left.
 */
export function useFilledForm(userId: string, requested: RequestedPayment): object {
  useNow();
  return filledForm(userId, draftOf(requested));
}

/** Whether what is open by the other method is being ended for it: nothing else may pay meanwhile. */
export const isReplacing = (payment: OpenedPayment): boolean =>
  payment.status === 'setting-up' && payment.isReplacing;

const NOTHING: PaymentIntention = { recipientId: '', amount: '', description: '', method: '' };

/**
 * Opens the payment of an intention; does nothing without one. One that its payer did not confirm is not
 * opened, and `notConfirmed` is told.
 */
export function useOpenedPayment(
  intention: PaymentIntention | undefined,
  notConfirmed?: (error: unknown) => void,
): OpenedPayment {
  const [open] = useOpenPaymentMutation();
  const [opened, setOpened] = useState<{ readonly of: string; readonly payment: OpenedPayment }>();
  const { recipientId, amount, description, method, saveCard = false } = intention ?? NOTHING;
  const of =
    intention === undefined ? '' : JSON.stringify([recipientId, amount, description, method, saveCard]);

  useEffect(() => {
    if (of === '') return;
    let isCurrent = true;
    const wanted = { recipientId, amount, description, method, saveCard };
    const run = async (): Promise<OpenedPayment> => {
      const insteadOf = earlierKeys(wanted);
      try {
        const { clientSecret }: Partial<PaymentIntentAnswer> = await open({
          intention: wanted,
          key: paymentKey(wanted),
          insteadOf,
        }).unwrap();
        if (!clientSecret) throw new Error('The payment has no client secret.');
        forgetEarlierKeys(wanted, insteadOf);
        return { status: 'ready', clientSecret };
      } catch (error) {
        // Refused: the next try is a new payment. Otherwise the key stays, and the next try is this
        // payment.
        if (isRefused(error)) forgetPaymentKey(wanted);
        if (wasPaidBefore(error)) forgetEarlierKeys(wanted, insteadOf);
        return { status: 'refused', error };
      }
    };
    void run().then((payment) => {
      if (!isCurrent) return;
      if (notConfirmed && payment.status === 'refused' && isNotConfirmed(payment.error))
        notConfirmed(payment.error);
      else setOpened({ of, payment });
    });
    return () => {
      isCurrent = false;
    };
  }, [open, of, recipientId, amount, description, method, saveCard, notConfirmed]);

  if (opened?.of === of) return opened.payment;
  return { status: 'setting-up', isReplacing: intention !== undefined && isInsteadOfAnother(intention) };
}
