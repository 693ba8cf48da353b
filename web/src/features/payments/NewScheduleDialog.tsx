/** The form of a new subscription, or of a payment on a later day, in a dialog. */
import Button from '@mui/material/Button';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Stack } from '../../shared/ui/Layout.js';
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
  const form = usePaymentForm({ place: 'schedulesPage', kind, onCreated: onClose });
  return (
    <>
      <FormDialog
        open
        title={title}
        onClose={onClose}
        onSubmit={form.submit}
        isBusy={form.isBusy}
        actions={
          <>
            <BusyButton type="submit" variant="tungsten" isBusy={form.isBusy}>
              {button}
            </BusyButton>
            <Button variant="outlined" onClick={onClose}>
              Cancel
            </Button>
          </>
        }
      >
        <Stack ref={form.around} gap={18}>
          <PaymentFormFields form={form} />
        </Stack>
      </FormDialog>
      {form.cardDialog}
    </>
  );
}
