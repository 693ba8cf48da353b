/** One tap: the payer's saved cards, and the balance where it covers the amount. */
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import type { Stripe } from '@stripe/stripe-js';
import { CreditCard, Wallet } from 'lucide-react';
import { useState } from 'react';
import type { TipAnswer } from '#contracts/api/tips';
import { minorOf } from '#contracts/plain/money';
import { useUser } from '../account/current-user.js';
import { useCardProvider } from '../card-provider/card-provider.js';
import { useSavedCardsQuery } from '../profile/saved-cards.js';
import {
  isCallError,
  isNotConfirmed,
  isRefused,
  isUnauthorized,
  sentenceFor,
} from '../../shared/api/call.js';
import { useRequestKey } from '../../shared/api/request-key.js';
import { Banner, Section, Stack } from '../../shared/ui/Layout.js';
import { BusyDots } from '../../shared/ui/BusyButton.js';
import { useFailure } from '../../shared/ui/failure.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { useToast } from '../../shared/ui/toasts.js';
import { capitalised } from '../../shared/wording/people.js';
import { usePayAtOnceMutation } from './pay-at-once.js';
import type { RequestedPayment } from './payment-query.js';
import { isPaid, useAfterPayment } from './payment-outcome.js';

const FAILED = 'The payment was not completed. Please try again.';
const UNANSWERED =
  'No answer came, so we cannot tell yet whether you were charged. Press the same button again: it goes on with this payment.';

/** One row of them leaves the fields of another card in sight, and where they are. */
const IN_ONE_ROW = 2;
const ROW_HEIGHT = 86;

interface Source {
  /** `balance`, or the card's id. */
  readonly from: string;
  readonly label: string;
  readonly icon: typeof CreditCard;
}

/**
 * What can pay this: the default card, then the balance, else another card. Undefined until the cards are
 * known.
 */
function useSources({ amount, method }: RequestedPayment): readonly Source[] | undefined {
  const { earnings } = useUser();
  const { data: cards, isLoading } = useSavedCardsQuery();
  if (method !== 'card') return [];
  if (isLoading) return undefined;
  const inOrder = [...(cards ?? [])].sort((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const [chosen, ...others] = inOrder.map(({ id, brand, last4 }) => ({
    from: id,
    label: `With ${capitalised(brand)} ••••${last4}`,
    icon: CreditCard,
  }));
  const balance =
    minorOf(earnings) >= minorOf(amount)
      ? [{ from: 'balance', label: 'From your balance', icon: Wallet }]
      : [];
  return [...(chosen ? [chosen] : []), ...balance, ...others].slice(0, IN_ONE_ROW);
}

const Rows = styled('div')({
  display: 'grid',
  gridAutoFlow: 'column',
  gridAutoColumns: 'minmax(0, 1fr)',
  gap: 10,
  container: 'sources / inline-size',
  '& > button': { padding: '0 8px', fontSize: 15, lineHeight: '18px' },
  '@container sources (max-width: 400px)': {
    '& > button': { fontSize: 14, fontStretch: '100%' },
    '& .MuiButton-startIcon': { display: 'none' },
  },
});

interface SavedSourcesProps {
  readonly requested: RequestedPayment;
  /** True while money may be moving by another way. */
  readonly disabled?: boolean;
  /** While true, money may be moving: nothing else may pay this meanwhile. */
  readonly onUnderWay?: (isUnderWay: boolean) => void;
}

export function SavedSources({ requested, disabled = false, onUnderWay }: SavedSourcesProps) {
  const sources = useSources(requested);
  const provider = useCardProvider();
  const toast = useToast();
  const fail = useFailure();
  const paid = useAfterPayment(requested);
  const request = useRequestKey('tip');
  const [send] = usePayAtOnceMutation();
  const [busy, setBusy] = useState<string>();
  /** The source whose answer was lost: only it may be pressed again. */
  const [unanswered, setUnanswered] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isShown = useIsShown();

  const refused = (sentence: string) => {
    setProblem(`${sentence} You have not been charged.`);
    toast.error('Payment Failed', sentence);
  };
  /** What came of it at the payer's bank; false where a lost connection leaves that open. */
  const confirmed = async (stripe: Stripe, clientSecret: string): Promise<boolean> => {
    const { paymentIntent, error } = await stripe.handleNextAction({ clientSecret });
    const isLost = error?.type === 'api_connection_error';
    const stands = isLost
      ? (await stripe.retrievePaymentIntent(clientSecret)).paymentIntent
      : (paymentIntent ?? error?.payment_intent);
    if (stands && isPaid(stands)) paid(stands, isShown.current);
    // The bank's page can be left without an answer: the bank may still get one.
    else if (isLost || stands?.status === 'requires_action') return false;
    else refused(error?.message ?? FAILED);
    return true;
  };
  /** Tells how the attempt has ended; false where nobody can say yet. */
  const end = async ({ status, clientSecret, failureReason }: TipAnswer): Promise<boolean> => {
    if (status === 'completed' || status === 'processing') {
      const intent = status === 'completed' ? 'succeeded' : 'processing';
      paid({ status: intent, client_secret: clientSecret }, isShown.current);
    } else if (status === 'failed') refused(failureReason ?? FAILED);
    else if (provider.status !== 'ready' || clientSecret === null)
      refused('Your bank asks you to confirm this payment. Enter the card below to do that.');
    else return confirmed(provider.stripe, clientSecret);
    return true;
  };
  const pay = async (from: string): Promise<void> => {
    if (busy !== undefined || disabled) return;
    setBusy(from);
    onUnderWay?.(true);
    setProblem(undefined);
    toast.again();
    const { recipientId: toUserId, amount, description } = requested;
    const tip = { toUserId, amount, description, from };
    let isUnanswered = false;
    try {
      const answer = await send({ ...tip, key: request.keyFor(tip) }).unwrap();
      isUnanswered = !(await end(answer));
      if (!isUnanswered) request.end();
    } catch (error) {
      request.endIfRefused(error);
      const isLost = !isCallError(error) || error.status === 0 || error.status >= 500;
      // Whoever is not let in now does not know what came of the press before.
      isUnanswered = isLost || (unanswered !== undefined && !isRefused(error));
      if (isUnauthorized(error) || isNotConfirmed(error)) fail(error, FAILED);
      else if (!isUnanswered) refused(sentenceFor(error, FAILED));
    } finally {
      setUnanswered(isUnanswered ? from : undefined);
      if (isUnanswered) setProblem(UNANSWERED);
      setBusy(undefined);
      onUnderWay?.(isUnanswered);
    }
  };

  if (sources === undefined) return <Skeleton height={ROW_HEIGHT} style={{ borderRadius: 12 }} />;
  if (sources.length === 0) return null;
  return (
    <Section title="Pay at once">
      <Stack gap={10}>
        <Rows>
          {sources.map(({ from, label, icon: Icon }) => (
            <Button
              key={from}
              variant="outlined"
              startIcon={<Icon size={20} strokeWidth={1.75} aria-hidden="true" />}
              aria-busy={busy === from || undefined}
              disabled={
                disabled ||
                (busy !== undefined && busy !== from) ||
                (unanswered !== undefined && unanswered !== from)
              }
              onClick={() => void pay(from)}
            >
              {busy === from ? <BusyDots /> : label}
            </Button>
          ))}
        </Rows>
        {problem !== undefined && (
          <Banner tone={unanswered === undefined ? 'error' : 'warning'}>{problem}</Banner>
        )}
      </Stack>
    </Section>
  );
}
