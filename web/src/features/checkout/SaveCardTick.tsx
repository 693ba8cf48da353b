/**
 * Whether the card that pays is kept. The provider is told with the payment, so a tick sets the payment up again, with empty
 * fields: that is why it stands above them.
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
  '& input': { flex: 'none', width: 20, height: 20, margin: 0, accentColor: theme.vars.palette.primary.main },
  '&:has(input:disabled)': { color: theme.vars.palette.text.disabled, cursor: 'default' },
}));

interface SaveCardTickProps {
  readonly isTicked: boolean;
  /** A payment that may be under way keeps its card's fate. */
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
