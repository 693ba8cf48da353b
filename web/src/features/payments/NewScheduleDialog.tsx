/** The form of a new subscription, or of a payment on a later day, in a dialog. */
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Banner, Stack } from '../../shared/ui/Layout.js';
import { usePaymentForm } from './payment-form.js';
import { PaymentFormFields } from './PaymentFormFields.js';

const WORDS = {
  recurring: { title: 'New Subscription', button: 'Create Subscription' },
  later: { title: 'Schedule Payment', button: 'Schedule Payment' },
} as const;

interface NewScheduleDialogProps {
  readonly kind: keyof typeof WORDS;
  readonly onClose: () => void;
}

export default function NewScheduleDialog({ kind, onClose }: NewScheduleDialogProps) {
  const { title, button } = WORDS[kind];
  const isShown = useIsShown();
  const close = () => {
    if (isShown.current) onClose();
  };
  const form = usePaymentForm({ place: 'schedulesPage', kind, onCreated: close });
  const { around } = form;
  return (
    <>
      <FormDialog
        title={title}
        onClose={onClose}
        onSubmit={form.submit}
        isBusy={form.isBusy}
        submit={button}
        look="tungsten"
      >
        <Stack ref={around} gap={18}>
          <PaymentFormFields form={form} />
        </Stack>
        {form.problem !== undefined && <Banner tone="error">{form.problem}</Banner>}
      </FormDialog>
      {form.cardDialog}
    </>
  );
}
