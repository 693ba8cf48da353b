/**
 * Tap to Pay: the one form for a payment now, one that recurs, and one on a later day. Home and Payments share it. Whom and how
 * much stay as they are when the mode changes.
 */
import Paper from '@mui/material/Paper';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router-dom';
import { NOTE_MAX_CHARACTERS } from '#contracts/note';
import { useSession } from '../account/current-user.js';
import { REDIRECT_MS, useGoToLogin, useLater } from '../navigation/leaving.js';
import { checkoutPath } from '../navigation/paths.js';
import { useToast } from '../toasts/toasts.js';
import { AmountField } from '../ui/AmountField.js';
import { BusyButton } from '../ui/BusyButton.js';
import { Field } from '../ui/Field.js';
import { Stack } from '../ui/Layout.js';
import { MethodChoice, type Method } from '../ui/MethodChoice.js';
import { money } from '../wording/money.js';
import {
  AUTHENTICATION_REQUIRED,
  refuseInstant,
  refuseScheduled,
  refuseSubscription,
  tomorrow,
  withOffset,
  writtenAmount,
  type FieldName,
  type FormRefusal,
} from './form-rules.js';
import { RecipientEntry } from './RecipientEntry.js';
import { FrequencyChoice } from './FrequencyChoice.js';
import { useScheduling } from './scheduling.js';
import type { Frequency } from './schedules.js';

const MODES = [
  { mode: 'instant', label: 'Instant' },
  { mode: 'subscription', label: 'Subscription' },
  { mode: 'scheduled', label: 'Scheduled' },
] as const;
type Mode = (typeof MODES)[number]['mode'];

/** Between the press and the checkout: the button has time to say that it works. */
const BEFORE_CHECKOUT_MS = 300;

/** What the form begins with: a link or a code may have said some of it. */
export interface PaymentDraft {
  readonly recipientId?: string;
  readonly amount?: string;
  readonly description?: string;
  readonly method?: Method;
}

interface TapToPayProps {
  /** The card's own heading; without one the page's title is enough. */
  readonly heading?: string;
  readonly draft?: PaymentDraft;
}

export function TapToPay({ heading, draft = {} }: TapToPayProps) {
  const titleId = useId();
  const session = useSession();
  const toast = useToast();
  const navigate = useNavigate();
  const later = useLater();
  const goToLogin = useGoToLogin();

  const [mode, setMode] = useState<Mode>('instant');
  const [recipient, setRecipient] = useState(draft.recipientId ?? '');
  const [amount, setAmount] = useState(draft.amount ?? '');
  const [description, setDescription] = useState(draft.description ?? '');
  const [method, setMethod] = useState<Method>(draft.method ?? 'card');
  const [frequency, setFrequency] = useState<Frequency | ''>('monthly');
  const [date, setDate] = useState('');
  const [isLeaving, setLeaving] = useState(false);
  const [refusal, setRefusal] = useState<FormRefusal>();

  const reset = () => {
    setRecipient('');
    setAmount('');
    setDescription('');
    setDate('');
    setFrequency('monthly');
  };
  const scheduling = useScheduling(reset);

  const form = useRef<HTMLFormElement>(null);
  // The first field that is refused is where the hand goes next; a code is no field, but can be scanned.
  useEffect(() => {
    if (!refusal) return;
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    (find('[data-refused="true"] [role="tabpanel"] :is(input, button)') ?? find('[aria-invalid="true"]'))?.focus();
  }, [refusal]);

  /** What was refused is no longer said of a field that has changed since. */
  const changed = (field: FieldName) =>
    setRefusal((now) => (now?.fields[field] === undefined ? now : { ...now, fields: { ...now.fields, [field]: undefined } }));

  const refuse = (refused: FormRefusal) => {
    setRefusal(refused);
    toast.error(refused.title, refused.description);
  };

  const goToCheckout = async () => {
    try {
      await navigate(
        checkoutPath(recipient, { amount: writtenAmount(amount), description: description.trim(), paymentMethod: method }),
      );
    } catch {
      setLeaving(false);
      toast.error('Navigation Error', 'The checkout could not be opened. Please try again.');
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (session.status !== 'signed-in') {
      toast.error(AUTHENTICATION_REQUIRED.title, AUTHENTICATION_REQUIRED.description);
      goToLogin(REDIRECT_MS.loginOnTip);
      return;
    }
    const refused =
      mode === 'instant'
        ? refuseInstant({ recipient, amount })
        : mode === 'subscription'
          ? refuseSubscription({ recipient, amount, frequency })
          : refuseScheduled({ recipient, amount, date }, new Date());
    if (refused) return refuse(refused);
    setRefusal(undefined);
    if (mode === 'instant') {
      setLeaving(true);
      later(() => void goToCheckout(), BEFORE_CHECKOUT_MS);
      return;
    }
    const written = { toUserId: recipient, amount: writtenAmount(amount) ?? amount, description };
    if (mode === 'subscription' && frequency !== '') scheduling.subscribe({ ...written, frequency });
    if (mode === 'scheduled') scheduling.schedule({ ...written, scheduledDate: withOffset(date) });
  };

  const written = writtenAmount(amount);
  const errors = refusal?.fields ?? {};
  return (
    <Paper
      variant="card"
      component="section"
      aria-labelledby={heading === undefined ? undefined : titleId}
      style={{ padding: 16 }}
    >
      {heading !== undefined && (
        <Typography variant="h2" id={titleId} style={{ marginBottom: 14 }}>
          {heading}
        </Typography>
      )}
      {/* Checked by us, in sentences of ours. */}
      <form ref={form} noValidate onSubmit={submit} aria-label="Tap to Pay">
        <Stack gap={18}>
          <ToggleButtonGroup
            exclusive
            value={mode}
            aria-label="Payment mode"
            onChange={(_event, next: Mode | null) => {
              // Pressed again, it stays chosen.
              if (next === null) return;
              setMode(next);
              setRefusal(undefined);
            }}
          >
            {MODES.map((each) => (
              <ToggleButton key={each.mode} value={each.mode}>
                {each.label}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
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
          {mode === 'subscription' && <FrequencyChoice value={frequency} onChange={setFrequency} error={errors.frequency} />}
          {mode === 'scheduled' && (
            <Field
              label="Date and time"
              type="datetime-local"
              name="date"
              value={date}
              onChange={(event) => {
                setDate(event.target.value);
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
            onChange={(event) => setDescription(event.target.value)}
            inputProps={{ maxLength: NOTE_MAX_CHARACTERS }}
          />
          {mode === 'instant' && <MethodChoice value={method} onChange={setMethod} />}
          <BusyButton type="submit" variant="tungsten" fullWidth isBusy={isLeaving || scheduling.isBusy}>
            {mode === 'instant' && (written === undefined ? 'Continue' : `Continue with ${money(written)}`)}
            {mode === 'subscription' && 'Create Subscription'}
            {mode === 'scheduled' && 'Schedule Payment'}
          </BusyButton>
        </Stack>
      </form>
      {scheduling.dialog}
    </Paper>
  );
}
