/**
 * A button that says Processing while its command runs. Its width stays the same, and it cannot be pressed
 * twice.
 */
import Button, { type ButtonProps } from '@mui/material/Button';
import { keyframes, styled } from '@mui/material/styles';
import { STILL } from './theme.js';

const beat = keyframes({ '0%, 100%': { opacity: 1 }, '50%': { opacity: 0.35 } });

const Dots = styled('span')({
  display: 'inline-flex',
  flexDirection: 'column',
  gap: 4,
  marginRight: 10,
  '& i': {
    width: 6,
    height: 6,
    borderRadius: '50%',
    backgroundColor: 'currentColor',
    animation: `${beat} 900ms linear infinite`,
  },
  '& i + i': { animationDelay: '-450ms' },
  [STILL]: { '& i': { animation: 'none' }, '& i + i': { opacity: 0.35 } },
});

/** The two dots of the logo: busy. */
export function BusyDots() {
  return (
    <Dots aria-hidden="true">
      <i />
      <i />
    </Dots>
  );
}

// Both labels overlap, so that the button is always as wide as the wider one.
const Layers = styled('span')({
  display: 'inline-grid',
  placeItems: 'center',
  '& > span': {
    gridArea: '1 / 1',
    display: 'inline-flex',
    alignItems: 'center',
    justifyContent: 'center',
    gap: 10,
  },
  '& > span[aria-hidden="true"]': { visibility: 'hidden' },
});

interface BusyButtonProps extends ButtonProps {
  readonly isBusy: boolean;
  readonly busyLabel?: string;
}

export function BusyButton({
  isBusy,
  busyLabel = 'Processing',
  children,
  onClick,
  startIcon,
  type,
  ...rest
}: BusyButtonProps) {
  return (
    <Button
      {...rest}
      // Not `disabled`, which would remove the focus from the pressed button.
      aria-disabled={isBusy || undefined}
      type={isBusy ? 'button' : type}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      <Layers>
        <span aria-hidden={isBusy}>
          {startIcon}
          {children}
        </span>
        <span aria-hidden={!isBusy}>
          <BusyDots />
          {busyLabel}
        </span>
      </Layers>
    </Button>
  );
}
