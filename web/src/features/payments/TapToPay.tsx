/**
 * Tap to Pay: the one form for a payment now, one that recurs, and one on a later day. Home and Payments
 * share it. Whom and how much stay as they are when the mode changes.
 */
import Paper from '@mui/material/Paper';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { useId, useState, type FormEvent } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { NOTE_MAX_CHARACTERS } from '#contracts/plain/note';
import { useSession } from '../account/current-user.js';
import { goToLogin, REDIRECT_MS, useLater } from '../../shared/navigation/leaving.js';
import { checkoutPath } from '../../shared/navigation/paths.js';
import { useToast } from '../../shared/ui/toasts.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { Field } from '../../shared/ui/Field.js';
import { Stack } from '../../shared/ui/Layout.js';
import { MethodChoice, type Method } from './MethodChoice.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { DESKTOP } from '../../shared/ui/theme.js';
import { money } from '../../shared/wording/money.js';
import {
  AUTHENTICATION_REQUIRED,
  refuseInstant,
  refuseScheduled,
  refuseSubscription,
  tomorrow,
  withOffset,
  writtenAmount,
  type FieldName,
} from './form-rules.js';
import { RecipientEntry } from './RecipientEntry.js';
import { FrequencyChoice } from './FrequencyChoice.js';
import { useScheduling } from './scheduling.js';
import type { Frequency } from './new-schedules.js';

const MODES = [
  { mode: 'instant', label: 'Instant' },
  { mode: 'subscription', label: 'Subscription' },
  { mode: 'scheduled', label: 'Scheduled' },
] as const;
type Mode = (typeof MODES)[number]['mode'];

/** Between the press and the checkout: the button has time to say that it works. */
const BEFORE_CHECKOUT_MS = 300;

// On a phone the button stands whole above the tabs, also with somebody chosen.
const Fields = styled(Stack)({ gap: 12, [DESKTOP]: { gap: 18 } });

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

/** What the form held when its checkout was gone to, for whoever comes back. */
interface Left {
  readonly left: PaymentDraft;
}
const isLeft = (state: unknown): state is Left =>
  typeof state === 'object' && state !== null && 'left' in state;

export function TapToPay({ heading, draft: asked = {} }: TapToPayProps) {
  const here = useLocation();
  const draft = isLeft(here.state) ? here.state.left : asked;
  const titleId = useId();
  const session = useSession();
  const toast = useToast();
  const navigate = useNavigate();
  const later = useLater();

  const [mode, setMode] = useState<Mode>('instant');
  const [recipient, setRecipient] = useState(draft.recipientId ?? '');
  const [amount, setAmount] = useState(draft.amount ?? '');
  const [description, setDescription] = useState(draft.description ?? '');
  const [method, setMethod] = useState<Method>(draft.method ?? 'card');
  const [frequency, setFrequency] = useState<Frequency | ''>('monthly');
  const [date, setDate] = useState('');
  const [isLeaving, setLeaving] = useState(false);
  const [timesReset, setTimesReset] = useState(0);
  const { problemOf, refuse, changed, clear, around } = useRefusals<FieldName>();

  const reset = () => {
    setRecipient('');
    setAmount('');
    setDescription('');
    setDate('');
    setFrequency('monthly');
    setMethod('card');
    setTimesReset((times) => times + 1);
  };
  const scheduling = useScheduling(reset);
  const isBusy = isLeaving || scheduling.isBusy;

  const goToCheckout = async () => {
    const left: PaymentDraft = { recipientId: recipient, amount, description, method };
    try {
      await navigate(here, { replace: true, state: { left } satisfies Left });
      await navigate(
        checkoutPath(recipient, {
          amount: writtenAmount(amount),
          description: description.trim(),
          paymentMethod: method,
        }),
      );
    } catch {
      toast.error('Navigation Error', 'The checkout could not be opened. Please try again.');
    }
    // Gone or not: whoever turns back before the checkout's code is there finds this very form.
    setLeaving(false);
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (session.status !== 'signed-in') {
      toast.error(AUTHENTICATION_REQUIRED.title, AUTHENTICATION_REQUIRED.description);
      goToLogin(REDIRECT_MS.loginOnTip);
      return;
    }
    if (isBusy) return;
    const refusal =
      mode === 'instant'
        ? refuseInstant({ recipient, amount })
        : mode === 'subscription'
          ? refuseSubscription({ recipient, amount, frequency })
          : refuseScheduled({ recipient, amount, date }, new Date());
    if (refusal) {
      refuse(refusal.fields);
      toast.error(refusal.title, refusal.description);
      return;
    }
    clear();
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
      <form ref={around} noValidate onSubmit={submit} aria-label="Tap to Pay">
        <Fields>
          <ToggleButtonGroup
            exclusive
            value={mode}
            aria-label="Payment mode"
            onChange={(_event, next: Mode | null) => {
              // Pressed again, it stays chosen.
              if (next === null) return;
              setMode(next);
              clear();
            }}
          >
            {MODES.map((each) => (
              <ToggleButton key={each.mode} value={each.mode}>
                {each.label}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
          <div data-refused={problemOf('recipient') !== undefined}>
            <RecipientEntry
              key={timesReset}
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
          {mode === 'subscription' && (
            <FrequencyChoice value={frequency} onChange={setFrequency} error={problemOf('frequency')} />
          )}
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
            onChange={(event) => setDescription(event.target.value)}
            inputProps={{ maxLength: NOTE_MAX_CHARACTERS }}
          />
          {mode === 'instant' && <MethodChoice value={method} onChange={setMethod} />}
          <BusyButton type="submit" variant="tungsten" fullWidth isBusy={isBusy}>
            {mode === 'instant' && (written === undefined ? 'Continue' : `Continue with ${money(written)}`)}
            {mode === 'subscription' && 'Create Subscription'}
            {mode === 'scheduled' && 'Schedule Payment'}
          </BusyButton>
        </Fields>
      </form>
      {scheduling.dialog}
    </Paper>
  );
}
