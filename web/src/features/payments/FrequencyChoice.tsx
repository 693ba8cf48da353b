/** How often a subscription pays. */
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { useId } from 'react';
import { FieldHelp, FieldLabel } from '../../shared/ui/Field.js';
import { capitalised } from '../../shared/wording/people.js';
import { FREQUENCIES, type Frequency } from './new-schedules.js';

interface FrequencyChoiceProps {
  readonly value: Frequency | '';
  readonly onChange: (frequency: Frequency) => void;
  readonly error?: string;
}

export function FrequencyChoice({ value, onChange, error }: FrequencyChoiceProps) {
  const id = useId();
  return (
    <div>
      <FieldLabel variant="label" component="span" id={id}>
        Frequency
      </FieldLabel>
      <ToggleButtonGroup
        exclusive
        fullWidth
        value={value}
        aria-labelledby={id}
        onChange={(_event, next: Frequency | null) => next !== null && onChange(next)}
      >
        {FREQUENCIES.map((frequency) => (
          <ToggleButton key={frequency} value={frequency}>
            {capitalised(frequency)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <FieldHelp id={`${id}-help`} error={error}>
        The first payment is made at once.
      </FieldHelp>
    </div>
  );
}
