/** The provider's fields, and the button that pays. */
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import { styled } from '@mui/material/styles';
import { useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { Info, Lock, ShieldCheck } from 'lucide-react';
import { useEffect, useState, type FormEvent } from 'react';
import { Link } from 'react-router-dom';
import { Fields } from '../card-provider/ProviderFields.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { endCheckout, forgetKeyOf, storeCheckout } from './stored-checkout.js';
import { checkoutOf, formOf, type RequestedPayment } from './payment-query.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Note, Stack } from '../../shared/ui/Layout.js';
import { money } from '../../shared/wording/money.js';
import { useSavedCardConfirmation, type PaymentAttempt } from './confirm-saved-card.js';
import { isPaid, useAfterPayment, type NextPage } from './payment-outcome.js';
import { PHONE } from '../../shared/ui/theme.js';

/**
 * How a failed attempt ended. `incomplete`: the fields were not filled in, and nothing was sent. `unknown`:
 * the answer was lost and the provider could not be asked. `canceled`: this payment takes no attempt any
 * more.
 */
type Attempt = 'none' | 'incomplete' | 'not-charged' | 'canceled' | 'unknown';

const CANCELED = 'This payment was open for too long, or refused too often, and was canceled.';

/**
 * The outcome of the attempt, next to the button. On a phone the toast covers the lower edge, so there is
 * room below to scroll the button and the sentence clear of it.
 */
const Outcome = styled('div')({
  scrollMarginBottom: 200,
  [PHONE]: { paddingBottom: 146, marginBottom: -30, scrollMarginBottom: 0 },
});
const bringIntoView = (place: HTMLElement | null) => place?.scrollIntoView?.({ block: 'end' });

export interface PayFormProps {
  readonly requested: RequestedPayment;
  readonly clientSecret: string;
  /** While true, money may be moving: no other payment may replace this one. */
  readonly onUnderWay: (isUnderWay: boolean) => void;
  /** True while another way may be moving the money. */
  readonly isOff?: boolean;
  /** The page after a success; home by default. */
  readonly next?: NextPage;
}

export function PayForm({ requested, clientSecret, onUnderWay, isOff = false, next }: PayFormProps) {
  const stripe = useStripe();
  const elements = useElements();
  const toast = useToast();
  const paid = useAfterPayment(requested, next);
  const confirmSavedCard = useSavedCardConfirmation();
  const { amount, method, paymentId } = requested;
  // A payment that waits for its payer was opened with a saved card.
  const [usesSaved, setUsesSaved] = useState(requested.paymentId !== undefined);
  const [isReady, setReady] = useState(false);
  const [isPaying, setPaying] = useState(false);
  const [attempt, setAttempt] = useState<Attempt>('none');
  const isShown = useIsShown();

  useEffect(() => {
    // Left for Cash App's page and come back: what was under way here gets no answer any more.
    const shownAgain = ({ persisted }: PageTransitionEvent) => {
      if (!persisted || !isPaying) return;
      setPaying(false);
      onUnderWay(false);
    };
    window.addEventListener('pageshow', shownAgain);
    return () => window.removeEventListener('pageshow', shownAgain);
  }, [isPaying, onUnderWay]);

  const pay = async (event: FormEvent) => {
    event.preventDefault();
    if (!stripe || !elements || isPaying || isOff) return;
    setPaying(true);
    onUnderWay(true);
    setAttempt('none');
    toast.again();
    storeCheckout(clientSecret, requested);
    try {
      const attempted: PaymentAttempt =
        usesSaved && paymentId !== undefined
          ? await confirmSavedCard(stripe, paymentId, clientSecret)
          : await stripe.confirmPayment({
              elements,
              confirmParams: { return_url: `${window.location.origin}${PATHS.paymentSuccess}` },
              redirect: 'if_required',
            });
      const { error, paymentIntent, isUnanswered = false } = attempted;
      // A lost answer is no refusal: the money may have moved, so the provider is asked for the status.
      const isLost = isUnanswered || error?.type === 'api_connection_error';
      const stands = paymentIntent ?? (isLost ? await intentOf(stripe, clientSecret) : error?.payment_intent);
      if (stands && isPaid(stands)) {
        endCheckout(clientSecret);
        paid(stands, isShown.current);
        return;
      }
      const failed = failedAttempt(attempted, isLost, stands?.status);
      if (failed === 'canceled') forgetKeyOf(requested);
      setAttempt(failed);
      onUnderWay(failed === 'unknown');
      if (failed === 'canceled') toast.error('Payment Failed', CANCELED);
      else if (failed !== 'incomplete')
        toast.error('Payment Failed', error?.message ?? 'The payment was not completed. Please try again.');
    } catch {
      setAttempt('unknown');
      toast.error('Payment Failed', 'The payment could not be sent. Please try again.');
    } finally {
      setPaying(false);
    }
  };

  return (
    <form noValidate onSubmit={(event) => void pay(event)} aria-label="Payment">
      <Stack gap={16}>
        {usesSaved ? (
          <Note icon={Info}>
            Your bank asks you to confirm this payment on its own page. Your saved card pays it after that.
          </Note>
        ) : (
          <Paper variant="card" style={{ padding: 15 }}>
            <Fields onReady={() => setReady(true)} />
          </Paper>
        )}
        <BusyButton
          type="submit"
          variant="tungsten"
          isBusy={isPaying}
          disabled={isOff || attempt === 'canceled' || (!usesSaved && !isReady)}
          startIcon={<Lock size={20} strokeWidth={1.75} aria-hidden="true" />}
        >
          {usesSaved ? 'Confirm' : 'Pay'} {money(amount)}
        </BusyButton>
        {usesSaved && (
          <Button
            variant="outlined"
            disabled={isPaying || attempt === 'canceled'}
            onClick={() => setUsesSaved(false)}
          >
            Use Another Card
          </Button>
        )}
        {attempt === 'none' && (
          <Note icon={ShieldCheck}>
            {method === 'card'
              ? 'Card details go straight to the card provider.'
              : 'You approve the payment in Cash App.'}
          </Note>
        )}
        {attempt !== 'none' && <AttemptOutcome attempt={attempt} requested={requested} next={next} />}
      </Stack>
    </form>
  );
}

const intentOf = async (stripe: Stripe, clientSecret: string) =>
  (await stripe.retrievePaymentIntent(clientSecret)).paymentIntent;

/**
 * How an attempt failed. `isLost`: its answer was. `status`: the payment's at the provider, as far as that is
 * known.
 */
function failedAttempt(
  { error, isUnanswered = false }: PaymentAttempt,
  isLost: boolean,
  status: string | undefined,
): Exclude<Attempt, 'none'> {
  // Nothing was sent: the fields say themselves what is missing in them.
  if (error?.type === 'validation_error') return 'incomplete';
  if (status === 'canceled') return 'canceled';
  // What the ledger is doing at this moment, the provider may not show yet.
  return isUnanswered || (isLost && status === undefined) ? 'unknown' : 'not-charged';
}

interface AttemptOutcomeProps extends Pick<PayFormProps, 'requested' | 'next'> {
  readonly attempt: Exclude<Attempt, 'none'>;
}

/** What became of the money, and how to go on. */
function AttemptOutcome({ attempt, requested, next }: AttemptOutcomeProps) {
  const { method, paymentId } = requested;
  const other = method === 'card' ? 'cashapp' : 'card';
  return (
    <Outcome role="alert" ref={bringIntoView}>
      <Note icon={Info}>
        {attempt === 'incomplete' && 'Please fill in the fields above. You have not been charged.'}
        {attempt === 'canceled' && (
          <>
            {`${CANCELED} You have not been charged. `}
            <MuiLink
              component={Link}
              replace
              to={paymentId === undefined ? formOf(requested) : (next?.path ?? PATHS.payments)}
            >
              Start again
            </MuiLink>
            .
          </>
        )}
        {attempt === 'unknown' &&
          'The connection was lost, so we cannot tell yet whether you were charged. Press the same button again: it goes on with this payment. '}
        {attempt === 'not-charged' && (
          <>
            You have not been charged. Try {method === 'card' ? 'another card' : 'again'}
            {/* With another method it would be another payment. */}
            {paymentId === undefined && (
              <>
                , or{' '}
                <MuiLink component={Link} replace to={checkoutOf({ ...requested, method: other })}>
                  {method === 'card' ? 'choose Cash App' : 'pay by card'}
                </MuiLink>
              </>
            )}
            .
          </>
        )}
      </Note>
    </Outcome>
  );
}
