/** The form of a new subscription, or of a payment on a later day. */
import Button from '@mui/material/Button';
import { useState } from 'react';
import { NOTE_MAX_CHARACTERS } from '#contracts/plain/note';
import {
  refuseScheduled,
  refuseSubscription,
  tomorrow,
  withOffset,
  writtenAmount,
  type FieldName,
} from './form-rules.js';
import { FrequencyChoice } from './FrequencyChoice.js';
import { RecipientEntry } from './RecipientEntry.js';
import type { Frequency } from './new-schedules.js';
import { useScheduling } from './scheduling.js';
import { useToast } from '../../shared/ui/toasts.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { Field } from '../../shared/ui/Field.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { Stack } from '../../shared/ui/Layout.js';
import { useRefusals } from '../../shared/ui/refusals.js';

const WORDS = {
  subscription: { title: 'New Subscription', button: 'Create Subscription' },
  scheduled: { title: 'Schedule Payment', button: 'Schedule Payment' },
} as const;

interface NewScheduleDialogProps {
  readonly kind: keyof typeof WORDS;
  readonly onClose: () => void;
}

export default function NewScheduleDialog({ kind, onClose }: NewScheduleDialogProps) {
  const { title, button } = WORDS[kind];
  const toast = useToast();
  const scheduling = useScheduling(onClose, {
    failedToSchedule: 'Failed to create scheduled payment',
    amountAs: 'text',
  });
  const [recipient, setRecipient] = useState('');
  const [amount, setAmount] = useState('');
  const [frequency, setFrequency] = useState<Frequency | ''>('monthly');
  const [date, setDate] = useState('');
  const [description, setDescription] = useState('');
  const { problemOf, refuse, changed, clear, around } = useRefusals<FieldName>();

  const submit = () => {
    const refusal =
      kind === 'subscription'
        ? refuseSubscription({ recipient, amount, frequency }, 'Error')
        : refuseScheduled({ recipient, amount, date }, new Date());
    if (refusal) {
      refuse(refusal.fields);
      toast.error(refusal.title, refusal.description);
      return;
    }
    clear();
    const written = { toUserId: recipient, amount: writtenAmount(amount) ?? amount, description };
    if (kind === 'scheduled') scheduling.schedule({ ...written, scheduledDate: withOffset(date) });
    else if (frequency !== '') scheduling.subscribe({ ...written, frequency });
  };

  return (
    <>
      <FormDialog
        open
        title={title}
        onClose={onClose}
        onSubmit={submit}
        isBusy={scheduling.isBusy}
        actions={
          <>
            <BusyButton type="submit" variant="tungsten" isBusy={scheduling.isBusy}>
              {button}
            </BusyButton>
            <Button variant="outlined" onClick={onClose}>
              Cancel
            </Button>
          </>
        }
      >
        <Stack ref={around} gap={18}>
          <div data-refused={problemOf('recipient') !== undefined}>
            <RecipientEntry
              value={recipient}
              onChange={(next) => {
                setRecipient(next);
                changed('recipient');
              }}
              onAmount={(next) => {
                setAmount(next);
                changed('amount');
              }}
              error={problemOf('recipient')}
            />
          </div>
          <AmountField
            value={amount}
            onChange={(next) => {
              setAmount(next);
              changed('amount');
            }}
            error={problemOf('amount')}
          />
          {kind === 'subscription' ? (
            <FrequencyChoice value={frequency} onChange={setFrequency} error={problemOf('frequency')} />
          ) : (
            <Field
              label="Date and time"
              type="datetime-local"
              name="date"
              value={date}
              onChange={({ target }) => {
                setDate(target.value);
                changed('date');
              }}
              error={problemOf('date')}
              inputProps={{ min: tomorrow(new Date()) }}
            />
          )}
          <Field
            label="Note (optional)"
            name="description"
            autoComplete="off"
            placeholder="What it is for"
            value={description}
            onChange={({ target }) => setDescription(target.value)}
            inputProps={{ maxLength: NOTE_MAX_CHARACTERS }}
          />
        </Stack>
      </FormDialog>
      {scheduling.dialog}
    </>
  );
}
