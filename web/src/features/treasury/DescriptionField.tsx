/** What a wallet, or a transfer to or from one, is for: may be left empty. */
import { Field } from '../../shared/ui/Field.js';

interface DescriptionFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function DescriptionField({ value, onChange }: DescriptionFieldProps) {
  return (
    <Field
      label="Description (optional)"
      name="description"
      autoComplete="off"
      placeholder="What it is for"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      inputProps={{ maxLength: 500 }}
    />
  );
}
