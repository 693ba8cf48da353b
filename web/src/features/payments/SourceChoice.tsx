/** What a new subscription or scheduled payment is to be paid from: one line, for it is seldom changed. */
import NativeSelect from '@mui/material/NativeSelect';
import OutlinedInput from '@mui/material/OutlinedInput';
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { useSavedCardsQuery } from '../profile/saved-cards.js';
import { FieldLabel } from '../../shared/ui/Field.js';
import { sourceRows, type SourceField } from './source.js';

interface SourceChoiceProps {
  readonly value: SourceField;
  readonly onChange: (source: SourceField) => void;
  /** Where its code cannot be loaded the usual source stays. */
  readonly onClose: () => void;
}

export default function SourceChoice({ value, onChange }: SourceChoiceProps) {
  const id = useId();
  const rows = sourceRows(useSavedCardsQuery().data ?? []);
  return (
    <div>
      <FieldLabel variant="label" component="label" htmlFor={id}>
        Paid from
      </FieldLabel>
      <NativeSelect
        value={value}
        onChange={({ target }) => onChange(target.value)}
        input={<OutlinedInput fullWidth />}
        inputProps={{ id }}
        IconComponent={ChevronDown}
        sx={{ '& .MuiNativeSelect-icon': { right: 14, top: 'calc(50% - 10px)', width: 20, height: 20 } }}
      >
        {rows.map(({ value: each, title, detail }) => (
          <option key={each} value={each}>
            {detail === undefined ? title : `${title}, ${detail.charAt(0).toLowerCase()}${detail.slice(1)}`}
          </option>
        ))}
      </NativeSelect>
    </div>
  );
}
