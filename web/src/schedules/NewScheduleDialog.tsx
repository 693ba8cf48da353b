/** The form of a new subscription, or of a payment on a later day. */
import Button from '@mui/material/Button';
import { useEffect, useRef, useState } from 'react';
import { NOTE_MAX_CHARACTERS } from '#contracts/note';
import {
  refuseScheduled,
  refuseSubscription,
  tomorrow,
  withOffset,
  writtenAmount,
  type FieldName,
  type FormRefusal,
} from '../paying/form-rules.js';
import { FrequencyChoice } from '../paying/FrequencyChoice.js';
import { RecipientEntry } from '../paying/RecipientEntry.js';
import type { Frequency } from '../paying/schedules.js';
import { useScheduling } from '../paying/scheduling.js';
import { useToast } from '../toasts/toasts.js';
import { AmountField } from '../ui/AmountField.js';
import { BusyButton } from '../ui/BusyButton.js';
import { Field } from '../ui/Field.js';
import { FormDialog } from '../ui/FormDialog.js';
import { Stack } from '../ui/Layout.js';

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
  const scheduling = useScheduling(onClose, { scheduled: 'Failed to create scheduled payment' });
  const [recipient, setRecipient] = useState('');
  const [amount, setAmount] = useState('');
  const [frequency, setFrequency] = useState<Frequency | ''>('monthly');
  const [date, setDate] = useState('');
  const [description, setDescription] = useState('');
  const [refusal, setRefusal] = useState<FormRefusal>();

  const fields = useRef<HTMLDivElement>(null);
  // The first field that is refused is where the hand goes next; a code is no field, but can be scanned.
  useEffect(() => {
    if (!refusal) return;
    const find = (selector: string) => fields.current?.querySelector<HTMLElement>(selector);
    (find('[data-refused="true"] [role="tabpanel"] :is(input, button)') ?? find('[aria-invalid="true"]'))?.focus();
  }, [refusal]);

  /** What was refused is no longer said of a field that has changed since. */
  const changed = (field: FieldName) =>
    setRefusal((now) => (now?.fields[field] === undefined ? now : { ...now, fields: { ...now.fields, [field]: undefined } }));

  const submit = () => {
    const refused =
      kind === 'subscription'
        ? refuseSubscription({ recipient, amount, frequency }, 'Error')
        : refuseScheduled({ recipient, amount, date }, new Date());
    setRefusal(refused);
    if (refused) {
      toast.error(refused.title, refused.description);
      return;
    }
    const written = { toUserId: recipient, amount: writtenAmount(amount) ?? amount, description };
    if (kind === 'scheduled') scheduling.schedule({ ...written, scheduledDate: withOffset(date) });
    else if (frequency !== '') scheduling.subscribe({ ...written, frequency });
  };

  const errors = refusal?.fields ?? {};
  return (
    <>
      <FormDialog
        open
        title={title}
        onClose={onClose}
        onSubmit={submit}
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
        <div ref={fields}>
          <Stack gap={18}>
            <div data-refused={errors.recipient !== undefined}>
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
                error={errors.recipient}
              />
            </div>
            <AmountField
              value={amount}
              onChange={(next) => {
                setAmount(next);
                changed('amount');
              }}
              error={errors.amount}
            />
            {kind === 'subscription' ? (
              <FrequencyChoice value={frequency} onChange={setFrequency} error={errors.frequency} />
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
                error={errors.date}
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
        </div>
      </FormDialog>
      {scheduling.dialog}
    </>
  );
}
