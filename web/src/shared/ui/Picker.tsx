/** One of a few, chosen from the browser's own list: as high as a field, with the app's arrow. */
import { styled } from '@mui/material/styles';
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { FieldLabel } from './Field.js';

const Ground = styled('span')({
  display: 'block',
  position: 'relative',
  '& > svg': { position: 'absolute', right: 14, top: 16, pointerEvents: 'none' },
});

const Select = styled('select')(({ theme }) => ({
  appearance: 'none',
  width: '100%',
  height: 52,
  boxSizing: 'border-box',
  // A long name ends before the arrow.
  padding: '0 42px 0 14px',
  textOverflow: 'ellipsis',
  border: `1px solid ${theme.vars.palette.control}`,
  borderRadius: 12,
  backgroundColor: theme.vars.palette.background.paper,
  color: 'inherit',
  font: 'inherit',
  fontSize: 16,
  '&:focus-visible': { outline: `3px solid ${theme.vars.palette.focus}`, outlineOffset: 2 },
}));

interface PickerRow<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface PickerProps<T extends string> {
  readonly label: string;
  /** For screen readers alone, where the choice speaks for itself. */
  readonly hidesLabel?: boolean;
  readonly rows: readonly PickerRow<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Picker<T extends string>({
  label,
  hidesLabel = false,
  rows,
  value,
  onChange,
}: PickerProps<T>) {
  const id = useId();
  return (
    <div>
      {!hidesLabel && (
        <FieldLabel variant="label" component="label" htmlFor={id}>
          {label}
        </FieldLabel>
      )}
      <Ground>
        <Select
          id={id}
          aria-label={hidesLabel ? label : undefined}
          value={value}
          onChange={({ target }) => {
            const chosen = rows.find((row) => row.value === target.value);
            if (chosen) onChange(chosen.value);
          }}
        >
          {rows.map((row) => (
            <option key={row.value} value={row.value}>
              {row.label}
            </option>
          ))}
        </Select>
        <ChevronDown size={20} strokeWidth={1.75} aria-hidden="true" />
      </Ground>
    </div>
  );
}
