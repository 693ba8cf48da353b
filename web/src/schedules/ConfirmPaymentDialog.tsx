/** The payer's bank wants to hear from the payer: the saved card's payment is confirmed on the bank's own page. */
import Button from '@mui/material/Button';
import type { PaymentIntent } from '@stripe/stripe-js';
import { useState } from 'react';
import { useDispatch } from 'react-redux';
import { useFailure } from '../account/failure.js';
import { api } from '../api/api.js';
import { isCallError } from '../api/call.js';
import { useCardProvider } from '../card-provider/card-provider.js';
import { ProviderUnreachable } from '../card-provider/ProviderFields.js';
import { useToast } from '../toasts/toasts.js';
import { BusyButton } from '../ui/BusyButton.js';
import { FormDialog } from '../ui/FormDialog.js';
import { Banner, DotLeaders } from '../ui/Layout.js';
import { money } from '../wording/money.js';
import { useSecretToConfirmMutation } from './schedules.js';

const FAILED = 'The payment could not be confirmed. Please try again.';
const isDone = ({ status }: PaymentIntent): boolean => status === 'succeeded' || status === 'processing';

/** The card that the bank asked about; the provider names it in what it says of the attempt. */
function cardOf(intent: PaymentIntent): string | undefined {
  const { payment_method: current, last_payment_error: refused } = intent;
  return (typeof current === 'string' ? current : current?.id) ?? refused?.payment_method?.id;
}

interface ConfirmPaymentDialogProps {
  readonly paymentId: string;
  readonly amount: string;
  readonly payee: string;
  readonly onClose: () => void;
  readonly onConfirmed: () => void;
}

export default function ConfirmPaymentDialog({ paymentId, amount, payee, onClose, onConfirmed }: ConfirmPaymentDialogProps) {
  const provider = useCardProvider();
  const toast = useToast();
  const fail = useFailure();
  const dispatch = useDispatch();
  const [ask] = useSecretToConfirmMutation();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  const confirm = async () => {
    if (provider.status !== 'ready' || isBusy) return;
    const { stripe } = provider;
    setBusy(true);
    setProblem(undefined);
    try {
      const secret = (await ask(paymentId).unwrap())?.clientSecret;
      if (secret === undefined) throw new Error('Nobody is signed in.');
      const { paymentIntent: before, error: unknown } = await stripe.retrievePaymentIntent(secret);
      if (!before) return refused(unknown.message);
      // Confirmed in another tab, say.
      if (isDone(before)) return done();
      const { paymentIntent, error } = await stripe.confirmCardPayment(secret, { payment_method: cardOf(before) });
      if (paymentIntent && isDone(paymentIntent)) done();
      else refused(error?.message);
    } catch (error) {
      if (isCallError(error)) fail(error, FAILED, 'Payment Failed');
      else refused();
    } finally {
      setBusy(false);
    }
  };
  const refused = (sentence = FAILED) => {
    toast.error('Payment Failed', sentence);
    setProblem(sentence);
  };
  const done = () => {
    toast.success('Payment Successful', 'Payment processed successfully!');
    dispatch(api.util.invalidateTags(['Subscriptions', 'ScheduledPayments', 'Transactions', 'User']));
    onConfirmed();
  };

  return (
    <FormDialog
      open
      title="Confirm Payment"
      onClose={onClose}
      onSubmit={() => void confirm()}
      actions={
        <>
          <BusyButton type="submit" variant="tungsten" isBusy={isBusy} disabled={provider.status !== 'ready'}>
            Confirm {money(amount)}
          </BusyButton>
          <Button variant="outlined" onClick={onClose}>
            Not Now
          </Button>
        </>
      }
    >
      <div>Your bank asks you to confirm it on its own page. Your saved card is charged after that.</div>
      <DotLeaders
        rows={[
          { label: 'To', value: payee },
          { label: 'Amount', value: money(amount) },
        ]}
      />
      {provider.status === 'unreachable' && <ProviderUnreachable onRetry={provider.retry} />}
      {problem !== undefined && <Banner tone="error">{`${problem} You have not been charged.`}</Banner>}
    </FormDialog>
  );
}
