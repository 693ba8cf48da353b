/**
 * Tap to Pay: the one form for a payment now, one that recurs, and one on a later day. Home and Payments
 * share it. What was typed stays when the kind changes.
 */
import Paper from '@mui/material/Paper';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { useId } from 'react';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { Banner, Stack } from '../../shared/ui/Layout.js';
import { DESKTOP } from '../../shared/ui/theme.js';
import { money } from '../../shared/wording/money.js';
import type { PaymentDraft } from './filled-form.js';
import { writtenAmount, type PaymentFields, type PaymentKind } from './form-rules.js';
import { usePaymentForm } from './payment-form.js';
import { PaymentFormFields } from './PaymentFormFields.js';

const KINDS = [
  { kind: 'now', label: 'Instant' },
  { kind: 'recurring', label: 'Subscription' },
  { kind: 'later', label: 'Scheduled' },
] as const;

const BUTTONS: Readonly<Record<PaymentKind, (fields: PaymentFields) => string>> = {
  now: ({ amount }) => {
    const written = writtenAmount(amount);
    return written === undefined ? 'Continue' : `Continue with ${money(written)}`;
  },
  recurring: () => 'Create Subscription',
  later: () => 'Schedule Payment',
};

// On a phone the button must be fully visible above the tabs, also with a chosen recipient.
const Fields = styled(Stack)({ gap: 12, [DESKTOP]: { gap: 18 } });

interface TapToPayProps {
  /** The card's heading; none where the page's title is enough. */
  readonly heading?: string;
  /** What a link says of the payment. */
  readonly draft?: PaymentDraft;
}

export function TapToPay({ heading, draft }: TapToPayProps) {
  const titleId = useId();
  const form = usePaymentForm({ place: 'tapToPay', kind: 'now', draft });
  const { around } = form;
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
      {/* Our own validation and messages. */}
      <form
        ref={around}
        noValidate
        aria-label="Tap to Pay"
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <Fields>
          <ToggleButtonGroup
            exclusive
            value={form.kind}
            aria-label="Payment mode"
            onChange={(_event, next: PaymentKind | null) => {
              // A second press does not unselect it.
              if (next !== null) form.setKind(next);
            }}
          >
            {KINDS.map(({ kind, label }) => (
              <ToggleButton key={kind} value={kind}>
                {label}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
          <PaymentFormFields form={form} />
          {form.problem !== undefined && <Banner tone="error">{form.problem}</Banner>}
          <BusyButton type="submit" variant="tungsten" fullWidth isBusy={form.isBusy}>
            {BUTTONS[form.kind](form.fields)}
          </BusyButton>
        </Fields>
      </form>
      {form.cardDialog}
    </Paper>
  );
}
