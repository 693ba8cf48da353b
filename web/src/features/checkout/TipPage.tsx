/** The page of a tip link: recipient, amount, and the button to the checkout. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useEffect, useMemo, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router-dom';
import { isCallError, isUnauthorized, NOT_REACHED, sentenceFor } from '../../shared/api/call.js';
import { goToLogin, REDIRECT_MS, useLater } from '../../shared/navigation/leaving.js';
import { checkoutPath, PATHS } from '../../shared/navigation/paths.js';
import { useUser } from '../account/current-user.js';
import { filledForm } from '../payments/filled-form.js';
import {
  isReplacing,
  placeAfterRefusal,
  refusalText,
  useFilledForm,
  useOpenedPayment,
} from './open-payment.js';
import { draftOfQuery, formOfQuery, requestedPayment } from './payment-query.js';
import { PaymentColumns } from './PaymentColumns.js';
import { PaidAMomentAgo } from './PaidAMomentAgo.js';
import { PaymentStage } from './PaymentStage.js';
import { SavedSources } from './SavedSources.js';
import { Page } from '../shell/Page.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Banner, Note } from '../../shared/ui/Layout.js';

const TITLE = 'Send a Tip';
const INVALID_LINK = {
  title: 'Invalid Tip Link',
  description: 'Missing person or amount information',
} as const;

const CONTINUE = 'Continue to Secure Payment';
const FAILED = 'Failed to initialize tip payment.';

/** The sentence of the toast for a tip that could not be set up. */
function tipSentence(error: unknown): string {
  if (isUnauthorized(error)) return 'Please log in again to tip this person.';
  if (isCallError(error) && error.message.includes('Recipient user not found'))
    return 'This person cannot receive tips. Please check the link.';
  return FAILED;
}

/** The sentence on the page: the toast's, or the server's reason where the toast has none. */
function tipReason(error: unknown): string {
  if (isCallError(error) && error.status === 0) return NOT_REACHED;
  const sentence = tipSentence(error);
  return sentence === FAILED ? sentenceFor(error, FAILED) : sentence;
}

export default function TipPage() {
  const { personId = '' } = useParams();
  const [query] = useSearchParams();
  // The same while the address is: what is said of it is said once, whatever is drawn meanwhile.
  const requested = useMemo(() => requestedPayment(personId, query), [personId, query]);
  return requested === undefined ? (
    <InvalidLink personId={personId} query={query} />
  ) : (
    <Tip key={JSON.stringify(requested)} requested={requested} />
  );
}

/** Shows the problem, then opens the form with the link's recipient filled in. */
function InvalidLink({ personId, query }: { readonly personId: string; readonly query: URLSearchParams }) {
  const toast = useToast();
  const later = useLater();
  const navigate = useNavigate();
  const form = formOfQuery(personId, query);
  const { id: userId } = useUser();
  useEffect(() => {
    toast.error(INVALID_LINK.title, INVALID_LINK.description);
    const state = filledForm(userId, draftOfQuery(personId, query));
    later(() => void navigate(PATHS.payments, { replace: true, state }), REDIRECT_MS.invalidLink);
  }, [toast, later, navigate, personId, query, userId]);
  return (
    <Page title={TITLE} back={PATHS.payments} width="single">
      <EmptyState
        title={INVALID_LINK.title}
        action={
          <Button component={Link} to={form} variant="outlined">
            Choose an amount
          </Button>
        }
      >
        {(query.get('amount')?.trim() ?? '') === ''
          ? `${INVALID_LINK.description}. You can choose an amount yourself.`
          : 'The amount of this link cannot be paid. You can choose an amount yourself.'}
      </EmptyState>
    </Page>
  );
}

const Actions = styled('div')({ display: 'grid', gap: 10 });

function Tip({ requested }: { readonly requested: NonNullable<ReturnType<typeof requestedPayment>> }) {
  const toast = useToast();
  const later = useLater();
  const navigate = useNavigate();
  const { id: userId } = useUser();
  const payment = useOpenedPayment(requested);
  /** What was pressed may be moving the money: nothing else may pay meanwhile. */
  const [isUnderWay, setUnderWay] = useState(false);
  // While money may be moving, nobody says that nothing was charged, and nobody is led away from it.
  const error = payment.status === 'refused' && !isUnderWay ? payment.error : undefined;

  useEffect(() => {
    if (error === undefined) return;
    toast.error('Tip Error', tipSentence(error));
    if (isUnauthorized(error)) goToLogin(REDIRECT_MS.unauthorizedPayment);
    else {
      const { path, state } = placeAfterRefusal(error, requested, userId);
      later(() => void navigate(path, { replace: true, state }), REDIRECT_MS.paymentError);
    }
  }, [error, requested, userId, toast, later, navigate]);

  const formState = useFilledForm(userId, requested);
  const { recipientId, amount, description, method } = requested;
  const goOn = async () => {
    try {
      await navigate(checkoutPath(recipientId, { amount, description, paymentMethod: method }));
    } catch {
      toast.error('Navigation Error', 'The checkout could not be opened. Please try again.');
    }
  };
  return (
    <Page title={TITLE} back={PATHS.payments} width="narrow">
      <PaymentColumns stage={<PaymentStage label="You are tipping" hasId {...requested} />}>
        {error !== undefined && <Banner tone="error">{refusalText(tipReason(error), error)}</Banner>}
        {error === undefined && (
          <>
            <PaidAMomentAgo requested={requested} />
            <SavedSources requested={requested} disabled={isReplacing(payment)} onUnderWay={setUnderWay} />
          </>
        )}
        <Actions>
          <BusyButton
            variant="tungsten"
            isBusy={payment.status === 'setting-up'}
            busyLabel="Setting up payment"
            aria-label={payment.status === 'setting-up' ? `${CONTINUE}: setting up payment` : undefined}
            disabled={payment.status === 'refused' || isUnderWay}
            onClick={() => void goOn()}
          >
            {CONTINUE}
          </BusyButton>
          <Button variant="outlined" component={Link} to={PATHS.payments}>
            Cancel
          </Button>
          <Button variant="text" component={Link} to={PATHS.payments} state={formState} disabled={isUnderWay}>
            Change amount, note or method
          </Button>
        </Actions>
        <Note>Continue charges nothing: you pay on the next page.</Note>
      </PaymentColumns>
    </Page>
  );
}
