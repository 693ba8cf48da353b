/** Search, and the filters below it: direction and dates. */
import Badge from '@mui/material/Badge';
import Button from '@mui/material/Button';
import Collapse from '@mui/material/Collapse';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { styled } from '@mui/material/styles';
import { Search, SlidersHorizontal, X } from 'lucide-react';
import { memo, useCallback, useEffect, useId, useState } from 'react';
import { SEARCH_MAX } from '#contracts/plain/searched-text';
import { Field, FieldLabel } from '../../shared/ui/Field.js';
import { Picker } from '../../shared/ui/Picker.js';
import { NARROW } from '../../shared/ui/theme.js';
import { dayKey } from '../../shared/wording/months.js';
import { limitsOf, type HistoryChoice, type Kind, type Method, type Status } from './filter.js';

/** The list is read again after a pause in typing. */
const PAUSE_MS = 120;

const Ground = styled('div')({ container: 'filters / inline-size' });

const Line = styled('div')({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr) auto', gap: 8 });

const Limits = styled('div')({
  paddingTop: 14,
  display: 'grid',
  gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
  gap: 12,
  '& > .kind': { gridColumn: '1 / -1' },
  '& input[type="date"]': { minWidth: 0 },
  [NARROW]: { gridTemplateColumns: 'minmax(0, 1fr)' },
  '@container filters (min-width: 620px)': {
    gridTemplateColumns: 'repeat(4, minmax(0, 1fr))',
    '& .MuiToggleButtonGroup-root': { height: 52, boxSizing: 'border-box' },
  },
});

const KINDS = [
  { kind: 'all', label: 'All' },
  { kind: 'received', label: 'Received' },
  { kind: 'sent', label: 'Sent' },
] as const satisfies readonly { kind: Kind; label: string }[];

const METHODS = [
  { value: 'all', label: 'Any method' },
  { value: 'card', label: 'Card' },
  { value: 'cashapp', label: 'Cash App' },
  { value: 'balance', label: 'Balance' },
] as const satisfies readonly { value: Method | 'all'; label: string }[];
const STATUSES = [
  { value: 'all', label: 'Any status' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'refunded', label: 'Refunded' },
  { value: 'disputed', label: 'Disputed' },
] as const satisfies readonly { value: Status | 'all'; label: string }[];

interface FiltersProps {
  readonly choice: HistoryChoice;
  readonly onChange: (change: Partial<HistoryChoice>) => void;
}

export const Filters = memo(function Filters({ choice, onChange }: FiltersProps) {
  const id = useId();
  const limits = limitsOf(choice);
  const [isOpen, setOpen] = useState(limits > 0);
  const [typed, setTyped] = useState(choice.text);
  // The search in the address has changed (back button, cleared filter): the field follows it. Where it is
  // what was typed here, the field stays: more may have been typed before that was drawn.
  const [last, setLast] = useState(choice.text);
  const [sent, setSent] = useState<string>();
  if (last !== choice.text) {
    setLast(choice.text);
    setSent(undefined);
    if (choice.text !== sent) setTyped(choice.text);
  }
  const send = useCallback(
    (text: string): void => {
      setSent(text);
      onChange({ text });
    },
    [onChange],
  );
  useEffect(() => {
    if (typed === choice.text) return undefined;
    const timer = setTimeout(() => send(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, choice.text, send]);

  const today = dayKey(new Date());
  return (
    <Ground role="search" aria-label="Transactions">
      <Line>
        <OutlinedInput
          type="text"
          value={typed}
          placeholder="Name, note or amount"
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && send(typed)}
          inputProps={{ 'aria-label': 'Search', enterKeyHint: 'search', maxLength: SEARCH_MAX }}
          startAdornment={
            <InputAdornment position="start">
              <Search size={20} strokeWidth={1.75} aria-hidden="true" />
            </InputAdornment>
          }
          endAdornment={
            typed !== '' && (
              <IconButton
                aria-label="Clear the search"
                onClick={() => onChange({ text: '' })}
                style={{ marginRight: -14 }}
              >
                <X size={20} strokeWidth={1.75} aria-hidden="true" />
              </IconButton>
            )
          }
        />
        <Button
          variant="outlined"
          aria-expanded={isOpen}
          aria-controls={`${id}-limits`}
          onClick={() => setOpen(!isOpen)}
          aria-label={limits === 0 ? 'Filters' : `Filters, ${limits} set`}
          style={{ width: 52, padding: 0 }}
        >
          <Badge variant="dot" color="primary" invisible={limits === 0}>
            <SlidersHorizontal size={20} strokeWidth={1.75} aria-hidden="true" />
          </Badge>
        </Button>
      </Line>
      <Collapse in={isOpen} id={`${id}-limits`} unmountOnExit>
        <Limits>
          <div className="kind">
            <FieldLabel variant="label" id={`${id}-kind`}>
              Type
            </FieldLabel>
            <ToggleButtonGroup
              exclusive
              value={choice.kind}
              aria-labelledby={`${id}-kind`}
              onChange={(_event, next: Kind | null) => next !== null && onChange({ kind: next })}
            >
              {KINDS.map(({ kind, label }) => (
                <ToggleButton key={kind} value={kind}>
                  {label}
                </ToggleButton>
              ))}
            </ToggleButtonGroup>
          </div>
          <Picker
            label="Method"
            rows={METHODS}
            value={choice.method}
            onChange={(method) => onChange({ method })}
          />
          <Picker
            label="Status"
            rows={STATUSES}
            value={choice.status}
            onChange={(status) => onChange({ status })}
          />
          <Field
            label="From"
            type="date"
            value={choice.from}
            onChange={(event) => onChange({ from: event.target.value })}
            inputProps={{ max: choice.to || today }}
          />
          <Field
            label="To"
            type="date"
            value={choice.to}
            onChange={(event) => onChange({ to: event.target.value })}
            inputProps={{ min: choice.from || undefined, max: today }}
          />
        </Limits>
      </Collapse>
    </Ground>
  );
});
