/** How a payment is made: by card or by Cash App. */
import { styled } from '@mui/material/styles';
import { BadgeDollarSign, CreditCard } from 'lucide-react';
import { useEffect, useId } from 'react';
import { FieldLabel } from '../../shared/ui/Field.js';
import { radioLook } from '../../shared/ui/radio.js';
import { FORCED, NARROW } from '../../shared/ui/theme.js';
import { useOfferedMethods } from '../card-provider/browser-configuration.js';

export type Method = 'card' | 'cashapp';

/** Reads the method of a link's query; anything unknown is `card`. */
export const methodOf = (written: string | null | undefined): Method =>
  written === 'cashapp' ? 'cashapp' : 'card';
/** The name of a method on a receipt. */
export const methodName = (method: Method): string =>
  method === 'cashapp' ? 'Cash App Payment' : 'Card Payment';

const CHOICES = [
  { method: 'card', label: 'Card', icon: CreditCard },
  { method: 'cashapp', label: 'Cash App', icon: BadgeDollarSign },
] as const;

const Group = styled('fieldset')({ border: 0, margin: 0, padding: 0, minWidth: 0 });
const Choices = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
  gap: 8,
  [NARROW]: { gridTemplateColumns: 'minmax(0, 1fr)' },
});

const Choice = styled('label')(({ theme }) => ({
  height: 52,
  display: 'flex',
  alignItems: 'center',
  gap: 9,
  padding: '0 12px 0 14px',
  // Two of them side by side in a narrow window.
  '@media (max-width: 374.95px)': { gap: 6, padding: '0 9px 0 10px' },
  borderRadius: 12,
  whiteSpace: 'nowrap',
  fontWeight: 560,
  cursor: 'pointer',
  backgroundColor: theme.vars.palette.background.paper,
  boxShadow: `inset 0 0 0 1px ${theme.vars.palette.control}`,
  '& input': { ...radioLook(theme), margin: '0 0 0 auto' },
  '&:has(input:checked)': {
    boxShadow: `inset 0 0 0 2px ${theme.vars.palette.primary.main}`,
    fontWeight: 650,
  },
  '&:has(input:focus-visible)': { outline: `3px solid ${theme.vars.palette.focus}`, outlineOffset: 2 },
  [FORCED]: { border: '1px solid', '&:has(input:checked)': { border: '2px solid Highlight' } },
}));

interface MethodChoiceProps {
  readonly value: Method;
  readonly onChange: (method: Method) => void;
}

export function MethodChoice({ value, onChange }: MethodChoiceProps) {
  const name = useId();
  const offered = useOfferedMethods();
  const [first] = offered;
  // A link, or a choice of before, may name what cannot be paid with any more.
  const isOffered = offered.includes(value);
  useEffect(() => {
    if (!isOffered && first !== undefined) onChange(first);
  }, [isOffered, first, onChange]);
  return (
    <Group>
      <FieldLabel variant="label" component="legend">
        Payment method
      </FieldLabel>
      <Choices>
        {CHOICES.filter(({ method }) => offered.includes(method)).map(({ method, label, icon: Icon }) => (
          <Choice key={method}>
            <Icon size={19} strokeWidth={1.75} aria-hidden="true" />
            {label}
            <input
              type="radio"
              name={name}
              value={method}
              checked={value === method}
              onChange={() => onChange(method)}
            />
          </Choice>
        ))}
      </Choices>
    </Group>
  );
}
