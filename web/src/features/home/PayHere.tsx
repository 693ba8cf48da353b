/** Tap to Pay on home: under a heading on a phone, in a card of its own on a desktop. */
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { TapToPay } from '../payments/TapToPay.js';
import { DESKTOP } from '../../shared/ui/theme.js';

const TITLE = 'Tap to Pay';

export function PayHere() {
  const isDesktop = useMediaQuery(DESKTOP);
  return (
    <div>
      {/* The form stays mounted when the heading moves, so that typed values survive a rotation of the
          screen. */}
      {!isDesktop && (
        <Typography variant="h2" style={{ marginBottom: 10 }}>
          {TITLE}
        </Typography>
      )}
      <TapToPay heading={isDesktop ? TITLE : undefined} />
    </div>
  );
}
