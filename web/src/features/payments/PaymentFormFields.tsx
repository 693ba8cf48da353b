/** The fields of a payment's form: those that every payment has, and those of its kind. */
import { NOTE_MAX_CHARACTERS } from '#contracts/plain/note';
import { AmountField } from '../../shared/ui/AmountField.js';
import { Field } from '../../shared/ui/Field.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { tomorrow } from './form-rules.js';
import { FrequencyChoice } from './FrequencyChoice.js';
import { MethodChoice } from './MethodChoice.js';
import type { PaymentForm } from './payment-form.js';
import { RecipientEntry } from './RecipientEntry.js';

const SourceChoice = onDemand(() => import('./SourceChoice.js'));

export function PaymentFormFields({ form }: { readonly form: PaymentForm }) {
  const { kind, fields, set, problemOf, timesReset } = form;
  return (
    <>
      <div data-refused={problemOf('recipientId') !== undefined}>
        <RecipientEntry
          key={timesReset}
          value={fields.recipientId}
          onChange={(next) => set('recipientId', next)}
          onAmount={(next) => set('amount', next)}
          error={problemOf('recipientId')}
        />
      </div>
      <AmountField
        value={fields.amount}
        onChange={(next) => set('amount', next)}
        error={problemOf('amount')}
      />
      {kind === 'recurring' && (
        <FrequencyChoice
          value={fields.frequency}
          onChange={(next) => set('frequency', next)}
          error={problemOf('frequency')}
        />
      )}
      {kind === 'later' && (
        <Field
          label="Date and time"
          type="datetime-local"
          name="date"
          value={fields.date}
          onChange={({ target }) => set('date', target.value)}
          error={problemOf('date')}
          inputProps={{ min: tomorrow(new Date()) }}
        />
      )}
      {kind !== 'now' && (
        <SourceChoice
          key={`source-${timesReset}`}
          value={fields.source}
          onChange={(next) => set('source', next)}
          onClose={() => undefined}
        />
      )}
      <Field
        label="Note (optional)"
        name="description"
        autoComplete="off"
        placeholder="What it is for"
        value={fields.description}
        onChange={({ target }) => set('description', target.value)}
        inputProps={{ maxLength: NOTE_MAX_CHARACTERS }}
      />
      {kind === 'now' && <MethodChoice value={fields.method} onChange={(next) => set('method', next)} />}
    </>
  );
}
