/** An amount in dollars: four usual ones to choose from, and a field for any other. */
import ButtonBase from '@mui/material/ButtonBase';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { styled } from '@mui/material/styles';
import { useId, type KeyboardEvent, type ReactNode } from 'react';
import { decimalFromMinor, minorFromDecimal, minorOf } from '#contracts/plain/money';
import { FieldHelp, FieldLabel } from './Field.js';
import { FORCED, FORCED_CHOICE } from './theme.js';

/** In dollars. */
const PRESET_AMOUNTS = [5, 10, 20, 50] as const;

const Presets = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(4, minmax(0, 1fr))',
  gap: 8,
  marginBottom: 8,
});

const Preset = styled(ButtonBase)(({ theme }) => ({
  height: 52,
  borderRadius: 12,
  border: `1px solid ${theme.vars.palette.control}`,
  backgroundColor: theme.vars.palette.background.paper,
  color: theme.vars.palette.text.primary,
  fontFamily: theme.typography.fontFamily,
  fontSize: 17,
  fontWeight: 600,
  fontStretch: '106%',
  '&:hover': { backgroundColor: theme.vars.palette.sunken },
  '&[aria-pressed="true"]': {
    backgroundColor: theme.vars.palette.lit.main,
    border: `2px solid ${theme.vars.palette.lit.edge}`,
    fontWeight: 680,
    [FORCED]: FORCED_CHOICE,
  },
}));

interface AmountFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label?: string;
  readonly error?: string;
  readonly help?: ReactNode;
  /** Hides the preset amounts: for payouts and wallets. */
  readonly plain?: boolean;
  readonly name?: string;
  readonly min?: string;
  readonly autoFocus?: boolean;
}

/** One cent, as `step` says. */
const STEPS_MINOR: ReadonlyMap<string, number> = new Map([
  ['ArrowUp', 1],
  ['ArrowDown', -1],
]);

/** The amount one step on, never below zero; undefined where what is typed is no amount. */
function steppedAmount(value: string, stepMinor: number): string | undefined {
  const read = minorFromDecimal(value.trim() || '0');
  return 'minor' in read ? decimalFromMinor(Math.max(0, read.minor + stepMinor)) : undefined;
}

export function AmountField({
  value,
  onChange,
  label = 'Amount',
  error,
  help,
  plain = false,
  name = 'amount',
  min,
  autoFocus,
}: AmountFieldProps) {
  const id = useId();
  const helpId = `${id}-help`;
  const read = minorFromDecimal(value.trim());
  const valueNow = 'minor' in read ? read.minor / 100 : undefined;
  const stepByKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = STEPS_MINOR.get(event.key);
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = steppedAmount(value, step);
    event.preventDefault();
    if (next !== undefined) onChange(next);
  };
  return (
    <div>
      <FieldLabel variant="label" component="label" htmlFor={id}>
        {label}
      </FieldLabel>
      {!plain && (
        <Presets role="group" aria-label="Usual amounts">
          {PRESET_AMOUNTS.map((dollars) => (
            <Preset
              key={dollars}
              aria-pressed={minorOf(value.trim()) === dollars * 100}
              onClick={() => onChange(`${dollars}.00`)}
            >
              ${dollars}
            </Preset>
          ))}
        </Presets>
      )}
      <OutlinedInput
        id={id}
        name={name}
        fullWidth
        type="text"
        autoFocus={autoFocus}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={error !== undefined}
        placeholder="0.00"
        autoComplete="off"
        startAdornment={
          <InputAdornment position="start" disableTypography>
            $
          </InputAdornment>
        }
        endAdornment={
          <InputAdornment position="end" disableTypography style={{ fontSize: 13 }}>
            USD
          </InputAdornment>
        }
        inputProps={{
          // A number field keeps what it cannot read to itself: a typed comma would be lost before it is
          // seen.
          role: 'spinbutton',
          'aria-valuenow': valueNow,
          'aria-valuemin': min === undefined ? undefined : Number(min),
          step: '0.01',
          min,
          inputMode: 'decimal',
          onKeyDown: stepByKey,
          'aria-describedby': error !== undefined || help !== undefined ? helpId : undefined,
          style: { fontSize: 17, fontWeight: 620, fontStretch: '106%' },
        }}
      />
      <FieldHelp id={helpId} error={error}>
        {help}
      </FieldHelp>
    </div>
  );
}
