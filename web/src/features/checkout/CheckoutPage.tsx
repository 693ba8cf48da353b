/** The checkout: what is paid, to whom, and the provider's fields. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { keepSavesCard, savesCard } from './payment-key.js';
import { isCallError, isUnauthorized, NOT_REACHED, sentenceFor } from '../../shared/api/call.js';
import { useUser } from '../account/current-user.js';
import { useCardProvider } from '../card-provider/card-provider.js';
import { FieldsSkeleton } from '../card-provider/ProviderFields.js';
import { goToLogin, REDIRECT_MS, useLater } from '../../shared/navigation/leaving.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { amountProblem } from '../payments/form-rules.js';
import {
  isReplacing,
  placeAfterRefusal,
  refusalText,
  useFilledForm,
  useOpenedPayment,
} from './open-payment.js';
import { formOfQuery, requestedPayment, type RequestedPayment } from './payment-query.js';
import { PaymentColumns } from './PaymentColumns.js';
import { PaymentStage } from './PaymentStage.js';
import { Page } from '../shell/Page.js';
import { useFailure } from '../../shared/ui/failure.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Banner, Card } from '../../shared/ui/Layout.js';
import { PaidAMomentAgo } from './PaidAMomentAgo.js';
import { Payment } from './Payment.js';
import { SavedSources } from './SavedSources.js';
import { SaveCardTick } from './SaveCardTick.js';
import { ConfirmPayment } from './ConfirmPayment.js';

/** The sentence of the toast for a payment that could not be opened. */
function paymentSentence(error: unknown): string {
  if (isUnauthorized(error)) return 'Please log in again to make a payment.';
  if (isCallError(error) && error.message.includes('Recipient user not found'))
    return 'Recipient user not found. Please check the recipient ID and try again.';
  // Opening a payment charges nobody, so a lost answer needs no warning.
  if (isCallError(error) && error.status === 0) return NOT_REACHED;
  return sentenceFor(error, 'Failed to initialize payment. Please try again.');
}

export default function CheckoutPage() {
  const [query] = useSearchParams();
  const requested = useMemo(() => requestedPayment(query.get('recipientId'), query), [query]);
  const paymentId = query.get('paymentId')?.trim() ?? '';
  if (paymentId !== '') return <ConfirmPayment key={paymentId} paymentId={paymentId} />;
  if (requested === undefined) return <NothingToPay query={query} />;
  return <Checkout key={JSON.stringify(requested)} requested={requested} />;
}

/**
 * Back to the form: the address lacks the recipient or the amount, or names an amount that cannot be paid.
 */
function NothingToPay({ query }: { readonly query: URLSearchParams }) {
  const toast = useToast();
  const [recipientId, amount] = [query.get('recipientId')?.trim() ?? '', query.get('amount')?.trim() ?? ''];
  const sentence = recipientId === '' || amount === '' ? undefined : amountProblem(amount);
  useEffect(() => {
    if (sentence !== undefined) toast.error('Invalid Amount', sentence);
  }, [toast, sentence]);
  return <Navigate to={sentence === undefined ? PATHS.payments : formOfQuery(recipientId, query)} replace />;
}

function Checkout({ requested }: { readonly requested: RequestedPayment }) {
  const toast = useToast();
  const later = useLater();
  const navigate = useNavigate();
  const { id: userId } = useUser();
  const [saveCard, setSaveCard] = useState(() => requested.method === 'card' && savesCard(requested));
  /** What may be moving money now: nothing else may pay meanwhile. */
  const [isUnderWay, setUnderWay] = useState<'fields' | 'at-once'>();
  const chooseSaving = useCallback(
    (isTicked: boolean) => {
      keepSavesCard(requested, isTicked);
      setSaveCard(isTicked);
    },
    [requested],
  );
  const fail = useFailure();
  // A card is saved only with a confirmation. Without one nothing is wrong with the payment, which does not
  // save it then.
  const notConfirmed = useCallback(
    (error: unknown) => {
      fail(error, '');
      chooseSaving(false);
    },
    [fail, chooseSaving],
  );
  const intention = useMemo(() => ({ ...requested, saveCard }), [requested, saveCard]);
  const payment = useOpenedPayment(intention, notConfirmed);
  const provider = useCardProvider();
  // While money may be moving at once, nobody says that nothing was charged, and nobody is led away from it.
  const refused = payment.status === 'refused' && isUnderWay !== 'at-once' ? payment : undefined;
  const error = refused?.error;

  useEffect(() => {
    if (error === undefined) return;
    toast.error('Payment Error', paymentSentence(error));
    if (isUnauthorized(error)) goToLogin(REDIRECT_MS.unauthorizedPayment);
    else {
      const { path, state } = placeAfterRefusal(error, requested, userId);
      later(() => void navigate(path, { replace: true, state }), REDIRECT_MS.paymentError);
    }
  }, [error, requested, userId, toast, later, navigate]);
  const formState = useFilledForm(userId, requested);

  return (
    <Page title="Checkout" back={PATHS.payments} backState={formState} width="narrow">
      <PaymentColumns stage={<PaymentStage label="You are paying" {...requested} />}>
        {refused !== undefined && <Banner tone="error">{refusalText(paymentSentence(error), error)}</Banner>}
        {refused === undefined && (
          <>
            <PaidAMomentAgo requested={requested} />
            <SavedSources
              requested={requested}
              disabled={isUnderWay === 'fields' || isReplacing(payment)}
              onUnderWay={(isPaying) => setUnderWay(isPaying ? 'at-once' : undefined)}
            />
          </>
        )}
        {requested.method === 'card' && payment.status !== 'refused' && provider.status !== 'unreachable' && (
          <SaveCardTick isTicked={saveCard} disabled={isUnderWay !== undefined} onTick={chooseSaving} />
        )}
        {payment.status === 'setting-up' && (
          <Card padding={20}>
            <FieldsSkeleton />
          </Card>
        )}
        {payment.status === 'ready' && (
          <Payment
            key={payment.clientSecret}
            requested={requested}
            clientSecret={payment.clientSecret}
            isOff={isUnderWay === 'at-once'}
            onUnderWay={(isPaying) => setUnderWay(isPaying ? 'fields' : undefined)}
          />
        )}
      </PaymentColumns>
    </Page>
  );
}
