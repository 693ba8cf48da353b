/** Where a payment is made: what is paid, to whom, and the provider's own fields. */
import { useEffect, useMemo, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { keepSavesCard, savesCard } from '../../shared/api/idempotency.js';
import { isCallError, isUnauthorized, NOT_REACHED, sentenceFor } from '../../shared/api/call.js';
import { useCardProvider } from '../card-provider/card-provider.js';
import { FieldsSkeleton } from '../card-provider/ProviderFields.js';
import { goToLogin, REDIRECT_MS, useLater } from '../../shared/navigation/leaving.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { useOpenedPayment } from './open-payment.js';
import { askedPayment, formOf, type AskedPayment } from './payment-query.js';
import { PaymentColumns } from './PaymentColumns.js';
import { PaymentStage } from './PaymentStage.js';
import { Page } from '../shell/Page.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Banner, Card } from '../../shared/ui/Layout.js';
import { Payment } from './Payment.js';
import { SaveCardTick } from './SaveCardTick.js';
import { WaitingPayment } from './ConfirmPayment.js';

/** What the toast says of a payment that could not be opened. */
function paymentSentence(error: unknown): string {
  if (isUnauthorized(error)) return 'Please log in again to make a payment.';
  if (isCallError(error) && error.message.includes('Recipient user not found'))
    return 'Recipient user not found. Please check the recipient ID and try again.';
  // Opening a payment charges nobody, so whether it arrived makes no difference to anybody.
  if (isCallError(error) && error.status === 0) return NOT_REACHED;
  return sentenceFor(error, 'Failed to initialize payment. Please try again.');
}

export default function CheckoutPage() {
  const [query] = useSearchParams();
  const asked = useMemo(() => askedPayment(query.get('recipientId'), query), [query]);
  const paymentId = query.get('paymentId')?.trim() ?? '';
  if (paymentId !== '') return <WaitingPayment key={paymentId} paymentId={paymentId} />;
  if (asked === undefined) return <Navigate to={PATHS.payments} replace />;
  return <Checkout key={JSON.stringify(asked)} asked={asked} />;
}

function Checkout({ asked }: { readonly asked: AskedPayment }) {
  const toast = useToast();
  const later = useLater();
  const navigate = useNavigate();
  const [saveCard, setSaveCard] = useState(() => asked.method === 'card' && savesCard(asked));
  const [isUnderWay, setUnderWay] = useState(false);
  const payment = useOpenedPayment(useMemo(() => ({ ...asked, saveCard }), [asked, saveCard]));
  const provider = useCardProvider();
  const error = payment.status === 'refused' ? payment.error : undefined;

  useEffect(() => {
    if (error === undefined) return;
    toast.error('Payment Error', paymentSentence(error));
    if (isUnauthorized(error)) goToLogin(REDIRECT_MS.unauthorizedPayment);
    else later(() => void navigate(formOf(asked), { replace: true }), REDIRECT_MS.paymentError);
  }, [error, asked, toast, later, navigate]);

  return (
    <Page title="Checkout" back={formOf(asked)} width="narrow">
      <PaymentColumns stage={<PaymentStage label="You are paying" {...asked} />}>
        {payment.status === 'refused' && (
          <Banner tone="error">{`${paymentSentence(error)} You have not been charged.`}</Banner>
        )}
        {asked.method === 'card' && payment.status !== 'refused' && provider.status !== 'unreachable' && (
          <SaveCardTick
            isTicked={saveCard}
            disabled={isUnderWay}
            onTick={(isTicked) => {
              keepSavesCard(asked, isTicked);
              setSaveCard(isTicked);
            }}
          />
        )}
        {payment.status === 'setting-up' && (
          <Card padding={20}>
            <FieldsSkeleton />
          </Card>
        )}
        {payment.status === 'ready' && (
          <Payment
            key={payment.clientSecret}
            asked={asked}
            clientSecret={payment.clientSecret}
            onUnderWay={setUnderWay}
          />
        )}
      </PaymentColumns>
    </Page>
  );
}
