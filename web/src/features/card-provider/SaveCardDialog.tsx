/** Saves a card for future payments. The card number goes to the provider only. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { useElements, useStripe } from '@stripe/react-stripe-js';
import { useEffect, useState, type FormEvent } from 'react';
import { useDispatch } from 'react-redux';
import type { SetupIntentAnswer } from '#contracts/api/payment-methods';
import { useFailure } from '../../shared/ui/failure.js';
import { api } from '../../shared/api/api.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Note, Stack } from '../../shared/ui/Layout.js';
import { TitledDialog } from '../../shared/ui/TitledDialog.js';
import { useCardProvider } from './card-provider.js';
import { Fields, FieldsSkeleton, Provider, ProviderUnreachable } from './ProviderFields.js';

const setup = api.injectEndpoints({
  endpoints: (build) => ({
    beginSetup: build.mutation<SetupIntentAnswer, void>({
      query: () => ({ path: '/api/setup-intent', method: 'POST', body: {} }),
    }),
  }),
});
const { useBeginSetupMutation } = setup;

const Body = styled('div')({ padding: '12px 20px 20px', overflowY: 'auto' });

interface SaveCardDialogProps {
  /** Why a card is asked for. */
  readonly reason: string;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export default function SaveCardDialog({ reason, onClose, onSaved }: SaveCardDialogProps) {
  const provider = useCardProvider();
  const fail = useFailure();
  const [begin] = useBeginSetupMutation();
  const [clientSecret, setClientSecret] = useState<string>();

  useEffect(() => {
    let isCurrent = true;
    begin()
      .unwrap()
      .then(
        (answer) => isCurrent && setClientSecret(answer.clientSecret),
        (error: unknown) => {
          if (!isCurrent) return;
          fail(error, 'The card form could not be opened. Please try again.');
          onClose();
        },
      );
    return () => {
      isCurrent = false;
    };
    // Once per opening: the callbacks may be new at every render of the page.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [begin]);

  return (
    <TitledDialog title="Add a Card" onClose={onClose} hasForm>
      <Body>
        <Stack gap={16}>
          <Typography color="textSecondary">{reason}</Typography>
          {provider.status === 'unreachable' && <ProviderUnreachable onRetry={provider.retry} />}
          {provider.status !== 'unreachable' &&
            (provider.status === 'ready' && clientSecret !== undefined ? (
              <Provider stripe={provider.stripe} clientSecret={clientSecret}>
                <SaveForm clientSecret={clientSecret} onClose={onClose} onSaved={onSaved} />
              </Provider>
            ) : (
              <FieldsSkeleton />
            ))}
        </Stack>
      </Body>
    </TitledDialog>
  );
}

const NOT_SAVED = 'The card could not be saved. Please try again.';

interface SaveFormProps extends Pick<SaveCardDialogProps, 'onClose' | 'onSaved'> {
  readonly clientSecret: string;
}

function SaveForm({ clientSecret, onClose, onSaved }: SaveFormProps) {
  const stripe = useStripe();
  const elements = useElements();
  const toast = useToast();
  const dispatch = useDispatch();
  const [isReady, setReady] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const isShown = useIsShown();

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!stripe || !elements || isSaving) return;
    setSaving(true);
    try {
      const { error, setupIntent } = await stripe.confirmSetup({
        elements,
        confirmParams: { return_url: window.location.href },
        redirect: 'if_required',
      });
      // A lost answer is no refusal, and what was saved by it is refused as saved already.
      const isLost = error?.type === 'api_connection_error';
      const stands =
        setupIntent ??
        (isLost ? (await stripe.retrieveSetupIntent(clientSecret)).setupIntent : error?.setup_intent);
      if (stands?.status === 'succeeded') {
        dispatch(api.util.invalidateTags(['SavedCard']));
        toast.success('Card Saved');
        // What was to be paid by it may have been given up meanwhile.
        if (isShown.current) onSaved();
        return;
      }
      // Nothing was sent: the fields say themselves what is missing in them.
      if (error?.type === 'validation_error') return;
      toast.error('Card Not Saved', error?.message ?? NOT_SAVED);
      // It takes no card any more: the next opening begins another one.
      if (stands?.status === 'canceled' && isShown.current) onClose();
    } catch {
      toast.error('Card Not Saved', NOT_SAVED);
    } finally {
      setSaving(false);
    }
  };
  return (
    <form noValidate onSubmit={(event) => void save(event)} aria-label="Card">
      <Stack gap={16}>
        <Fields onReady={() => setReady(true)} />
        <Stack gap={8}>
          <BusyButton type="submit" isBusy={isSaving} disabled={!isReady}>
            Save Card
          </BusyButton>
          <Button variant="outlined" onClick={onClose}>
            Cancel
          </Button>
        </Stack>
        <Note>Card details go straight to the card provider.</Note>
      </Stack>
    </form>
  );
}
