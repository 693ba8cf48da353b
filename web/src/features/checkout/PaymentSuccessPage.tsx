/** The outcome of a payment, from the provider. A bank's page or Cash App leads back here. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import type { PaymentIntent } from '@stripe/stripe-js';
import { Check, CircleAlert, Clock, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useDispatch } from 'react-redux';
import { Link, useSearchParams } from 'react-router-dom';
import { decimalFromMinor } from '#contracts/plain/money';
import { nameOf, usePersonQuery } from '../payments/people.js';
import { api } from '../../shared/api/api.js';
import { isCallError } from '../../shared/api/call.js';
import { useCardProvider } from '../card-provider/card-provider.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { usePaymentOfIntentQuery } from './open-payment.js';
import { endCheckout, storedCheckout } from './stored-checkout.js';
import { PROCESSING } from './payment-outcome.js';
import { checkoutOf } from './payment-query.js';
import { Page } from '../shell/Page.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { BusyDots } from '../../shared/ui/BusyButton.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Stack } from '../../shared/ui/Layout.js';
import { Stage } from '../../shared/ui/Stage.js';

type Outcome = 'checking' | 'succeeded' | 'processing' | 'open' | 'failed' | 'unknown';

function outcomeOf({ status }: PaymentIntent): Outcome {
  if (status === 'succeeded' || status === 'processing') return status;
  return status === 'requires_action' ? 'open' : 'failed';
}

const WORDS: Readonly<
  Record<Outcome, { readonly title: string; readonly sentence: string; readonly icon?: LucideIcon }>
> = {
  checking: { title: 'Checking Your Payment', sentence: 'One moment.' },
  succeeded: { title: 'Payment Successful', sentence: 'Your payment was made.', icon: Check },
  processing: { ...PROCESSING, icon: Clock },
  // Cash App or a bank still waits for its payer, who may have gone back before they answered.
  open: {
    title: 'Payment Not Confirmed',
    sentence: 'You have not confirmed this payment, so nothing was charged so far.',
    icon: Clock,
  },
  failed: { title: 'Payment Failed', sentence: 'You have not been charged.', icon: CircleAlert },
  unknown: {
    title: 'Payment Not Confirmed',
    sentence:
      'The card provider cannot be reached, so we cannot tell yet how your payment ended. Your history will show it.',
    icon: Clock,
  },
};

const Middle = styled('div')(({ theme }) => ({
  minHeight: 236,
  boxSizing: 'border-box',
  padding: '44px 20px 28px',
  display: 'grid',
  justifyItems: 'center',
  alignContent: 'center',
  gap: 10,
  textAlign: 'center',
  '& .sign': {
    width: 48,
    height: 48,
    borderRadius: '50%',
    display: 'grid',
    placeItems: 'center',
    backgroundColor: theme.vars.palette.tungsten.main,
    color: theme.vars.palette.tungsten.on,
  },
  '& .sign[data-quiet="true"]': {
    backgroundColor: theme.vars.palette.stage.main,
    color: theme.vars.palette.stage.on,
  },
  '& .detail': { color: theme.vars.palette.stage.on2, overflowWrap: 'anywhere' },
}));

export default function PaymentSuccessPage() {
  const [query] = useSearchParams();
  const clientSecret = query.get('payment_intent_client_secret') ?? '';
  if (clientSecret === '') return <Nothing />;
  return (
    <Ended
      key={clientSecret}
      clientSecret={clientSecret}
      redirectStatus={query.get('redirect_status') ?? ''}
    />
  );
}

function WaysOn({ isQuiet = false }: { readonly isQuiet?: boolean }) {
  return (
    <Stack gap={10}>
      <Button component={Link} to={PATHS.home} variant={isQuiet ? 'outlined' : 'contained'}>
        Return Home
      </Button>
      <Button component={Link} to={PATHS.history} variant="outlined">
        View Transaction History
      </Button>
    </Stack>
  );
}

/** Opened without a payment, or with one that is invented or somebody else's: claims nothing. */
function Nothing() {
  return (
    <Page title="Payment" width="single">
      <EmptyState title="No payment to show" action={<WaysOn />}>
        Your history has every payment you made.
      </EmptyState>
    </Page>
  );
}

/**
 * The provider's intent; undefined for what it has not. The status in the address counts only if it cannot be
 * asked.
 */
