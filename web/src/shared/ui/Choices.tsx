/** Radio buttons as rows of one or two lines. */
import { styled } from '@mui/material/styles';
import { useId, type ReactNode } from 'react';
import { FieldHelp, FieldLabel } from './Field.js';
import { radioLook } from './radio.js';
import { FORCED } from './theme.js';

const Group = styled('fieldset')({ border: 0, margin: 0, padding: 0, minWidth: 0 });

const Rows = styled('div')({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 8 });

const Choice = styled('label')(({ theme }) => ({
  minHeight: 60,
  boxSizing: 'border-box',
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  padding: '9px 14px',
  borderRadius: 12,
  cursor: 'pointer',
  backgroundColor: theme.vars.palette.background.paper,
  boxShadow: `inset 0 0 0 1px ${theme.vars.palette.control}`,
  '& > .text': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
  '& strong': { display: 'block', fontWeight: 600 },
  '& small': { display: 'block', fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '& input': radioLook(theme),
  '&:has(input:checked)': { boxShadow: `inset 0 0 0 2px ${theme.vars.palette.primary.main}` },
  '&:has(input:focus-visible)': { outline: `3px solid ${theme.vars.palette.focus}`, outlineOffset: 2 },
  [FORCED]: { border: '1px solid', '&:has(input:checked)': { border: '2px solid Highlight' } },
}));

interface ChoiceRow {
  readonly value: string;
  readonly title: string;
  readonly detail?: string;
}

interface ChoicesProps {
  readonly label: string;
  readonly rows: readonly ChoiceRow[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string;
  readonly help?: ReactNode;
}

export function Choices({ label, rows, value, onChange, error, help }: ChoicesProps) {
  const name = useId();
  const helpId = `${name}-help`;
  return (
    <Group aria-describedby={error !== undefined || help !== undefined ? helpId : undefined}>
      <FieldLabel variant="label" component="legend">
        {label}
      </FieldLabel>
      <Rows>
        {rows.map((row) => (
          <Choice key={row.value}>
            <span className="text">
              <strong>{row.title}</strong>
              {row.detail !== undefined && <small>{row.detail}</small>}
            </span>
            <input
              type="radio"
              name={name}
              value={row.value}
              checked={value === row.value}
              aria-invalid={error !== undefined || undefined}
              onChange={() => onChange(row.value)}
            />
          </Choice>
        ))}
      </Rows>
      <FieldHelp id={helpId} error={error}>
        {help}
      </FieldHelp>
    </Group>
  );
}
