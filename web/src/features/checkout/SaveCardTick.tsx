/**
 * Whether the card is saved. The choice is part of the payment at the provider, so changing it opens the
 * payment again with empty fields: that is why it stands above them.
 */
import { styled } from '@mui/material/styles';

const Label = styled('label')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 44,
  fontSize: 15,
  lineHeight: '22px',
  cursor: 'pointer',
  // Close to the fields, and still as high as a finger.
  margin: '-8px 0',
  '& input': {
    appearance: 'none',
    boxSizing: 'border-box',
    flex: 'none',
    width: 20,
    height: 20,
    margin: 0,
    borderRadius: 6,
    border: `1.5px solid ${theme.vars.palette.control}`,
    backgroundColor: theme.vars.palette.background.paper,
    cursor: 'inherit',
    '&:checked': {
      borderColor: theme.vars.palette.primary.main,
      backgroundColor: theme.vars.palette.primary.main,
    },
    '&:checked::before': {
      content: '""',
      display: 'block',
      height: '100%',
      backgroundColor: theme.vars.palette.primary.contrastText,
      clipPath: 'polygon(18% 50%, 29% 40%, 43% 55%, 72% 22%, 83% 32%, 43% 77%)',
    },
    '&:disabled': { opacity: 0.55 },
  },
  '&:has(input:disabled)': { color: theme.vars.palette.text.disabled, cursor: 'default' },
}));

interface SaveCardTickProps {
  readonly isTicked: boolean;
  /** True while a payment may be in progress. */
  readonly disabled: boolean;
  readonly onTick: (isTicked: boolean) => void;
}

export function SaveCardTick({ isTicked, disabled, onTick }: SaveCardTickProps) {
  return (
    <Label>
      <input
        type="checkbox"
        checked={isTicked}
        disabled={disabled}
        onChange={({ currentTarget }) => onTick(currentTarget.checked)}
      />
      Save this card for next time
    </Label>
  );
}
