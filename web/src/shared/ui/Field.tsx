/** A form field: label above, never floating; the problem below it. */
import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { CircleAlert } from 'lucide-react';
import { useId, type ReactNode } from 'react';

const Help = styled('div')(({ theme }) => ({
  marginTop: 6,
  fontSize: 13,
  lineHeight: '18px',
  color: theme.vars.palette.text.secondary,
  '&[data-error="true"]': { display: 'flex', gap: 6, color: theme.vars.palette.error.main },
}));

/** The line under a field. */
export function FieldHelp({
  id,
  error,
  children,
}: {
  readonly id: string;
  readonly error?: string;
  readonly children?: ReactNode;
}) {
  if (error === undefined && children === undefined) return null;
  return (
    <Help id={id} data-error={error !== undefined} role={error === undefined ? undefined : 'alert'}>
      {error !== undefined && (
        <CircleAlert size={16} strokeWidth={2} aria-hidden="true" style={{ marginTop: 1 }} />
      )}
      <span>{error ?? children}</span>
    </Help>
  );
}

/** The words above a field or a group of choices. */
export const FieldLabel = styled(Typography)(({ theme }) => ({
  display: 'block',
  marginBottom: 6,
  padding: 0,
  color: theme.vars.palette.text.secondary,
})) as typeof Typography;

interface FieldProps extends Omit<OutlinedInputProps, 'label' | 'error' | 'notched'> {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string;
}

export function Field({ label, help, error, id: givenId, inputProps, ...input }: FieldProps) {
  const ownId = useId();
  const id = givenId ?? ownId;
  const helpId = `${id}-help`;
  const isDescribed = error !== undefined || help !== undefined;
  return (
    <div>
      <FieldLabel variant="label" component="label" htmlFor={id}>
        {label}
      </FieldLabel>
      <OutlinedInput
        {...input}
        id={id}
        fullWidth
        error={error !== undefined}
        inputProps={{ ...inputProps, 'aria-describedby': isDescribed ? helpId : undefined }}
      />
      <FieldHelp id={helpId} error={error}>
        {help}
      </FieldHelp>
    </div>
  );
}