function useOutcome(
  clientSecret: string,
  redirectStatus: string,
): { outcome: Outcome; intent: PaymentIntent | undefined } | undefined {
  const provider = useCardProvider();
  const dispatch = useDispatch();
  const [answer, setAnswer] = useState<PaymentIntent | 'none' | 'unknown'>();
  const stripe = provider.status === 'ready' ? provider.stripe : undefined;
  useEffect(() => {
    if (stripe === undefined) return;
    let isCurrent = true;
    const ask = async () => {
      const { paymentIntent, error } = await stripe.retrievePaymentIntent(clientSecret);
      const refused = error?.type === 'invalid_request_error' ? 'none' : 'unknown';
      if (isCurrent) setAnswer(paymentIntent ?? refused);
    };
    // What is no client secret at all makes the provider throw.
    ask().catch(() => isCurrent && setAnswer('none'));
    return () => {
      isCurrent = false;
    };
  }, [stripe, clientSecret]);

  const intent = typeof answer === 'object' ? answer : undefined;
  const status = intent?.status;
  useEffect(() => {
    if (status === undefined) return;
    if (status === 'succeeded' || status === 'processing') endCheckout(clientSecret);
    dispatch(
      api.util.invalidateTags(['User', 'Transactions', 'SavedCard', 'Subscriptions', 'ScheduledPayments']),
    );
  }, [status, clientSecret, dispatch]);

  if (answer === 'none') return undefined;
  if (intent) return { outcome: outcomeOf(intent), intent };
  const isAsking = provider.status !== 'unreachable' && answer === undefined;
  return { outcome: isAsking ? 'checking' : redirectStatus === 'failed' ? 'failed' : 'unknown', intent };
}

const CHECKING = { outcome: 'checking', intent: undefined } as const;

interface EndedProps {
  readonly clientSecret: string;
  readonly redirectStatus: string;
}

function Ended({ clientSecret, redirectStatus }: EndedProps) {
  const ended = useOutcome(clientSecret, redirectStatus);
  // Read once: the end of the payment deletes it.
  const [requested] = useState(() => storedCheckout(clientSecret));
  // Anybody can send the address of a payment of their own. One that this tab has begun is its user's.
  const intentId = clientSecret.split('_secret')[0] ?? '';
  const whose = usePaymentOfIntentQuery(intentId, { skip: requested !== undefined });
  if (ended === undefined || (isCallError(whose.error) && whose.error.code === 'payment_not_found'))
    return <Nothing />;
  const { outcome, intent } = whose.isLoading ? CHECKING : ended;
  const { title, sentence, icon: Icon } = WORDS[outcome];
  const amount = intent ? decimalFromMinor(intent.amount) : requested?.amount;
  const goesOn = (outcome === 'failed' || outcome === 'open') && requested !== undefined;
  return (
    <Page title={title} width="single">
      <Stage key={outcome} light="centred" event={outcome === 'succeeded' ? 'opened' : undefined}>
        <Middle aria-live="polite">
          <span className="sign" data-quiet={outcome !== 'succeeded'}>
            {Icon ? <Icon size={26} strokeWidth={2.4} aria-hidden="true" /> : <BusyDots />}
          </span>
          {amount !== undefined && <BigAmount decimal={amount} />}
          {requested && <Recipient id={requested.recipientId} outcome={outcome} />}
        </Middle>
      </Stage>
      <Typography
        color="textSecondary"
        role={outcome === 'failed' ? 'alert' : 'status'}
        style={{ textAlign: 'center' }}
      >
        {sentence}
        {outcome === 'failed' && reasonOf(intent)}
      </Typography>
      {goesOn && (
        <Button component={Link} to={checkoutOf(requested)} variant="tungsten">
          Try Again
        </Button>
      )}
      <WaysOn isQuiet={goesOn} />
    </Page>
  );
}

/** The provider's words, except those that are not written for the payer. */
function reasonOf(intent: PaymentIntent | undefined): string {
  const error = intent?.last_payment_error;
  if (error?.code === 'payment_method_customer_decline') return ' The request was declined in Cash App.';
  return error?.message === undefined ? '' : ` ${error.message}`;
}

function Recipient({ id, outcome }: { readonly id: string; readonly outcome: Outcome }) {
  const { data: person } = usePersonQuery(id);
  const name = nameOf(person, id);
  return <span className="detail">{outcome === 'succeeded' ? `Paid to ${name}` : `To ${name}`}</span>;
}
