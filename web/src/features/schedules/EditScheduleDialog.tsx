/** Changes the amount, the date or what pays of a subscription or scheduled payment. */
import Button from '@mui/material/Button';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import type { ScheduledPayment } from '#contracts/api/scheduled-payments';
import type { Subscription } from '#contracts/api/subscriptions';
import { useSavedCardsQuery } from '../profile/saved-cards.js';
import { amountProblem, tomorrow, withOffset, writtenAmount } from '../payments/form-rules.js';
import { chosenSource, sourceRows } from '../payments/source.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { Choices } from '../../shared/ui/Choices.js';
import { Field } from '../../shared/ui/Field.js';
import { useFailure } from '../../shared/ui/failure.js';
import { FormDialog } from '../../shared/ui/FormDialog.js';
import { useIsShown } from '../../shared/ui/is-shown.js';
import { Banner } from '../../shared/ui/Layout.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { useToast } from '../../shared/ui/toasts.js';
import type { TermsChange } from './schedules.js';
import { cardById } from './source.js';

const SaveCardDialog = onDemand(() => import('../card-provider/SaveCardDialog.js'));

const TOO_EARLY = 'Please choose a date from tomorrow on';

interface EditScheduleDialogProps {
  readonly title: string;
  readonly schedule: Subscription | ScheduledPayment;
  /** Only what pays, where its card is to be changed. */
  readonly onlySource: boolean;
  readonly isBusy: boolean;
  /** The sentence for a refusal without one of its own. */
  readonly failed: string;
  /** Called with what differs. The dialog closes once it is done, and says why it throws. */
  readonly onChange: (change: TermsChange) => Promise<void>;
  readonly onClose: () => void;
}

/** A time as the field writes it, in the local time zone. */
function localTime(iso: string): string {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What pays now, as the choices name it. */
const valueOf = (
  { from, cardId }: Subscription['source'],
  cards: readonly SavedCardAnswer[] | undefined,
): string => (from === 'card' ? (cardById(cardId, cards)?.id ?? cardId ?? '') : from);

export default function EditScheduleDialog({
  title,
  schedule,
  onlySource,
  isBusy,
  failed,
  onChange,
  onClose,
}: EditScheduleDialogProps) {
  const dateBefore = 'scheduledDate' in schedule ? localTime(schedule.scheduledDate) : undefined;
  // What is not touched here follows the list: another device may change it meanwhile, and must not be
  // overruled.
  const [newAmount, setAmount] = useState<string>();
  const [newDate, setDate] = useState<string>();
  const [newSource, setSource] = useState<string>();
  const { data: cards } = useSavedCardsQuery();
  const amount = newAmount ?? schedule.amount;
  const date = newDate ?? dateBefore ?? '';
  const sourceBefore = valueOf(schedule.source, cards ?? undefined);
  const source = newSource ?? sourceBefore;
  const [isAdding, setAdding] = useState(false);
  const toast = useToast();
  const fail = useFailure();
  const { problemOf, refuse, changed, around } = useRefusals<'amount' | 'date'>();
  const [problem, setProblem] = useState<string>();
  const isShown = useIsShown();

  const send = async (change: TermsChange) => {
    try {
      await onChange(change);
      if (isShown.current) onClose();
    } catch (error) {
      fail(error, failed);
      if (!isUnauthorized(error)) setProblem(sentenceFor(error, failed));
    }
  };
  const submit = () => {
    setProblem(undefined);
    const noAmount = amountProblem(amount);
    if (noAmount !== undefined) {
      refuse({ amount: noAmount });
      toast.error('Invalid Amount', noAmount);
      return;
    }
    if (dateBefore !== undefined && date !== dateBefore && !(date >= tomorrow(new Date()))) {
      refuse({ date: TOO_EARLY });
      toast.error('Invalid Date', TOO_EARLY);
      return;
    }
    const written = writtenAmount(amount);
    const change: TermsChange = {
      ...(written !== schedule.amount && { amount: written }),
      ...(dateBefore !== undefined && date !== dateBefore && { scheduledDate: withOffset(date) }),
      ...(source !== sourceBefore && { source: chosenSource(source) }),
    };
    if (Object.keys(change).length === 0) onClose();
    else void send(change);
  };

  return (
    <>
      <FormDialog title={title} onClose={onClose} onSubmit={submit} isBusy={isBusy} submit="Save Changes">
        <div ref={around} style={{ display: 'grid', gap: 16 }}>
          {!onlySource && (
            <AmountField
              value={amount}
              error={problemOf('amount')}
              onChange={(next) => {
                setAmount(next);
                changed('amount');
                setProblem(undefined);
              }}
            />
          )}
          {!onlySource && dateBefore !== undefined && (
            <Field
              label="Date and time"
              type="datetime-local"
              name="date"
              value={date}
              error={problemOf('date')}
              onChange={({ target }) => {
                setDate(target.value);
                changed('date');
                setProblem(undefined);
              }}
              inputProps={{ min: tomorrow(new Date()) }}
            />
          )}
          <Choices
            label="Paid from"
            rows={sourceRows(cards ?? [])}
            value={source}
            onChange={(next) => {
              setSource(next);
              setProblem(undefined);
            }}
          />
          <Button
            variant="text"
            startIcon={<Plus size={18} aria-hidden="true" />}
            onClick={() => setAdding(true)}
          >
            Add Another Card
          </Button>
        </div>
        {problem !== undefined && <Banner tone="error">{problem}</Banner>}
      </FormDialog>
      {isAdding && (
        <SaveCardDialog
          reason="Add a card to pay with. It is charged only when a payment is due."
          onClose={() => setAdding(false)}
          onSaved={() => setAdding(false)}
        />
      )}
    </>
  );
}
